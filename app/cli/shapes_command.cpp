// `opscope-cli shapes FILE [--json]`: type and shape of every output, as far as they can be told without running.

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/command.h"
#include "engine/base/text.h"
#include "engine/graph/graph_io.h"
#include "engine/graph/shape_refiner.h"
#include "engine/io/json.h"

namespace opscope::cli {
namespace {

struct Arguments {
  std::string file;
  bool json = false;
  std::vector<std::string> tags;
};

JsonValue ShapeToJson(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return JsonValue();
  JsonValue::Array dims;
  for (const int64_t dim : shape.dim_sizes()) dims.push_back(dim < 0 ? JsonValue() : JsonValue(dim));
  return dims;
}

// Of names that occur twice the first is told: that one is what inputs mean.
template <typename F>
void ForEachOutput(const Graph& graph, const ShapeRefiner& shapes, F&& f) {
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (graph.Find(node.name()) != id) return;
    for (int i = 0; i < shapes.num_outputs(id); ++i) {
      f(StrCat(node.name(), ":", i), shapes.dtype(id, i), shapes.shape(id, i));
    }
  });
}

void PrintJson(const Graph& graph, const ShapeRefiner& shapes) {
  JsonValue::Object object;
  ForEachOutput(graph, shapes, [&](std::string name, DataType dtype, const PartialTensorShape& shape) {
    JsonValue type = dtype == DT_INVALID ? JsonValue() : JsonValue(NumpyName(dtype));
    object.emplace_back(std::move(name), JsonValue::Object{{"dtype", std::move(type)}, {"shape", ShapeToJson(shape)}});
  });
  std::cout << JsonValue(std::move(object)).ToString(true) << "\n";
}

void PrintText(const Graph& graph, const ShapeRefiner& shapes) {
  ForEachOutput(graph, shapes, [&](const std::string& name, DataType dtype, const PartialTensorShape& shape) {
    std::cout << Printable(name) << "  " << (dtype == DT_INVALID ? "?" : NumpyName(dtype)) << "  "
              << (shape.unknown_rank() ? "?" : shape.DebugString()) << "\n";
  });
}

Status Shapes(const Arguments& arguments) {
  LoadOptions options;
  options.tags = arguments.tags;
  OS_ASSIGN_OR_RETURN(const LoadedGraph loaded, LoadGraph(arguments.file, options));
  ShapeRefiner shapes;
  shapes.Refine(loaded.graph);
  if (arguments.json) {
    PrintJson(loaded.graph, shapes);
  } else {
    PrintText(loaded.graph, shapes);
  }
  for (const Diagnostic& d : shapes.diagnostics()) {
    std::cerr << "warning: " << Printable(d.node, 200) << ": " << CodeName(d.code) << ": " << Printable(d.message, 500)
              << "\n";
  }
  return Status::OK();
}

}  // namespace

CommandFunction SetUpShapes(CLI::App* app) {
  auto arguments = std::make_shared<Arguments>();
  app->add_option("FILE", arguments->file, "A graph in any of TensorFlow's forms, or an OpScope document")->required();
  app->add_flag("--json", arguments->json, "One JSON document on standard output");
  app->add_option("--saved-model-tags", arguments->tags, "Tags of the MetaGraph to take from a SavedModel")->delimiter(',');
  return [arguments] { return Shapes(*arguments); };
}

}  // namespace opscope::cli
