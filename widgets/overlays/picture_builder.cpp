#include "widgets/overlays/picture_builder.h"

#include <algorithm>

#include <QCoreApplication>

#include "widgets/overlays/overlay_format.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Overlay", text); }

bool isOpenScope(const SceneItem& item) { return item.kind == ItemKind::kScope && !item.collapsed; }

QString range(int first, int last) {
  if (first == 0) return {};
  return first == last ? QString::number(first) : QString::number(first) + QChar(0x2013) + QString::number(last);
}

void widen(int value, int& first, int& last) {
  if (value == 0) return;
  first = first == 0 ? value : std::min(first, value);
  last = std::max(last, value);
}

}  // namespace

PictureBuilder::PictureBuilder(const OverlayInput& input, const OpFactsTable& facts, OverlayKind kind, const ThemeColors& colors)
    : input_(input), facts_(facts), kind_(kind), colors_(colors), out_(std::make_shared<OverlayPicture>()) {}

std::shared_ptr<const OverlayPicture> PictureBuilder::build() {
  out_->kind = kind_;
  out_->runShown = facts_.runShown;
  if (!input_.scene || input_.graph == nullptr) return out_;
  out_->items.resize(input_.scene->items.size());
  sumUp();
  for (size_t i = 0; i < out_->items.size(); ++i) describe(i);
  buildScale();
  for (size_t i = 0; i < out_->items.size(); ++i) dress(i);
  buildEdges();
  buildLegend();
  return out_;
}

void PictureBuilder::add(Sums& sums, NodeId id, const OpFacts& facts) {
  ++sums.ops;
  sums.planned += facts.planned ? 1 : 0;
  sums.moved += facts.moved ? 1 : 0;
  switch (facts.mark) {
    case RunMark::kDone: ++sums.done; break;
    case RunMark::kFailed: ++sums.failed; break;
    case RunMark::kCurrent: ++sums.current; break;
    case RunMark::kReady: ++sums.ready; break;
    case RunMark::kPending: ++sums.pending; break;
    case RunMark::kNone:
    case RunMark::kNotRun: break;
  }
  if (facts.ns >= 0) sums.ns = std::max<int64_t>(sums.ns, 0) + facts.ns;
  if (facts.bytes >= 0) sums.bytes = std::max<int64_t>(sums.bytes, 0) + facts.bytes;
  if (facts.bad >= 0) {
    sums.healthKnown = true;
    sums.bad += facts.bad;
  }
  widen(facts.order, sums.firstOrder, sums.lastOrder);
  widen(facts.topo, sums.firstTopo, sums.lastTopo);
  if (facts.device >= 0) ++sums.devices[facts.device];
  if (const auto it = facts_.problems.find(id.value); it != facts_.problems.end() && sums.problem == nullptr) sums.problem = it->second;
  if (facts.mark == RunMark::kFailed) sums.failure = input_.failure;
}

void PictureBuilder::sumUp() {
  sums_.resize(out_->items.size());
  input_.graph->ForEachNode([&](NodeId id, const Node& node) {
    const OpFacts& facts = facts_.ops[id.index()];
    // The item that shows the op, and every open scope around it.
    for (int32_t i = input_.scene->FindVisible(node.name()); i >= 0; i = input_.scene->items[static_cast<size_t>(i)].parent) {
      add(sums_[static_cast<size_t>(i)], id, facts);
    }
  });
}

NodeId PictureBuilder::mainNode(const SceneItem& item) const {
  if (item.kind == ItemKind::kOp) return item.node;
  if (item.composite.empty()) return {};
  // A composite is named like the op that holds it ("W" with "W/read", "W/Assign").
  return input_.graph->Find(item.name);
}

void PictureBuilder::describe(size_t index) {
  const SceneItem& item = input_.scene->items[index];
  ItemOverlay& over = out_->items[index];
  const Sums& sums = sums_[index];
  over.order = range(sums.firstOrder, sums.lastOrder);
  over.topo = range(sums.firstTopo, sums.lastTopo);
  if (sums.ns >= 0) over.time = durationText(sums.ns);
  if (sums.bytes >= 0) over.memory = bytesText(sums.bytes);
  if (sums.healthKnown) over.health = sums.bad == 0 ? tr("ok") : QString::number(sums.bad) + QLatin1Char(' ') + tr("NaN/Inf");
  if (sums.devices.size() == 1) {
    over.device = shortDevice(facts_.devices[static_cast<size_t>(sums.devices.begin()->first)]);
  } else if (sums.devices.size() > 1) {
    over.device = tr("%1 devices").arg(sums.devices.size());
  }
  setMark(sums, over);
  if (sums.problem != nullptr) {
    over.problem = true;
    over.error = toQString(sums.problem->message);
  }
  if (!sums.failure.isEmpty()) over.error = sums.failure;
  const NodeId main = mainNode(item);
  if (main.valid() && input_.graph->has(main)) {
    describeOp(item, main, over);
  } else {
    describeScope(item, sums, over);
  }
  setState(over);
}

