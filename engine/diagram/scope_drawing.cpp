#include "engine/diagram/scope_drawing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/diagram/scene_builder.h"

namespace opscope {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
using Drawing = LayoutEngine::Drawing;

constexpr double kControlRoom = 16;    // above an item with control inputs, for the wire that comes to its diamond
constexpr double kLabelWidth = 6;      // of a character of a port's name
constexpr double kLabelInset = 13;     // window.md, section 4
constexpr double kLeastFrame = 160;    // room for a header

bool HasControlInput(const SceneItem& item) { return !item.inputs.empty() && item.inputs.back().control; }

/// Room that the names of an op's inputs need before it; half the rank gap is free anyway.
double LabelSpace(const SceneItem& item) {
  double space = 0;
  for (const ScenePort& port : item.inputs) {
    if (port.control || !port.connected || port.name.empty()) continue;
    space = std::max(space, kLabelInset + kLabelWidth * static_cast<double>(port.name.size()) + 8 - 24);
  }
  return std::ceil(space / kGrid) * kGrid;
}

/// An op or closed scope.
LayoutBox MakeBox(const SceneItem& item, bool turned) {
  LayoutBox box;
  const double room = HasControlInput(item) ? kControlRoom : 0;
  box.size = turned ? Size{item.rect.width + room, item.rect.height} : Size{item.rect.width, item.rect.height + room};
  for (const ScenePort& port : item.inputs) {
    box.inputs.push_back(port.control ? kControlRoom / 2 : room + (turned ? port.offset.x : port.offset.y));
  }
  for (const ScenePort& port : item.outputs) box.outputs.push_back(room + (turned ? port.offset.x : port.offset.y));
  const Point source = OutputOffset(item, -1, turned ? FlowDirection::kTopBottom : FlowDirection::kLeftRight);
  box.outputs.push_back(room + (turned ? source.x : source.y));  // the control source comes last
  box.label_space = LabelSpace(item);
  return box;
}

LayoutBox MakeFrame(const Drawing& drawing, bool turned) {
  LayoutBox box;
  box.size = drawing.size;
  for (const Point& p : drawing.entries) box.inputs.push_back(turned ? p.x : p.y);
  for (const Point& p : drawing.exits) box.outputs.push_back(turned ? p.x : p.y);
  return box;
}

int32_t BoxOf(const ScopeProblem& problem, const PieceEnd& end) {
  const auto children = static_cast<int32_t>(problem.children.size());
  switch (end.kind) {
    case PieceEnd::Kind::kChild: return end.index;
    case PieceEnd::Kind::kEntry: return children + end.index;
    case PieceEnd::Kind::kExit: return children + problem.num_entries + end.index;
  }
  return 0;
}

void Append(std::vector<Point>* route, Point p) {
  if (route->empty() || !(route->back() == p)) route->push_back(p);
}

/// Where the layout's drawing lies in the frame.
struct Inset {
  double left = 0, top = 0, right = 0, bottom = 0;
};

Inset InsetOf(const ScopeProblem& problem, bool turned) {
  if (problem.scope < 0) return {};
  Inset in{kScopePadding, kScopeHeader + kScopePadding, kScopePadding, kScopePadding};
  // Border points stand on the frame, and their rank gap is the padding.
  if (turned) {
    if (problem.num_entries > 0) in.top = kScopeHeader;
    if (problem.num_exits > 0) in.bottom = 0;
  } else {
    if (problem.num_entries > 0) in.left = 0;
    if (problem.num_exits > 0) in.right = 0;
  }
  return in;
}

void MeasureMargins(Drawing* d) {
  Rect inner;
  for (const Rect& r : d->children) inner = inner.United(r);
  d->margins = {inner.x, inner.y, d->size.width - inner.right(), d->size.height - inner.bottom()};
}

}  // namespace

LayoutInput MakeLayoutInput(const SceneSnapshot& scene, const ScopeProblem& problem,
                            const std::vector<const Drawing*>& inner) {
  const bool turned = scene.direction == FlowDirection::kTopBottom;
  LayoutInput input;
  for (std::size_t i = 0; i < problem.children.size(); ++i) {
    const SceneItem& item = scene.items[U(problem.children[i])];
    input.boxes.push_back(inner[i] != nullptr ? MakeFrame(*inner[i], turned) : MakeBox(item, turned));
  }
  for (int32_t i = 0; i < problem.num_entries + problem.num_exits; ++i) {
    LayoutBox box;
    box.role = i < problem.num_entries ? LayoutBox::Role::kEntry : LayoutBox::Role::kExit;
    input.boxes.push_back(box);
  }
  for (const WirePiece& piece : problem.pieces) {
    LayoutEdge edge;
    edge.from = BoxOf(problem, piece.from);
    edge.to = BoxOf(problem, piece.to);
    edge.from_port = piece.from.port;
    if (piece.from.kind == PieceEnd::Kind::kChild && piece.from.port < 0) {
      edge.from_port = static_cast<int32_t>(input.boxes[U(edge.from)].outputs.size()) - 1;
    }
    edge.to_port = piece.to.port;
    edge.control = piece.control;
    input.edges.push_back(edge);
  }
  return input;
}

