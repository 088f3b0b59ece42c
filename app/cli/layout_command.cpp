#include "app/cli/layout_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/layout_writer.h"
#include "engine/base/text.h"
#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/layered_layout.h"
#include "engine/diagram/layout_engine.h"
#include "engine/diagram/scene_model.h"
#include "engine/graph/graph_io.h"

namespace opscope::cli {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

constexpr double kLargestSide = 1e6;

/// For comparisons with other programs: as wide as the label wants.
Size LabelSize(std::string_view name) {
  return {std::clamp(20 + 7 * static_cast<double>(LastPart(name).size()), 60.0, 180.0), 36};
}

/// Every box gets the size that was asked for, with its ports spread along its sides.
void Resize(const LayoutArguments& arguments, SceneSnapshot* scene) {
  if (!arguments.label_sizes && !arguments.node_size) return;
  const bool turned = scene->direction == FlowDirection::kTopBottom;
  for (SceneItem& item : scene->items) {
    if (item.kind == ItemKind::kScope && !item.collapsed) continue;
    const Size size = arguments.label_sizes ? LabelSize(item.name) : *arguments.node_size;
    item.rect.width = size.width;
    item.rect.height = size.height;
    const double side = turned ? size.width : size.height;
    const auto spread = [&](std::vector<ScenePort>* ports, double across) {
      std::size_t data = ports->size();
      if (data > 0 && ports->back().control) --data;
      for (std::size_t i = 0; i < data; ++i) {
        const double at = side * (static_cast<double>(i) + 1) / (static_cast<double>(data) + 1);
        (*ports)[i].offset = turned ? Point{at, across} : Point{across, at};
      }
    };
    spread(&item.inputs, 0);
    spread(&item.outputs, turned ? size.height : size.width);
  }
}

struct FlatEdge {
  NodeId from;
  NodeId to;
};

/// No scopes: one box a node, one wire an edge, from mid-side to mid-side.
Status WriteFlat(const Graph& graph, const LayoutArguments& arguments, std::ostream& out) {
  LayoutInput input;
  std::vector<NodeId> ids = graph.NodeIds();
  std::vector<int32_t> box_of(graph.num_ids(), -1);
  const Hierarchy hierarchy(graph);
  SceneModel model;
  const auto scene = model.Rebuild(graph, hierarchy, Diagram(), EstimatedLabelMeter());
  for (NodeId id : ids) {
    box_of[id.index()] = static_cast<int32_t>(input.boxes.size());
    LayoutBox box;
    const std::string& name = graph.node(id).name();
    const int32_t item = scene->FindOp(name);
    box.size = arguments.label_sizes ? LabelSize(name)
               : arguments.node_size ? *arguments.node_size
               : item >= 0           ? scene->items[U(item)].rect.size()
                                     : Size{176, kNodeHeight};
    input.boxes.push_back(std::move(box));
  }
  std::vector<FlatEdge> edges;
  for (NodeId id : ids) {
    for (const InEdge& e : graph.node(id).in_edges) {
      LayoutEdge edge;
      edge.from = box_of[e.src.index()];
      edge.to = box_of[id.index()];
      edge.control = e.dst_input == TensorId::kControlSlot;
      input.edges.push_back(edge);
      edges.push_back({e.src, id});
    }
  }
  LayeredOptions options;
  options.top_to_bottom = arguments.top_to_bottom;
  options.node_gap = arguments.node_gap;
  options.rank_gap = arguments.rank_gap;
  options.refine_seconds = arguments.refine_seconds;
  options.orthogonal = false;
  options.max_dummies = 300'000;
  const LayeredResult result = LayeredLayout(input, options);
  LayoutDocument document;
  document.draft_ms = result.draft_ms;
  document.refine_ms = result.refine_ms;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    document.nodes.push_back({graph.node(ids[i]).name(), ItemKind::kOp, result.boxes[i], false});
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    document.edges.push_back({graph.node(edges[e].from).name(), graph.node(edges[e].to).name(), result.routes[e]});
  }
  Write(document, arguments.json, out);
  return Status();
}

Status OpenScopes(const Hierarchy& hierarchy, const LayoutArguments& arguments, Diagram* diagram) {
  diagram->set_default_collapsed(!arguments.expand_all);
  for (const std::string& name : arguments.expand) {
    const ScopeId scope = hierarchy.Find(name);
    if (!scope.valid()) return errors::NotFound("--expand: the graph has no scope '", Printable(name), "'");
    for (ScopeId s = scope; s.valid(); s = hierarchy.scope(s).parent) {
      diagram->SetCollapsed(hierarchy.scope(s).name, false);
    }
  }
  return Status();
}

}  // namespace

void LayoutArguments::SetExpand(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "all") {
      expand_all = true;
    } else if (word != "none") {
      expand.push_back(word.ends_with('/') && word.size() > 1 ? word.substr(0, word.size() - 1) : word);
    }
  }
}

Status LayoutArguments::SetDirection(const std::string& word) {
  if (word != "LR" && word != "TB") {
    return UsageError(StrCat("--direction: '", Printable(word), "' is neither LR nor TB"));
  }
  top_to_bottom = word == "TB";
  return Status();
}

