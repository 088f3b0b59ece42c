// `opscope-cli info FILE [--json]`: what a file holds and what is wrong with it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>

#include "app/cli/command.h"
#include "engine/base/text.h"
#include "engine/graph/graph_io.h"
#include "engine/graph/shape_refiner.h"
#include "engine/graph/validation.h"
#include "engine/io/json.h"

namespace opscope::cli {
namespace {

struct Arguments {
  std::string file;
  bool json = false;
  std::vector<std::string> tags;
};

/// What info tells, whatever the form of the answer.
struct Report {
  LoadedGraph loaded;
  std::map<std::string, int64_t> ops;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> unknown_ops;
  std::vector<Diagnostic> problems;
  std::vector<Diagnostic> warnings;
  size_t data_edges = 0;
  size_t control_edges = 0;
};

bool IsPlaceholder(std::string_view op) { return op == "Placeholder" || op == "PlaceholderV2" || op == "PlaceholderWithDefault"; }

// Shapes that don't fit together, at nodes that are right otherwise.
void AddShapeProblems(const Graph& graph, std::vector<Diagnostic>* problems) {
  std::vector<bool> told(graph.num_ids(), false);
  for (const Diagnostic& d : *problems) {
    if (d.id.valid()) told[d.id.index()] = true;
  }
  ShapeRefiner refiner;
  refiner.Refine(graph);
  for (const Diagnostic& d : refiner.diagnostics()) {
    if (!d.id.valid() || !told[d.id.index()]) problems->push_back(d);
  }
}

Report MakeReport(LoadedGraph loaded) {
  Report report;
  const Graph& graph = loaded.graph;
  graph.ForEachNode([&](NodeId, const Node& node) {
    ++report.ops[node.op()];
    if (IsPlaceholder(node.op())) report.inputs.push_back(node.name());
    if (node.out_edges.empty()) report.outputs.push_back(node.name());
    for (const InEdge& edge : node.in_edges) {
      ++(edge.dst_input == TensorId::kControlSlot ? report.control_edges : report.data_edges);
    }
  });
  StringMap<bool> functions;
  for (const FunctionDef& function : graph.library().function()) functions.try_emplace(function.signature().name(), true);
  for (const auto& [op, count] : report.ops) {
    if (OpRegistry::Global().Find(op) == nullptr && !functions.contains(op)) report.unknown_ops.push_back(op);
  }
  report.problems = loaded.warnings;
  if (graph.num_nodes() == 0) report.problems.push_back({"", Code::kInvalidArgument, "the graph has no nodes", NodeId()});
  const auto found = Validate(graph);
  report.problems.insert(report.problems.end(), found.begin(), found.end());
  AddShapeProblems(graph, &report.problems);
  report.warnings = Warnings(graph);
  report.loaded = std::move(loaded);
  return report;
}

JsonValue ToJson(const std::vector<std::string>& texts) {
  JsonValue::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

JsonValue ToJson(const std::vector<Diagnostic>& diagnostics) {
  JsonValue::Array array;
  for (const Diagnostic& d : diagnostics) {
    array.push_back(JsonValue::Object{{"node", d.node}, {"code", CodeName(d.code)}, {"message", d.message}});
  }
  return array;
}

JsonValue ToJson(const std::vector<SignatureTensor>& tensors) {
  JsonValue object{JsonValue::Object{}};
  for (const SignatureTensor& tensor : tensors) {
    JsonValue shape;
    if (!tensor.shape.unknown_rank()) {
      JsonValue::Array dims;
      for (const int64_t dim : tensor.shape.dim_sizes()) dims.push_back(dim < 0 ? JsonValue() : JsonValue(dim));
      shape = JsonValue(std::move(dims));
    }
    object.Set(tensor.key, JsonValue::Object{{"name", tensor.name}, {"dtype", NumpyName(tensor.dtype)}, {"shape", shape}});
  }
  return object;
}

JsonValue SignaturesToJson(const LoadedGraph& loaded) {
  JsonValue object{JsonValue::Object{}};
  for (const Signature& s : loaded.signatures) {
    object.Set(s.key, JsonValue::Object{{"method_name", s.method_name},
                                        {"inputs", ToJson(s.inputs)},
                                        {"outputs", ToJson(s.outputs)}});
  }
  return object;
}

JsonValue TagSetsToJson(const LoadedGraph& loaded) {
  JsonValue::Array array;
  for (const auto& tags : loaded.available_tags) array.push_back(ToJson(tags));
  return array;
}

JsonValue ToJson(const Report& report) {
  const Graph& graph = report.loaded.graph;
  JsonValue ops{JsonValue::Object{}};
  for (const auto& [op, count] : report.ops) ops.Set(op, count);
  JsonValue::Object object;
  object.emplace_back("format", GraphFormatName(report.loaded.format));
  object.emplace_back("nodes", graph.num_nodes());
  object.emplace_back("edges", report.data_edges + report.control_edges);
  object.emplace_back("data_edges", report.data_edges);
  object.emplace_back("control_edges", report.control_edges);
  object.emplace_back("functions", graph.library().function_size());
  object.emplace_back("ops", std::move(ops));
  object.emplace_back("inputs", ToJson(report.inputs));
  object.emplace_back("outputs", ToJson(report.outputs));
  object.emplace_back("versions", JsonValue::Object{{"producer", graph.versions().producer()},
                                                    {"min_consumer", graph.versions().min_consumer()}});
  object.emplace_back("unknown_ops", ToJson(report.unknown_ops));
  object.emplace_back("problems", ToJson(report.problems));
  object.emplace_back("warnings", ToJson(report.warnings));
  object.emplace_back("signatures", SignaturesToJson(report.loaded));
  object.emplace_back("tags", TagSetsToJson(report.loaded));
  return object;
}

// "a, b, c and 12 more": names of files are shown as they can be, never as they would act on a terminal.
std::string Listed(const std::vector<std::string>& names, size_t most = 12) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < names.size() && i < most; ++i) shown.push_back(Printable(names[i], 200));
  std::string text = Join(shown, ", ");
  if (names.size() > most) text += StrCat(" and ", names.size() - most, " more");
  return names.empty() ? "none" : text;
}

void Print(const std::vector<Diagnostic>& diagnostics, const char* title) {
  if (diagnostics.empty()) return;
  constexpr size_t kMost = 50;
  std::cout << title << "  " << diagnostics.size() << "\n";
  for (size_t i = 0; i < diagnostics.size() && i < kMost; ++i) {
    const Diagnostic& d = diagnostics[i];
    std::cout << "  " << (d.node.empty() ? "" : Printable(d.node, 200) + ": ");
    if (d.code != Code::kOk) std::cout << CodeName(d.code) << ": ";
    std::cout << Printable(d.message, 500) << "\n";
  }
  if (diagnostics.size() > kMost) std::cout << "  and " << diagnostics.size() - kMost << " more\n";
}

void PrintOps(const Report& report) {
  std::vector<std::pair<int64_t, std::string>> ops;
  for (const auto& [op, count] : report.ops) ops.emplace_back(-count, op);
  std::sort(ops.begin(), ops.end());
  std::vector<std::string> texts;
  for (const auto& [count, op] : ops) texts.push_back(StrCat(op, " ", -count));
  std::cout << "ops       " << Listed(texts, 40) << "\n";
}

void Print(const Report& report) {
  const Graph& graph = report.loaded.graph;
  std::cout << "format    " << GraphFormatName(report.loaded.format) << (report.loaded.gzip ? ", gzip" : "") << "\n"
            << "nodes     " << graph.num_nodes() << "\n"
            << "edges     " << report.data_edges + report.control_edges << " (" << report.data_edges << " data, "
            << report.control_edges << " control)\n";
  if (graph.library().function_size() > 0) std::cout << "functions " << graph.library().function_size() << "\n";
  std::cout << "versions  producer " << graph.versions().producer() << ", min_consumer "
            << graph.versions().min_consumer() << "\n"
            << "inputs    " << Listed(report.inputs) << "\n"
            << "outputs   " << Listed(report.outputs) << "\n";
  PrintOps(report);
  if (!report.unknown_ops.empty()) std::cout << "unknown   " << Listed(report.unknown_ops) << "\n";
  for (const Signature& s : report.loaded.signatures) {
    std::cout << "signature " << Printable(s.key, 200) << " (" << Printable(s.method_name, 200) << ")\n";
    for (const auto& [title, tensors] : {std::pair{"in", &s.inputs}, std::pair{"out", &s.outputs}}) {
      for (const SignatureTensor& t : *tensors) {
        std::cout << "  " << title << "  " << Printable(t.key, 200) << " = " << Printable(t.name, 200) << " "
                  << NumpyName(t.dtype) << " " << t.shape.DebugString() << "\n";
      }
    }
  }
  Print(report.problems, "problems");
  Print(report.warnings, "warnings");
}

Status Info(const Arguments& arguments) {
  LoadOptions options;
  options.tags = arguments.tags;
  OS_ASSIGN_OR_RETURN(LoadedGraph loaded, LoadGraph(arguments.file, options));
  const Report report = MakeReport(std::move(loaded));
  if (arguments.json) {
    std::cout << ToJson(report).ToString(true) << "\n";
  } else {
    Print(report);
  }
  return Status::OK();
}

}  // namespace

CommandFunction SetUpInfo(CLI::App* app) {
  auto arguments = std::make_shared<Arguments>();
  app->add_option("FILE", arguments->file, "A graph in any of TensorFlow's forms, or an OpScope document")->required();
  app->add_flag("--json", arguments->json, "One JSON document on standard output");
  app->add_option("--saved-model-tags", arguments->tags, "Tags of the MetaGraph to take from a SavedModel")->delimiter(',');
  return [arguments] { return Info(*arguments); };
}

}  // namespace opscope::cli
