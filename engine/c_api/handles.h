#pragma once
// What stands behind the opaque types of c_api.h, and how their functions report.

#include "engine/base/status.h"
#include "engine/c_api/c_api.h"
#include "engine/framework/tensor.h"
#include "engine/framework/type_list.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_importer.h"
#include "engine/graph/node_builder.h"
#include "engine/graph/shape_refiner.h"
#include "engine/proto/function.pb.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct TF_Status {
  TF_Code code = TF_OK;
  std::string message;
  std::map<std::string, std::string> payloads;
};

/// A value. Strings (24 bytes an element) and resource handles (a serialized message) are kept in
/// the form that C programs see; all other types are the engine's own tensor.
struct TF_Tensor {
  opscope::Tensor tensor;
};

/// A node, under a pointer that stays valid as long as its graph.
struct TF_Operation {
  TF_Graph* graph = nullptr;
  opscope::NodeId id;
  std::string name, op, device;
  opscope::TypeList inputs, outputs;
};

struct TF_Graph {
  TF_Graph();

  std::mutex mutex;  ///< Guards what follows.
  opscope::Graph graph;
  opscope::ShapeRefiner refiner;
  std::deque<TF_Operation> opers;  ///< By NodeId; without a graph where a node was taken back.
  /// Sessions on it, with why they may not run any more where a node that they have was changed.
  std::map<TF_Session*, opscope::Status> sessions;
  /// Counts what sessions need to hear of: a session that has seen this many needs no lock to know
  /// that nothing is new.
  std::atomic<uint64_t> changes{1};
  bool delete_requested = false;
  bool part_of_loop = false;  ///< One of the graphs of TF_WhileParams.

  /// REQUIRES: the lock, and the node is there.
  TF_Operation* Oper(opscope::NodeId id) { return &opers[id.index()]; }
  /// Makes the operations of nodes that were added. REQUIRES: the lock.
  void TakeNewNodes();
  /// REQUIRES: the lock.
  TF_Operation* Find(std::string_view name);
};

struct TF_OperationDescription {
  TF_Graph* graph;
  opscope::NodeBuilder builder;
  std::map<std::string, bool> colocation;  ///< "loc:@node", sorted.
  /// Keeps the definition of a function that the builder refers to.
  std::shared_ptr<const tensorflow::FunctionDefLibrary> library;
};

struct TF_ImportGraphDefOptions {
  opscope::ImportOptions options;
};

struct TF_ImportGraphDefResults {
  std::vector<TF_Output> outputs;
  std::vector<TF_Operation*> opers;
  std::deque<std::string> names;
  std::vector<const char*> missing_names;
  std::vector<int> missing_indexes;
};

struct TF_Function {
  tensorflow::FunctionDef def;
};

struct TF_FunctionOptions {};
struct TF_Library {};
struct TF_Server {};

namespace opscope::capi {

/// Writes the outcome into `out`, which may be null.
void SetStatus(const Status& status, TF_Status* out);
inline void SetOk(TF_Status* out) {
  if (out == nullptr) return;
  out->code = TF_OK;
  if (!out->message.empty()) out->message.clear();
  if (!out->payloads.empty()) out->payloads.clear();
}
/// UNIMPLEMENTED, naming the function.
void SetUnimplemented(const char* function, TF_Status* out);

/// A C string, "" for NULL.
inline std::string_view Text(const char* text) {
  return text ? std::string_view(text) : std::string_view();
}

/// Parses a message that came as bytes; "Unparseable <what>" otherwise, as TensorFlow words it.
Status ParseBytes(const void* data, size_t length, const char* what,
                  google::protobuf::MessageLite* message);
/// Serializes into an empty buffer; INVALID_ARGUMENT for one that holds something.
Status MessageToBuffer(const google::protobuf::MessageLite& message, TF_Buffer* buffer);

/// The dims as a shape; INVALID_ARGUMENT where they make none.
StatusOr<TensorShape> ShapeFromDims(const int64_t* dims, int num_dims);
/// -1 or less dims: unknown rank; negative dims: unknown.
PartialTensorShape PartialShapeFromDims(const int64_t* dims, int num_dims);

/// The engine's tensor of a C tensor: shares the memory of plain elements, copies strings and
/// handles.
Status ToEngine(const TF_Tensor& tensor, Tensor* out);
/// The other way round. FAILED_PRECONDITION for a tensor without a value.
StatusOr<TF_Tensor*> ToC(Tensor tensor);

/// Checks that the output exists; TensorFlow's message otherwise.
Status CheckOutput(const TF_Output& output);
std::string OutputName(const TF_Output& output);
/// Sessions that took the operation may not run any more, for `what` changed it. REQUIRES: the
/// graph's lock.
void NoteChange(TF_Graph* graph, const TF_Operation* oper, std::string_view what);

}  // namespace opscope::capi
