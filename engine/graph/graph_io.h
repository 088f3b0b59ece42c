#pragma once
// Reads every form of graph that TensorFlow writes. The form is found from the bytes, never from the name.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor_shape.h"
#include "engine/graph/graph.h"
#include "engine/graph/validation.h"
#include "engine/proto/meta_graph.pb.h"
#include "engine/proto/saver.pb.h"

namespace opscope {

enum class GraphFormat {
  kGraphDef,
  kGraphDefText,
  kMetaGraph,
  kMetaGraphText,
  kSavedModel,
  kSavedModelText,
  kEvents,
  kDocument,  ///< An .opscope document; only its graph is taken.
};
/// "graphdef", "graphdef-text", "metagraph", …, "opscope".
std::string_view GraphFormatName(GraphFormat format);
bool IsTextFormat(GraphFormat format);

/// One tensor of a signature.
struct SignatureTensor {
  std::string key;   ///< What callers call it.
  std::string name;  ///< The tensor in the graph, "x:0"; for sparse ones that of the values.
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
};
struct Signature {
  std::string key;
  std::string method_name;
  std::vector<SignatureTensor> inputs;   ///< By key.
  std::vector<SignatureTensor> outputs;  ///< By key.
};

/// A graph with everything that its file says about running it.
struct LoadedGraph {
  GraphFormat format = GraphFormat::kGraphDef;
  bool gzip = false;
  Graph graph;
  std::vector<Signature> signatures;           ///< By key.
  std::optional<tensorflow::SaverDef> saver_def;
  std::string init_op;                         ///< Of a SavedModel: main_op or legacy_init_op; "" when it has none.
  std::vector<tensorflow::AssetFileDef> assets;
  std::string variables_prefix;                ///< Of a SavedModel with variables: DIR/variables/variables.
  std::string assets_dir;                      ///< Of a SavedModel: DIR/assets.
  std::vector<std::string> tags;               ///< Of the MetaGraph that was taken.
  std::vector<std::vector<std::string>> available_tags;
  std::string tensorflow_version;
  /// About the file rather than a node: a signature of a tensor that isn't there, two MetaGraphs with the same tags …
  std::vector<Diagnostic> warnings;
  /// The bytes of a binary GraphDef file, unpacked; nullptr for other forms. What was not edited is saved from here.
  std::shared_ptr<const std::string> original_bytes;
};

struct LoadOptions {
  std::vector<std::string> tags;  ///< Of the MetaGraph to take from a SavedModel, in any order; empty: the one for serving.
  /// Told each stage ("reading", "parsing", "building"); false = stop with CANCELLED.
  std::function<bool(std::string_view stage)> progress;
};

/// Reads a file, or a SavedModel's folder. Every message begins with the path. NOT_FOUND, PERMISSION_DENIED;
/// INVALID_ARGUMENT "PATH: not a GraphDef: …" with the byte, or line and column, and what the file seems to be;
/// DATA_LOSS for broken checksums; RESOURCE_EXHAUSTED beyond protobuf's 2 GiB. A file of no bytes is refused ("no
/// nodes"), although it is a GraphDef.
StatusOr<LoadedGraph> LoadGraph(const std::string& path, const LoadOptions& options = {});

/// The same for bytes that lie in memory; `name` stands for the path in messages.
StatusOr<LoadedGraph> ParseGraph(std::shared_ptr<const std::string> bytes, const std::string& name,
                                 const LoadOptions& options = {});

/// A binary GraphDef as a graph that keeps the bytes of what isn't edited. INVALID_ARGUMENT names byte and field.
StatusOr<Graph> ParseBinaryGraphDef(std::shared_ptr<const std::string> bytes);
/// The same for a part of `buffer`.
StatusOr<Graph> ParseBinaryGraphDef(std::shared_ptr<const std::string> buffer, std::string_view bytes);

/// Parses any message from text. INVALID_ARGUMENT "3:7: Expected …" (line:column); nesting is limited.
Status ParseTextMessage(std::string_view text, google::protobuf::Message* message);

}  // namespace opscope
