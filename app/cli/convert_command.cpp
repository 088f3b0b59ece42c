// `opscope-cli convert IN OUT`: writes a graph in the form that OUT's ending asks for.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/picture_program.h"
#include "engine/base/file.h"
#include "engine/graph/dot_writer.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_io.h"
#include "engine/proto/document.pb.h"

namespace opscope::cli {
namespace {

struct Arguments {
  std::string in;
  std::string out;
  std::vector<std::string> tags;
};

bool HasEnding(std::string_view path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

// A document of the graph alone: its diagram comes into being when the editor opens it.
std::string DocumentBytes(const Graph& graph) {
  DocumentFile file;
  file.set_version(1);
  file.set_min_reader_version(1);
  file.set_graph_def(SerializeGraphDef(graph));
  return "OPSCOPE1" + file.SerializeAsString();
}

// A document stays as it is, diagram and all.
StatusOr<bool> CopyDocument(const Arguments& arguments, const LoadedGraph& loaded) {
  if (loaded.format != GraphFormat::kDocument) return false;
  OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(arguments.in));
  OS_RETURN_IF_ERROR(WriteFileAtomic(arguments.out, bytes));
  return true;
}

Status Convert(const Arguments& arguments) {
  const std::string& out = arguments.out;
  if (HasEnding(out, {".svg", ".png", ".pdf"})) return DrawWithEditor(arguments.in, out);
  if (HasEnding(out, {".py"})) return errors::Unimplemented(out, ": writing Python (.py) is not there yet");
  if (!HasEnding(out, {".pb", ".pbtxt", ".pb.gz", ".pbtxt.gz", ".opscope", ".dot"})) {
    return UsageError(StrCat(out, ": the ending says the form: .pb, .pbtxt (each also .gz), .opscope, .dot, .py, .svg, "
                             ".png or .pdf"));
  }
  LoadOptions options;
  options.tags = arguments.tags;
  OS_ASSIGN_OR_RETURN(const LoadedGraph loaded, LoadGraph(arguments.in, options));
  if (HasEnding(out, {".dot"})) return WriteFileAtomic(out, GraphToDot(loaded.graph));
  if (!HasEnding(out, {".opscope"})) return SaveGraphDef(loaded.graph, out);
  OS_ASSIGN_OR_RETURN(const bool copied, CopyDocument(arguments, loaded));
  return copied ? Status::OK() : WriteFileAtomic(out, DocumentBytes(loaded.graph));
}

}  // namespace

CommandFunction SetUpConvert(CLI::App* app) {
  auto arguments = std::make_shared<Arguments>();
  app->add_option("IN", arguments->in, "A graph in any form, or an OpScope document")->required();
  app->add_option("OUT", arguments->out, "Where to; the ending says the form")->required();
  app->add_option("--saved-model-tags", arguments->tags, "Tags of the MetaGraph to take from a SavedModel")->delimiter(',');
  return [arguments] { return Convert(*arguments); };
}

}  // namespace opscope::cli