void PictureBuilder::setMark(const Sums& sums, ItemOverlay& over) const {
  if (sums.failed > 0) {
    over.mark = RunMark::kFailed;
  } else if (!facts_.runShown) {
    over.mark = RunMark::kNone;
  } else if (sums.current > 0) {
    over.mark = RunMark::kCurrent;
  } else if (sums.ready > 0 && sums.done == 0) {
    over.mark = RunMark::kReady;
  } else if (sums.done > 0) {
    over.mark = RunMark::kDone;
  } else if (sums.pending > 0) {
    over.mark = RunMark::kPending;
  } else {
    over.mark = input_.stale ? RunMark::kNone : RunMark::kNotRun;
  }
}

void PictureBuilder::describeOp(const SceneItem& item, NodeId id, ItemOverlay& over) {
  const Node& node = input_.graph->node(id);
  const OpFacts& facts = facts_.ops[id.index()];
  if (id.index() < input_.types.size()) {
    const InferredType& type = input_.types[id.index()];
    over.type = typeText(type.dtype, type.shape);
  }
  if (facts.output != nullptr) {
    const TensorSummary& summary = facts.output->summary;
    if (summary.shape) over.type = typeText(NumpyName(summary.dtype), shapeText(*summary.shape));
    if (facts.value != nullptr) over.value = *facts.value;
  }
  if (over.value.isEmpty() && node.op() == "Const") {
    const auto it = node.def.attr().find("value");
    if (it != node.def.attr().end() && it->second.has_tensor()) over.value = constantText(it->second.tensor());
  }
  if (const auto it = input_.feeds.find(node.name() + ":0"); it != input_.feeds.end()) {
    if (over.value.isEmpty()) over.value = feedText(it->second);
    // What is fed has its value without having run.
    if (over.mark == RunMark::kNotRun || over.mark == RunMark::kPending) {
      over.mark = RunMark::kDone;
      over.state = tr("fed");
      over.stateTone = Tone::kOk;
    }
  }
  over.figure = over.value.isEmpty() ? over.type : over.value;
  over.figureStrong = !over.value.isEmpty();
  if (const auto it = input_.breakpoints.find(node.name()); it != input_.breakpoints.end()) {
    over.breakpoint = it->second.enabled ? BreakpointMark::kOn : BreakpointMark::kOff;
    over.breakpointText = it->second.condition;
  }
  describeVariable(item, over);
  if (node.op().starts_with("Placeholder") && node.out_edges.empty()) over.note = tr("not read by any node");
  if (facts.mark == RunMark::kCurrent && input_.active && node.name() == input_.current) over.flag = tr("paused here");
}

void PictureBuilder::describeVariable(const SceneItem& item, ItemOverlay& over) {
  const auto it = input_.variables.find(item.name);
  if (it == input_.variables.end()) return;
  if (it->second == VariableState::kUninitialised) {
    over.state = tr("not initialised");
    over.stateTone = Tone::kWarn;
  } else if (it->second == VariableState::kInitialised) {
    over.state = tr("initialised");
    over.stateTone = Tone::kOk;
  }
}

void PictureBuilder::describeScope(const SceneItem&, const Sums& sums, ItemOverlay& over) {
  if (sums.ns > 0) over.figure = over.time;
}

void PictureBuilder::setState(ItemOverlay& over) const {
  switch (over.mark) {
    case RunMark::kFailed:
      over.state = tr("failed");
      over.stateTone = Tone::kError;
      break;
    case RunMark::kReady:
      over.state = tr("ready");
      over.stateTone = Tone::kAccent;
      break;
    case RunMark::kNotRun:
    case RunMark::kPending:
      if (over.state.isEmpty()) over.state = tr("not run");
      break;
    case RunMark::kNone:
    case RunMark::kDone:
    case RunMark::kCurrent: break;
  }
}

// ---- what the overlay that is on makes of it

void PictureBuilder::buildScale() {
  if (kind_ != OverlayKind::kMemory && kind_ != OverlayKind::kTime) return;
  std::vector<double> figures;
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (isOpenScope(input_.scene->items[i])) continue;  // sums would bleach what they are made of
    const int64_t figure = kind_ == OverlayKind::kTime ? sums_[i].ns : sums_[i].bytes;
    if (figure >= 0) figures.push_back(static_cast<double>(figure));
  }
  scale_ = ColorScale::of(std::move(figures));
}

