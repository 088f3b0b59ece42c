#include "engine/diagram/scene_builder.h"

#include <algorithm>

#include "engine/base/status.h"

namespace opscope {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

std::string TitleOf(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == name.size()) return std::string(name);
  return std::string(name.substr(slash + 1));
}

/// visual.md, rule 1: one of four widths, never a scaled text.
double WidthFor(double text) {
  constexpr double kInset = 24;
  for (double width : {120.0, 176.0, 232.0}) {
    if (text + kInset <= width) return width;
  }
  return 288;
}

/// Offset of port i of n along a side (window.md, section 4).
double PortOffset(int i, std::size_t n, double side) {
  if (n == 1) return side / 2;
  if (n == 2 && side == kNodeHeight) return i == 0 ? 16 : 32;
  return kPortMargin + (side - 2 * kPortMargin) * i / static_cast<double>(n - 1);
}

std::size_t DataPorts(const std::vector<ScenePort>& ports) {
  std::size_t n = ports.size();
  while (n > 0 && ports[n - 1].control) --n;
  return n;
}

}  // namespace

Point OutputOffset(const SceneItem& item, int32_t port, FlowDirection direction) {
  if (port >= 0 && U(port) < item.outputs.size()) return item.outputs[U(port)].offset;
  const bool middle = item.outputs.empty();
  if (direction == FlowDirection::kTopBottom) {
    return {middle ? item.rect.width / 2 : item.rect.width - 8, item.rect.height};
  }
  return {item.rect.width, middle ? item.rect.height / 2 : item.rect.height - 8};
}

Point InputOffset(const SceneItem& item, int32_t port) {
  if (port >= 0 && U(port) < item.inputs.size()) return item.inputs[U(port)].offset;
  return {0, item.rect.height / 2};
}

bool SceneBuilder::IsClosed(const Scope& scope) const {
  return scope.depth > kMaxOpenDepth || diagram_.IsCollapsed(scope.name);
}

void SceneBuilder::AddOp(NodeId id, int32_t parent, int32_t depth) {
  const Node& node = graph_.node(id);
  item_of_[id.index()] = static_cast<int32_t>(out_->items.size());
  SceneItem item;
  item.id = ItemId{id.value};
  item.node = id;
  item.parent = parent;
  item.depth = depth;
  item.name = node.name();
  item.title = TitleOf(node.name());
  item.subtitle = node.op();
  if (graph_.Find(item.name) != id) item.place_name = StrCat(item.name, '\x01', id.value);
  item.pinned = diagram_.IsPinned(item.DiagramName(), false);
  ports_.Fill(id, &item.inputs, &item.outputs);
  out_->items.push_back(std::move(item));
  scope_of_item_.emplace_back();
}

int32_t SceneBuilder::AddScope(ScopeId id, int32_t parent, int32_t depth) {
  const Scope& scope = hierarchy_.scope(id);
  const auto index = static_cast<int32_t>(out_->items.size());
  SceneItem item;
  item.kind = ItemKind::kScope;
  item.name = scope.name;
  item.id = model_->ScopeItem(item.name);
  item.parent = parent;
  item.depth = depth;
  item.title = scope.label.empty() ? item.name : std::string(scope.label);
  item.op_count = scope.op_count;
  item.scope_count = scope.scope_count;
  item.collapsed = IsClosed(scope);
  if (item.collapsed) item.composite = diagram_.Composite(item.name);
  item.subtitle = item.composite;
  if (item.composite.empty()) item.subtitle = std::to_string(scope.op_count) + (scope.op_count == 1 ? " op" : " ops");
  item.pinned = diagram_.IsPinned(item.name, true);
  if (item.collapsed) {
    for (NodeId op : hierarchy_.OpsInside(id)) item_of_[op.index()] = index;
  }
  out_->items.push_back(std::move(item));
  scope_of_item_.push_back(id);
  return index;
}

