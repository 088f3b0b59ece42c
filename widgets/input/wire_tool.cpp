#include "widgets/input/wire_tool.h"

#include <QApplication>

#include "engine/base/text.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"

namespace opscope::ui {
namespace {

constexpr double kSnapPx = 22;

bool isNumber(DataType dtype) {
  return dtype != DT_STRING && dtype != DT_RESOURCE && dtype != DT_VARIANT && dtype != DT_INVALID;
}

QString jsonType(DataType dtype) { return QLatin1Char('"') + toQString(NumpyName(dtype)) + QLatin1Char('"'); }

}  // namespace

bool WireTool::press(const CanvasPointer& pointer) {
  const Hit hit = context_.canvas().hit(pointer.px);
  const std::optional<GraphPort> port = context_.graphPort(hit);
  if (!port) return false;
  startPx_ = pointer.px;
  startHit_ = hit;
  start_ = *port;
  detached_.reset();
  lastTarget_.reset();
  verdict_ = Status::OK();
  moved_ = false;
  active_ = true;
  const int occupied = port->output || port->control ? -1 : context_.edgeInto(hit);
  if (const std::optional<WireRef> wire = context_.wireRef(occupied)) {
    // Its end comes along; the fixed end is where it comes from.
    const SceneEdge& edge = context_.store().edge(occupied);
    detached_ = wire;
    start_ = {wire->from, wire->output, true, false};
    startHit_ = {HitPart::kPort, edge.from, true, edge.from_port, -1};
    context_.canvas().live().hiddenEdge = occupied;
  }
  return true;
}

Status WireTool::check(const GraphPort& other) const {
  const GraphPort& source = start_.output ? start_ : other;
  const GraphPort& target = start_.output ? other : start_;
  if (source.output == target.output) return errors::InvalidArgument("A wire goes from an output to an input");
  if (source.node == target.node) return errors::InvalidArgument("A node can't be wired to itself");
  const EditBuilder builder = context_.document().builder();
  if (target.control) return builder.ConnectControl(source.node, target.node).status();
  return builder.CanConnect({source.node, source.index}, {target.node, target.index});
}

WireTool::Target WireTool::bestPortOf(int item) const {
  Target best;
  best.hit = {HitPart::kBody, item, false, -1, -1};
  const SceneItem& data = context_.store().item(item);
  const bool wantOutput = !start_.output;
  const std::vector<ScenePort>& ports = wantOutput ? data.outputs : data.inputs;
  bool found = false;
  bool refusedOne = false;
  for (const bool freeOnly : {true, false}) {
    for (size_t i = 0; i < ports.size() && !found; ++i) {
      if (ports[i].control || (freeOnly && !wantOutput && ports[i].connected)) continue;
      const Hit hit{HitPart::kPort, item, wantOutput, static_cast<int>(i), -1};
      const std::optional<GraphPort> port = context_.graphPort(hit);
      if (!port) continue;
      Status status = check(*port);
      found = status.ok();
      if (!found && refusedOne) continue;
      refusedOne = !found;
      best = {hit, port, std::move(status)};
    }
  }
  if (!found && !refusedOne) best.status = errors::InvalidArgument(wantOutput ? "This node has no output" : "This node has no input");
  return best;
}

WireTool::Target WireTool::targetAt(QPointF px) const {
  const Hit near = nearestPort(context_.store(), context_.canvas().viewport(), px, !start_.output, kSnapPx);
  if (near.part == HitPart::kPort && !(near.item == startHit_.item && near.output == startHit_.output)) {
    if (const std::optional<GraphPort> port = context_.graphPort(near)) return {near, port, check(*port)};
  }
  const Hit under = context_.canvas().hit(px);
  if (under.item >= 0 && under.item != startHit_.item && (under.part == HitPart::kBody || under.part == HitPart::kPort)) return bestPortOf(under.item);
  return {};
}

bool WireTool::move(const CanvasPointer& pointer) {
  if (!active_) return false;
  if (!moved_ && (pointer.px - startPx_).manhattanLength() < QApplication::startDragDistance()) return true;
  const bool first = !moved_;
  moved_ = true;
  // The document is asked once for each thing that the pointer comes over.
  const Hit near = nearestPort(context_.store(), context_.canvas().viewport(), pointer.px, !start_.output, kSnapPx);
  const Hit here = near.part == HitPart::kPort ? near : context_.canvas().hit(pointer.px);
  if (!lastTarget_ || !(here == lastHit_)) lastTarget_ = targetAt(pointer.px);
  lastHit_ = here;
  verdict_ = lastTarget_->status;
  WireDraft draft;
  draft.from = context_.store().portPos(startHit_.item, startHit_.output, startHit_.port);
  draft.fromOutput = start_.output;
  draft.control = start_.control;
  draft.to = pointer.scene;
  draft.target = lastTarget_->hit;
  if (lastTarget_->port) {
    draft.to = context_.store().portPos(lastTarget_->hit.item, lastTarget_->hit.output, lastTarget_->hit.port);
    draft.control = draft.control || lastTarget_->port->control;
  }
  if (lastTarget_->hit.part != HitPart::kNone) draft.state = verdict_.ok() ? WireDraft::State::kFits : WireDraft::State::kRefused;
  context_.canvas().live().draft = draft;
  context_.canvas().live().hover = Hit();
  context_.canvas().updateLive(first && detached_.has_value());
  return true;
}

Status WireTool::connect(const GraphPort& other) {
  const GraphPort source = start_.output ? start_ : other;
  const GraphPort target = start_.output ? other : start_;
  DocumentController& document = context_.document();
  if (target.control) return document.connectControl(source.node, target.node);
  if (!detached_) return document.connectWire({source.node, source.index}, {target.node, target.index});
  if (detached_->to == target.node && detached_->input == target.index) return Status::OK();
  document.undoStack()->beginMacro(QObject::tr("Move wire"));
  Status status = document.disconnectWire({detached_->to, detached_->input});
  if (status.ok()) status = document.connectWire({source.node, source.index}, {target.node, target.index});
  document.undoStack()->endMacro();
  return status;
}

Status WireTool::finishWith(const PendingWire& wire, NodeId node) {
  DocumentController& document = context_.document();
  if (wire.from.control && !wire.from.output) return document.connectControl(node, wire.from.node);
  if (wire.from.output) return document.connectToNode({wire.from.node, wire.from.index}, node);
  return document.connectWire({node, 0}, {wire.from.node, wire.from.index});
}

bool WireTool::release(const CanvasPointer& pointer) {
  if (!active_) return false;
  if (!moved_) {
    cancel();
    return true;
  }
  const Target target = targetAt(pointer.px);
  if (target.hit.part == HitPart::kNone) {
    dropOnNothing(pointer);
    return true;
  }
  Status status = target.status;
  if (status.ok() && target.port) {
    // The scene is replaced while this runs: the draft goes first.
    const GraphPort other = *target.port;
    active_ = false;
    context_.canvas().live().draft.reset();
    context_.canvas().live().hiddenEdge = -1;
    status = connect(other);
    context_.canvas().updateLive(true);
    if (status.ok()) return true;
  }
  Target refusedTarget = target;
  refusedTarget.status = status;
  const PopoverContent content = refusal(refusedTarget);
  active_ = false;
  if (!refused) {
    cancel();
    return true;
  }
  // The wire stays in sight, in red, while its refusal is read.
  const Viewport& view = context_.canvas().viewport();
  QRectF anchor = QRectF(view.toPx(target.hit.part == HitPart::kPort ? context_.store().portPos(target.hit.item, target.hit.output, target.hit.port)
                                                                   : context_.store().rect(target.hit.item).center()), QSizeF(0, 0)).adjusted(-10, -10, 10, 10);
  QRectF avoid = view.toPx(context_.store().rect(target.hit.item));
  if (context_.canvas().live().draft) avoid = avoid.united(QRectF(view.toPx(context_.canvas().live().draft->from), QSizeF(1, 1)));
  refused(content, anchor, avoid);
  return true;
}

void WireTool::dropOnNothing(const CanvasPointer& pointer) {
  if (detached_) {
    const WireRef wire = *detached_;
    cancel();
    const Status status = context_.document().disconnectWire({wire.to, wire.input});
    (void)status;  // the wire was there a moment ago; an edit in between leaves nothing to do
    return;
  }
  PendingWire pending;
  pending.from = start_;
  pending.need.input = start_.output;
  pending.need.dtype = context_.dtypeOf(start_).value_or(DT_INVALID);
  pending.need.from = start_.output ? context_.nodeName(start_.node) : context_.portName(startHit_);
  active_ = false;
  if (wantsNode) {
    wantsNode(pointer.scene, pending);
  } else {
    cancel();
  }
}

PopoverContent WireTool::refusal(const Target& target) const {
  PopoverContent content;
  content.title = statusTitle(target.status);
  content.sentence = statusLine(target.status);
  content.hint = QObject::tr("Tab: next fix    Esc: drop the wire");
  if (!target.port) return content;
  const GraphPort source = start_.output ? start_ : *target.port;
  const GraphPort sink = start_.output ? *target.port : start_;
  const std::optional<DataType> from = context_.dtypeOf(source);
  const std::optional<DataType> to = context_.dtypeOf(sink);
  if (from && to && *from != *to) {
    const Hit sinkHit = start_.output ? target.hit : startHit_;
    content.title = QObject::tr("Different dtypes");
    content.sentence = QObject::tr("Input %1 of %2 is %3. %4:%5 is %6.")
                           .arg(context_.portName(sinkHit), context_.nodeName(sink.node), toQString(NumpyName(*to)),
                                context_.nodeName(source.node), QString::number(source.index), toQString(NumpyName(*from)));
    addCastFix(&content, source, sink);
  }
  content.status = statusCode(target.status) + QStringLiteral(": ") + statusLine(target.status);
  return content;
}

void WireTool::addCastFix(PopoverContent* content, const GraphPort& source, const GraphPort& target) const {
  const std::optional<DataType> from = context_.dtypeOf(source);
  const std::optional<DataType> to = context_.dtypeOf(target);
  if (!from || !to || !isNumber(*from) || !isNumber(*to)) return;
  const ToolContext context = context_;
  PopoverContent::Fix cast;
  cast.text = QObject::tr("Insert Cast to %1").arg(toQString(NumpyName(*to)));
  cast.key = QObject::tr("Enter");
  cast.run = [context, source, target, from = *from, to = *to] {
    DocumentController& document = context.document();
    const int32_t item = context.store().snapshot().FindVisible(document.graph().node(target.node).name());
    AddOpRequest request;
    request.op = "Cast";
    request.scope = std::string(ScopeOf(document.graph().node(target.node).name()));
    request.attr = {{"SrcT", jsonType(from).toStdString()}, {"DstT", jsonType(to).toStdString()}};
    if (item >= 0) request.at = toPoint(snapped(context.store().rect(item).topLeft() + QPointF(-168, 72)));
    document.undoStack()->beginMacro(QObject::tr("Insert Cast"));
    const StatusOr<NodeId> added = document.addOp(request);
    if (added.ok()) {
      Status status = document.connectWire({source.node, source.index}, {*added, 0});
      if (status.ok()) status = document.connectWire({*added, 0}, {target.node, target.index});
    }
    document.undoStack()->endMacro();
  };
  content->fixes.push_back(std::move(cast));
}

void WireTool::breakWires(const Hit& port) {
  std::vector<WireRef> wires;
  for (const int32_t e : context_.store().edgesOf(port.item)) {
    const SceneEdge& edge = context_.store().edge(e);
    const bool here = port.output ? edge.from == port.item && edge.from_port == port.port : edge.to == port.item && edge.to_port == port.port;
    if (const auto wire = context_.wireRef(e); here && wire) wires.push_back(*wire);
  }
  if (wires.empty()) return;
  const Status status = context_.document().deleteNodes({}, wires);
  (void)status;
}

void WireTool::cancel() {
  const bool hidden = context_.canvas().live().hiddenEdge >= 0;
  active_ = false;
  moved_ = false;
  detached_.reset();
  lastTarget_.reset();
  verdict_ = Status::OK();
  context_.canvas().live().draft.reset();
  context_.canvas().live().hiddenEdge = -1;
  context_.canvas().updateLive(hidden);
}

}  // namespace opscope::ui