void PictureBuilder::dressHeat(const Sums& sums, bool open, ItemOverlay& over) const {
  const bool time = kind_ == OverlayKind::kTime;
  const int64_t figure = time ? sums.ns : sums.bytes;
  over.figure = figure >= 0 ? (time ? over.time : over.memory) : QString();
  over.figureStrong = true;
  if (figure < 0 || open) return;
  over.heat = scale_.position(static_cast<double>(figure));
  const ColorScale::Colors colors = ColorScale::colors(colors_, over.heat);
  over.fill = colors.fill;
  over.text = colors.text;
}

void PictureBuilder::dressDevice(const Sums& sums, ItemOverlay& over) const {
  for (const auto& [device, count] : sums.devices) {
    over.shares.push_back({device, static_cast<double>(count) / std::max(sums.ops, 1)});
  }
  if (sums.devices.size() != 1) return;
  const int device = sums.devices.begin()->first;
  over.deviceColor = device;
  over.deviceTag = over.device;
  over.fill = colors_.deviceTint[static_cast<size_t>(device) % colors_.deviceTint.size()];
}

void PictureBuilder::dressType(size_t index, ItemOverlay& over) {
  const SceneItem& item = input_.scene->items[index];
  const NodeId id = mainNode(item);
  if (!id.valid() || !input_.graph->has(id)) return;
  const OpFacts& facts = facts_.ops[id.index()];
  QString dtype;
  QString shape;
  if (facts.output != nullptr) {
    dtype = toQString(NumpyName(facts.output->summary.dtype));
    if (facts.output->summary.shape) shape = shapeText(*facts.output->summary.shape);
  } else if (id.index() < input_.types.size()) {
    dtype = toQString(input_.types[id.index()].dtype);
    shape = input_.types[id.index()].shape;
  }
  over.figureStrong = true;
  if (kind_ == OverlayKind::kDtype) {
    over.figure = dtype;
  } else {
    over.figure = shape;
    if (shape.isEmpty()) return;
    dtype = shape == QLatin1String("?")        ? tr("unknown rank")
            : shape == QLatin1String("scalar") ? tr("scalar")
                                               : tr("rank %1").arg(shape.count(QChar(0xd7)) + 1);
  }
  if (dtype.isEmpty()) return;
  const int color = typeColors_.emplace(dtype, static_cast<int>(typeColors_.size())).first->second;
  over.deviceColor = color;
  over.fill = colors_.deviceTint[static_cast<size_t>(color) % colors_.deviceTint.size()];
}

void PictureBuilder::dress(size_t index) {
  ItemOverlay& over = out_->items[index];
  const Sums& sums = sums_[index];
  const bool open = isOpenScope(input_.scene->items[index]);
  switch (kind_) {
    case OverlayKind::kNone: break;
    case OverlayKind::kOrder:
      if (!open) over.badge = over.order;
      break;
    case OverlayKind::kDevice: {
      dressDevice(sums, over);
      const bool card = mainNode(input_.scene->items[index]).valid();
      if (card || open) over.shares.clear();
      if (open) over.fill = QColor();
      if (open && sums.devices.size() > 1) dressDevice(sums, over);
      if (sums.moved > 0 && card) {
        const Node& node = input_.graph->node(mainNode(input_.scene->items[index]));
        over.deviceTag = shortDevice(node.def.device()) + QStringLiteral(" → ") + over.device;
        over.deviceMoved = true;
      }
      break;
    }
    case OverlayKind::kMemory:
    case OverlayKind::kTime: dressHeat(sums, open, over); break;
    case OverlayKind::kHealth:
      if (over.health.isEmpty()) break;
      over.figure = over.health;
      over.figureStrong = true;
      if (!open) over.fill = sums.bad == 0 ? colors_.okFill : colors_.errorFill;
      break;
    case OverlayKind::kDtype:
    case OverlayKind::kShape: dressType(index, over); break;
  }
}

// The bytes that went over an edge of the drawing; empty when its ends are on one device. Traces without transfers (files
// of other tools) tell the sizes of outputs at least.
QString PictureBuilder::transferOf(const SceneEdge& edge) const {
  const OpFacts& from = facts_.ops[edge.from_node.index()];
  const OpFacts& to = facts_.ops[edge.to_node.index()];
  if (edge.kind == SceneEdgeKind::kControl || from.device < 0 || to.device < 0 || from.device == to.device) return {};
  if (input_.cursor->trace().num_transfers() == 0) return from.outputBytes > 0 ? bytesText(from.outputBytes) : QString();
  const std::string& source = input_.graph->node(edge.from_node).name();
  const std::string& device = facts_.devices[static_cast<size_t>(to.device)];
  auto it = std::lower_bound(transfers_.begin(), transfers_.end(), source, [](const TransferSum& sum, const std::string& name) { return sum.node < name; });
  int64_t bytes = -1;
  for (; it != transfers_.end() && it->node == source; ++it) {
    const bool is_output = edge.from_output < 0 ? it->output >= 0 : it->output == edge.from_output;
    if (is_output && it->to == device) bytes = std::max<int64_t>(bytes, 0) + it->bytes;
  }
  return bytes >= 0 ? bytesText(bytes) : QString();
}