void SceneBuilder::AddItems() {
  item_of_.assign(graph_.num_ids(), -1);
  struct Open {
    ScopeId scope;
    int32_t parent;
    int32_t depth;
  };
  std::vector<Open> pending{{hierarchy_.root(), -1, 0}};
  while (!pending.empty()) {
    const Open open = pending.back();
    pending.pop_back();
    const Scope& scope = hierarchy_.scope(open.scope);
    int32_t self = open.parent;
    int32_t depth = open.depth;
    if (open.scope != hierarchy_.root()) {
      self = AddScope(open.scope, open.parent, open.depth);
      ++depth;
      if (out_->items.back().collapsed) continue;
    }
    for (NodeId op : scope.ops) {
      if (graph_.has(op)) AddOp(op, self, depth);
    }
    for (auto it = scope.scopes.rbegin(); it != scope.scopes.rend(); ++it) pending.push_back({*it, self, depth});
  }
}

SceneEdge* SceneBuilder::EdgeBetween(int32_t from, int32_t to, int32_t from_port, int32_t to_port,
                                     SceneEdgeKind kind) {
  const EdgeKey key{uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to),
                    (uint64_t{static_cast<uint32_t>(from_port)} << 32 | static_cast<uint32_t>(to_port)) * 4 +
                        static_cast<uint64_t>(kind)};
  const auto [it, fresh] = edge_index_.emplace(key, static_cast<int32_t>(out_->edges.size()));
  if (!fresh) {
    SceneEdge& edge = out_->edges[U(it->second)];
    ++edge.count;
    return nullptr;
  }
  out_->edges.emplace_back();
  SceneEdge& edge = out_->edges.back();
  edge.from = from;
  edge.to = to;
  edge.kind = kind;
  return &edge;
}

void SceneBuilder::AddEdge(NodeId reader, const InEdge& in) {
  const int32_t from = item_of_[in.src.index()];
  const int32_t to = item_of_[reader.index()];
  if (from < 0 || to < 0) return;
  SceneItem& source = out_->items[U(from)];
  SceneItem& target = out_->items[U(to)];
  const bool bundle = source.kind != ItemKind::kOp || target.kind != ItemKind::kOp;
  if (from == to && bundle) return;  // inside a closed scope
  const bool control = in.dst_input == TensorId::kControlSlot || in.src_output == TensorId::kControlSlot;
  const SceneEdgeKind kind = control                                      ? SceneEdgeKind::kControl
                             : ports_.IsRefOutput(in.src, in.src_output) ? SceneEdgeKind::kRef
                                                                          : SceneEdgeKind::kData;
  int32_t from_port = control ? -1 : std::min(in.src_output, static_cast<int32_t>(source.outputs.size()) - 1);
  int32_t to_port = control ? -1 : in.dst_input;
  if (source.kind != ItemKind::kOp) from_port = control ? -1 : 0;
  if (target.kind != ItemKind::kOp) to_port = control ? -1 : 0;
  SceneEdge* edge = EdgeBetween(from, to, bundle ? 0 : from_port, bundle ? 0 : to_port, kind);
  if (edge == nullptr) {
    if (bundle) {
      SceneEdge& first = out_->edges[U(edge_index_.at(
          {uint64_t{static_cast<uint32_t>(from)} << 32 | static_cast<uint32_t>(to), static_cast<uint64_t>(kind)}))];
      if (first.from_output != in.src_output || first.from_node != in.src) first.from_output = -1;
      if (first.to_input != in.dst_input || first.to_node != reader) first.to_input = -1;
    }
    return;
  }
  edge->from_node = in.src;
  edge->to_node = reader;
  edge->from_output = control ? -1 : in.src_output;
  edge->to_input = control ? -1 : in.dst_input;
  edge->from_port = from_port;
  edge->to_port = to_port;
  if (source.kind == ItemKind::kOp && from_port >= 0) source.outputs[U(from_port)].connected = true;
  if (target.kind == ItemKind::kOp && to_port >= 0 && U(to_port) < target.inputs.size()) {
    target.inputs[U(to_port)].connected = true;
  }
}

void SceneBuilder::AddEdges() {
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    for (const InEdge& in : node.in_edges) AddEdge(id, in);
  });
  SetScopePorts();
}