Drawing DrawScope(const SceneSnapshot& scene, const ScopeProblem& problem, const LayoutInput& input,
                  const LayeredOptions& options, const std::stop_token& stop) {
  const bool turned = options.top_to_bottom;
  LayeredResult result = LayeredLayout(input, options, stop);
  Drawing d;
  if (result.cancelled) return d;
  d.draft_ms = result.draft_ms;
  d.refine_ms = result.refine_ms;
  const Inset in = InsetOf(problem, turned);
  d.size = {in.left + result.size.width + in.right, in.top + result.size.height + in.bottom};
  const double wider = problem.scope < 0 ? 0 : std::max(0.0, kLeastFrame - d.size.width);
  d.size.width += wider;
  const Point at{in.left, in.top};
  const std::size_t n = problem.children.size();
  for (std::size_t i = 0; i < n; ++i) {
    const SceneItem& item = scene.items[U(problem.children[i])];
    Rect r = result.boxes[i].Translated(at);
    const bool open = item.kind == ItemKind::kScope && !item.collapsed;
    if (!open && HasControlInput(item)) {
      r = turned ? Rect{r.x + kControlRoom, r.y, r.width - kControlRoom, r.height}
                 : Rect{r.x, r.y + kControlRoom, r.width, r.height - kControlRoom};
    }
    d.children.push_back(r);
  }
  for (int32_t i = 0; i < problem.num_entries; ++i) {
    const Rect& r = result.boxes[n + U(i)];
    d.entries.push_back(turned ? Point{r.x + at.x, 0} : Point{0, r.y + at.y});
  }
  for (int32_t i = 0; i < problem.num_exits; ++i) {
    const Rect& r = result.boxes[n + U(problem.num_entries + i)];
    d.exits.push_back(turned ? Point{r.x + at.x, d.size.height} : Point{d.size.width, r.y + at.y});
  }
  for (std::size_t k = 0; k < problem.pieces.size(); ++k) {
    const WirePiece& piece = problem.pieces[k];
    std::vector<Point> route;
    if (piece.from.kind == PieceEnd::Kind::kEntry) route.push_back(d.entries[U(piece.from.index)]);
    for (const Point& p : result.routes[k]) Append(&route, p + at);
    if (piece.to.kind == PieceEnd::Kind::kExit) {
      Append(&route, d.exits[U(piece.to.index)]);
    } else {
      const SceneItem& item = scene.items[U(problem.children[U(piece.to.index)])];
      const Rect& r = d.children[U(piece.to.index)];
      const auto port = static_cast<std::size_t>(piece.to.port);
      if (item.kind != ItemKind::kScope || item.collapsed) {
        if (piece.to.port >= 0 && port < item.inputs.size() && item.inputs[port].control) {
          const Point end = r.top_left() + item.inputs[port].offset;
          Append(&route, turned ? Point{route.back().x, end.y} : Point{end.x, route.back().y});
          Append(&route, end);
        }
      }
    }
    d.pieces.push_back(std::move(route));
  }
  MeasureMargins(&d);
  return d;
}

uint64_t Fingerprint(const LayoutInput& input, const LayeredOptions& options) {
  uint64_t h = 0x243f6a8885a308d3ull;
  const auto mix = [&h](uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  const auto real = [&](double v) { mix(std::bit_cast<uint64_t>(v)); };
  for (double v : {options.node_gap, options.rank_gap, options.track_gap, options.refine_seconds}) real(v);
  mix(options.top_to_bottom * 4u + options.orthogonal * 2u + options.fold);
  mix(input.boxes.size());
  for (const LayoutBox& b : input.boxes) {
    real(b.size.width);
    real(b.size.height);
    real(b.label_space);
    mix(static_cast<uint64_t>(b.role) + b.inputs.size() * 4);
    for (double v : b.inputs) real(v);
    for (double v : b.outputs) real(v);
  }
  for (const LayoutEdge& e : input.edges) {
    mix(uint64_t{static_cast<uint32_t>(e.from)} << 32 | static_cast<uint32_t>(e.to));
    mix(uint64_t{static_cast<uint32_t>(e.from_port)} << 32 | static_cast<uint32_t>(e.to_port));
    mix(e.control);
  }
  return h;
}

}  // namespace opscope
