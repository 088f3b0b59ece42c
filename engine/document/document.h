#pragma once
// Document: the graph, its diagram and how it is run, which belong together.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/diagram/diagram.h"
#include "engine/document/edit.h"
#include "engine/document/run_config.h"
#include "engine/graph/graph.h"

namespace opscope {

/// The file form that a document has, or came from.
enum class DocumentFormat { kOpScope, kGraphDefBinary, kGraphDefText, kOther };

/// Threads: one (the window's); what leaves it for workers is a copy.
class Document {
 public:
  Document() = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;

  /// A copy for a worker: the graph shares its nodes until one side changes them.
  Document Snapshot() const;

  const Graph& graph() const { return graph_; }
  const Diagram& diagram() const { return diagram_; }
  const RunConfig& run_config() const { return run_config_; }

  /// What an edit did, and the edit that takes it back: applying the inverse gives the same graph to the byte, and
  /// applying the edit's `redo` after it gives the edited one to the byte (node ids included).
  struct Applied {
    DocumentDelta delta;
    Edit inverse;
    Edit redo;
  };
  /// Applies all changes or none. Errors are those of Graph (a name that is taken, a node that isn't there).
  StatusOr<Applied> Apply(Edit edit);

  /// Changes of what is shown: saved with the document, no edits (they aren't undone).
  Diagram& view() { return diagram_; }

  const std::string& path() const { return path_; }
  void set_path(std::string path) { path_ = std::move(path); }
  DocumentFormat format() const { return format_; }
  void set_format(DocumentFormat format) { format_ = format; }

  /// For loading.
  void SetGraph(Graph graph) { graph_ = std::move(graph); }
  void SetDiagram(Diagram diagram) { diagram_ = std::move(diagram); }
  void SetRunConfig(RunConfig config) { run_config_ = std::move(config); }

  /// Fields of the file that this version doesn't know; written back.
  const std::string& unknown_fields() const { return unknown_fields_; }
  void set_unknown_fields(std::string bytes) { unknown_fields_ = std::move(bytes); }
  /// The bytes of the binary GraphDef that the document came from, while no edit changed the graph: saved as they are.
  const std::shared_ptr<const std::string>& original_bytes() const { return original_bytes_; }
  void set_original_bytes(std::shared_ptr<const std::string> bytes);
  /// Whether the graph is as it was read.
  bool graph_untouched() const { return original_bytes_ != nullptr && graph_.version() == original_version_; }

 private:
  struct Applier;

  Graph graph_;
  Diagram diagram_;
  RunConfig run_config_;
  std::string path_;
  DocumentFormat format_ = DocumentFormat::kOpScope;
  std::string unknown_fields_;
  std::shared_ptr<const std::string> original_bytes_;
  int64_t original_version_ = -1;
};

}  // namespace opscope