/// Closed scopes have one port for data in and one for data out; control inputs end at a diamond, which comes last.
void SceneBuilder::SetScopePorts() {
  const auto closed = [&](const SceneItem& item) { return item.kind != ItemKind::kOp && item.collapsed; };
  for (SceneItem& item : out_->items) {
    if (closed(item) && !item.composite.empty()) SetCompositeOutput(&item);
  }
  for (const SceneEdge& edge : out_->edges) {
    SceneItem& source = out_->items[U(edge.from)];
    SceneItem& target = out_->items[U(edge.to)];
    if (closed(source) && edge.from_port == 0) {
      if (source.outputs.empty()) source.outputs.emplace_back();
      source.outputs[0].connected = true;
      source.outputs[0].ref |= edge.kind == SceneEdgeKind::kRef;
    }
    if (closed(target) && edge.to_port == 0 && target.inputs.empty()) {
      target.inputs.emplace_back();
      target.inputs[0].connected = true;
    }
  }
  for (SceneEdge& edge : out_->edges) {
    if (edge.kind != SceneEdgeKind::kControl) continue;
    auto& inputs = out_->items[U(edge.to)].inputs;
    if (inputs.empty() || !inputs.back().control) {
      ScenePort port;
      port.control = true;
      port.connected = true;
      port.node = out_->items[U(edge.to)].node;
      inputs.push_back(std::move(port));
    }
    edge.to_port = static_cast<int32_t>(inputs.size()) - 1;
  }
}

/// A variable that is one thing: what is wired from it is its value, or its reference where it has no read op.
void SceneBuilder::SetCompositeOutput(SceneItem* item) {
  ScenePort port;
  port.node = graph_.Find(item->name + "/read");
  if (!port.node.valid()) port.node = graph_.Find(item->name);
  port.index = 0;
  item->outputs.push_back(std::move(port));
}

void SceneBuilder::SetSize(SceneItem* item) {
  const bool turned = out_->direction == FlowDirection::kTopBottom;
  const std::size_t in = DataPorts(item->inputs);
  const std::size_t out = item->outputs.size();
  const std::size_t most = std::max(in, out);
  // Beside the op type stands a value or shape, beside a variable's name its state.
  constexpr double kFigure = 44, kState = 88;
  const bool op = item->kind == ItemKind::kOp || !item->composite.empty();
  const double text = std::max(meter_.Width(item->title) + (item->composite.empty() ? 0 : kState),
                               meter_.Width(item->subtitle) + (op ? kFigure : 0));
  Rect& r = item->rect;
  r.width = WidthFor(text);
  r.height = kNodeHeight;
  if (turned) {
    if (most > 2) r.width = std::max(r.width, 2 * kPortMargin + 16 * static_cast<double>(most - 1));
  } else if (most > 2) {
    r.height = kNodeHeight + kNodeHeightPerExtraPort * static_cast<double>(most - 2);
  }
  const double side = turned ? r.width : r.height;
  for (std::size_t i = 0; i < item->inputs.size(); ++i) {
    ScenePort& port = item->inputs[i];
    if (port.control) {
      port.offset = turned ? Point{0, kPortMargin} : Point{kPortMargin, 0};
    } else {
      const double at = PortOffset(static_cast<int>(i), in, side);
      port.offset = turned ? Point{at, 0} : Point{0, at};
    }
  }
  for (std::size_t i = 0; i < out; ++i) {
    const double at = PortOffset(static_cast<int>(i), out, side);
    item->outputs[i].offset = turned ? Point{at, r.height} : Point{r.width, at};
  }
}

void SceneBuilder::IndexItems() {
  SceneSnapshot& s = *out_;
  for (std::size_t i = 0; i < s.items.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    s.by_id_.emplace(s.items[i].id.value, index);
    (s.items[i].kind == ItemKind::kOp ? s.ops_by_name_ : s.scopes_by_name_).emplace(s.items[i].name, index);
  }
}

std::shared_ptr<SceneSnapshot> SceneBuilder::Build() {
  out_ = std::make_shared<SceneSnapshot>();
  out_->direction = diagram_.direction();
  out_->frames = diagram_.frames();
  AddItems();
  AddEdges();
  for (SceneItem& item : out_->items) {
    if (item.kind == ItemKind::kOp || item.collapsed) SetSize(&item);
  }
  PlaceItems();
  RouteEdges();
  MeasureBounds();
  IndexItems();
  return out_;
}

}  // namespace opscope
