// `opscope-cli convert IN OUT`: writes a graph in the form that OUT's ending asks for.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/command.h"
#include "app/cli/picture_program.h"
#include "engine/base/file.h"
#include "engine/document/document_io.h"
#include "engine/graph/dot_writer.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_io.h"

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

// With what a document holds besides the graph: that of IN when it is a document, the editor's choices otherwise.
Status WriteDocument(const Arguments& arguments, const LoadedGraph& loaded) {
  Document document;
  if (arguments.tags.empty()) {
    OS_ASSIGN_OR_RETURN(document, LoadDocument(arguments.in));
  } else {
    document.SetGraph(loaded.graph);
  }
  return SaveDocument(document, arguments.out);
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
  return WriteDocument(arguments, loaded);
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