Status LayoutArguments::SetNodeSize(const std::string& word) {
  if (word == "label") {
    label_sizes = true;
    return Status();
  }
  const std::size_t x = word.find('x');
  Size size;
  const bool ok = x != std::string::npos && ParseDouble(word.substr(0, x), &size.width) &&
                  ParseDouble(word.substr(x + 1), &size.height) && size.width > 0 && size.height > 0 &&
                  size.width <= kLargestSide && size.height <= kLargestSide;
  if (!ok) return UsageError(StrCat("--node-size: '", Printable(word), "' is neither WIDTHxHEIGHT nor label"));
  node_size = size;
  return Status();
}

Status LayoutArguments::SetGaps(const std::string& word) {
  const std::size_t comma = word.find(',');
  const bool ok = comma != std::string::npos && ParseDouble(word.substr(0, comma), &node_gap) &&
                  ParseDouble(word.substr(comma + 1), &rank_gap) && node_gap >= 0 && rank_gap >= 0 &&
                  node_gap <= kLargestSide && rank_gap <= kLargestSide;
  if (!ok) return UsageError(StrCat("--gaps: '", Printable(word), "' is not NODE,RANK"));
  return Status();
}

Status LayoutArguments::SetRefine(double seconds) {
  if (!(seconds >= 0 && seconds <= 3600)) return UsageError("--refine: not between 0 and 3600 seconds");
  refine_seconds = seconds;
  return Status();
}

Status WriteLayout(const Graph& graph, const LayoutArguments& arguments, std::ostream& out) {
  if (arguments.flat) return WriteFlat(graph, arguments, out);
  const Hierarchy hierarchy(graph);
  Diagram diagram;
  diagram.set_direction(arguments.top_to_bottom ? FlowDirection::kTopBottom : FlowDirection::kLeftRight);
  OS_RETURN_IF_ERROR(OpenScopes(hierarchy, arguments, &diagram));
  SceneModel model;
  const auto shown = model.Rebuild(graph, hierarchy, diagram, EstimatedLabelMeter());
  SceneSnapshot scene = *shown;
  Resize(arguments, &scene);
  LayoutOptions options;
  options.node_gap = arguments.node_gap;
  options.rank_gap = arguments.rank_gap;
  options.refine_seconds = arguments.refine_seconds;
  LayoutEngine engine;
  OS_ASSIGN_OR_RETURN(const LayoutAnswer answer, engine.LayoutAll(scene, options));
  LayoutDocument document;
  document.draft_ms = answer.draft_ms;
  document.refine_ms = answer.refine_ms;
  for (const LayoutAnswer::Place& place : answer.places) {
    const SceneItem& item = scene.items[U(place.item)];
    const Rect rect{place.position.x, place.position.y, place.size.width, place.size.height};
    document.nodes.push_back({item.name, item.kind, rect, item.collapsed});
  }
  for (const SceneEdge& edge : scene.edges) {
    const SceneItem& from = scene.items[U(edge.from)];
    const SceneItem& to = scene.items[U(edge.to)];
    const LayoutRoutes::Key key{from.id.value, to.id.value, edge.from_port, edge.to_port,
                                static_cast<uint8_t>(edge.kind)};
    const auto route = answer.routes->wires.find(key);
    document.edges.push_back({from.name, to.name, route == answer.routes->wires.end() ? edge.points : route->second.points});
  }
  Write(document, arguments.json, out);
  return Status();
}

/// The texts of the options, as they come.
struct LayoutWords {
  std::vector<std::string> expand;
  std::string direction = "LR";
  std::string node_size;
  std::string gaps;
  double refine = 0;
};

Status RunLayout(LayoutArguments arguments, LayoutWords words) {
  // "--expand SCOPE… FILE" takes the file for a scope.
  if (arguments.file.empty() && !words.expand.empty()) {
    arguments.file = words.expand.back();
    words.expand.pop_back();
  }
  if (arguments.file.empty()) return UsageError("layout: FILE is missing");
  arguments.SetExpand(words.expand);
  OS_RETURN_IF_ERROR(arguments.SetDirection(words.direction));
  if (!words.node_size.empty()) OS_RETURN_IF_ERROR(arguments.SetNodeSize(words.node_size));
  if (!words.gaps.empty()) OS_RETURN_IF_ERROR(arguments.SetGaps(words.gaps));
  OS_RETURN_IF_ERROR(arguments.SetRefine(words.refine));
  OS_ASSIGN_OR_RETURN(const LoadedGraph loaded, LoadGraph(arguments.file, LoadOptions()));
  const Status status = WriteLayout(loaded.graph, arguments, std::cout);
  return status.ok() ? status : status.Prepend(arguments.file + ": ");
}

CommandFunction SetUpLayout(CLI::App* app) {
  auto arguments = std::make_shared<LayoutArguments>();
  auto words = std::make_shared<LayoutWords>();
  app->add_option("FILE", arguments->file, "A graph in any of TensorFlow's forms, or an OpScope document");
  app->add_flag("--json", arguments->json, "One JSON document on standard output");
  app->add_option("--expand", words->expand, "Scopes to open: all, none (default) or their names")->expected(1, -1);
  app->add_flag("--flat", arguments->flat, "No scopes: every node and every edge");
  app->add_option("--direction", words->direction, "LR (left to right, default) or TB (top to bottom)");
  app->add_option("--node-size", words->node_size, "WIDTHxHEIGHT of every box, or label");
  app->add_option("--gaps", words->gaps, "NODE,RANK: between boxes of a rank, and between ranks");
  app->add_option("--refine", words->refine, "Seconds to spend on fewer crossings");
  return [arguments, words] { return RunLayout(*arguments, *words); };
}

}  // namespace opscope::cli