void PictureBuilder::buildEdges() {
  if (!facts_.runShown) return;
  if (kind_ == OverlayKind::kDevice) transfers_ = TransfersAt(input_.cursor->trace(), input_.cursor->position());
  const std::vector<SceneEdge>& edges = input_.scene->edges;
  for (size_t e = 0; e < edges.size(); ++e) {
    const SceneEdge& edge = edges[e];
    if (!input_.graph->has(edge.from_node) || !input_.graph->has(edge.to_node)) continue;
    const OpFacts& from = facts_.ops[edge.from_node.index()];
    const OpFacts& to = facts_.ops[edge.to_node.index()];
    EdgeOverlay over;
    over.wave = (input_.active || !input_.cursor->at_end()) && edge.kind != SceneEdgeKind::kControl && from.mark == RunMark::kDone &&
                (to.mark == RunMark::kReady || to.mark == RunMark::kPending || to.mark == RunMark::kCurrent);
    if (kind_ == OverlayKind::kDevice) over.transfer = transferOf(edge);
    if (over.wave || !over.transfer.isEmpty()) out_->edges.emplace(static_cast<int32_t>(e), std::move(over));
  }
}

void PictureBuilder::buildLegend() {
  using Shape = LegendEntry::Shape;
  Legend& legend = out_->legend;
  if (kind_ == OverlayKind::kNone) return;
  legend.title = overlayTitle(kind_);
  switch (kind_) {
    case OverlayKind::kOrder:
      if (!facts_.runShown) {
        legend.title = tr("Topological order");
        legend.note = tr("topological");
        legend.entries.push_back({Shape::kPillOutline, {}, tr("number before a run")});
        break;
      }
      legend.note = tr("executed") + QStringLiteral(" · ") + tr("event %1 of %2").arg(facts_.position).arg(facts_.events);
      legend.entries = {{Shape::kPillFilled, {}, tr("done")}, {Shape::kPillAccent, {}, tr("now")}, {Shape::kFrameAccent, {}, tr("ready")}, {Shape::kFrameDashed, {}, tr("not run")}};
      break;
    case OverlayKind::kDevice:
      for (size_t i = 0; i < facts_.devices.size(); ++i) {
        legend.entries.push_back({Shape::kSwatch, colors_.device[i % colors_.device.size()], shortDevice(facts_.devices[i])});
      }
      legend.note = input_.placement.empty() ? tr("requested") : tr("assigned");
      if (legend.entries.empty()) legend.entries.push_back({Shape::kSwatch, colors_.nodeBorder, tr("not placed yet: run once")});
      break;
    case OverlayKind::kMemory:
    case OverlayKind::kTime: {
      if (scale_.empty()) {
        const QString text = !facts_.runShown                    ? tr("nothing measured yet: run once")
                             : kind_ == OverlayKind::kMemory ? tr("nothing holds memory here")
                                                             : tr("nothing has taken time yet");
        legend.entries.push_back({Shape::kSwatch, colors_.nodeBorder, text});
        break;
      }
      legend.note = scale_.logarithmic() ? tr("logarithmic, p0 to p99 of what is visible") : tr("linear, p0 to p99 of what is visible");
      legend.steps.assign(colors_.heat.begin(), colors_.heat.end());
      for (int i = 0; i <= 5; ++i) {
        const auto figure = static_cast<int64_t>(scale_.figureAt(i / 5.0));
        legend.ticks.push_back(kind_ == OverlayKind::kTime ? durationText(figure) : bytesText(figure));
      }
      break;
    }
    case OverlayKind::kHealth:
      legend.entries = {{Shape::kSwatch, colors_.ok, tr("finite")}, {Shape::kSwatch, colors_.error, tr("NaN or infinite")}, {Shape::kSwatch, colors_.nodeBorder, tr("no value")}};
      break;
    case OverlayKind::kDtype:
    case OverlayKind::kShape:
      for (const auto& [name, color] : typeColors_) {
        legend.entries.push_back({Shape::kSwatch, colors_.device[static_cast<size_t>(color) % colors_.device.size()], name});
      }
      if (legend.entries.empty()) legend.entries.push_back({Shape::kSwatch, colors_.nodeBorder, tr("nothing known yet")});
      break;
    case OverlayKind::kNone: break;
  }
}

}  // namespace opscope::ui
