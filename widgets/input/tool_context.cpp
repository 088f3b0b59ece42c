#include "widgets/input/tool_context.h"

#include <cmath>

#include "engine/document/wiring.h"
#include "engine/framework/op_registry.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

QPointF snapped(QPointF scene) {
  return {std::round(scene.x() / kSnap) * kSnap, std::round(scene.y() / kSnap) * kSnap};
}

std::optional<GraphPort> ToolContext::graphPort(const Hit& hit) const {
  if (hit.part != HitPart::kPort || hit.item < 0 || hit.item >= store().itemCount()) return std::nullopt;
  const SceneItem& item = store().item(hit.item);
  const std::vector<ScenePort>& ports = hit.output ? item.outputs : item.inputs;
  if (hit.port < 0 || static_cast<size_t>(hit.port) >= ports.size()) return std::nullopt;
  const ScenePort& port = ports[static_cast<size_t>(hit.port)];
  GraphPort result;
  result.output = hit.output;
  result.control = port.control;
  result.node = port.node.valid() ? port.node : item.node;
  result.index = port.index >= 0 ? port.index : hit.port;
  if (!result.node.valid() || !document().graph().has(result.node)) return std::nullopt;
  return result;
}

int ToolContext::edgeInto(const Hit& hit) const {
  if (hit.part != HitPart::kPort || hit.output) return -1;
  for (const int32_t e : store().edgesOf(hit.item)) {
    const SceneEdge& edge = store().edge(e);
    if (edge.to == hit.item && edge.to_port == hit.port && edge.kind != SceneEdgeKind::kControl && edge.count == 1) return e;
  }
  return -1;
}

std::optional<WireRef> ToolContext::wireRef(int edge) const {
  if (edge < 0 || edge >= store().edgeCount()) return std::nullopt;
  const SceneEdge& data = store().edge(edge);
  if (data.count != 1 || !data.from_node.valid() || !data.to_node.valid()) return std::nullopt;
  WireRef wire;
  wire.from = data.from_node;
  wire.output = data.kind == SceneEdgeKind::kControl ? -1 : data.from_output;
  wire.to = data.to_node;
  wire.input = data.kind == SceneEdgeKind::kControl ? -1 : data.to_input;
  return wire;
}

int ToolContext::edgeOf(const WireRef& wire) const {
  for (int e = 0; e < store().edgeCount(); ++e) {
    if (const auto ref = wireRef(e); ref && *ref == wire) return e;
  }
  return -1;
}

std::vector<int32_t> ToolContext::selectedItems() const {
  std::vector<int32_t> items;
  for (const ItemId id : selection().items()) {
    if (const int32_t i = store().snapshot().Find(id); i >= 0) items.push_back(i);
  }
  return items;
}

std::string ToolContext::scopeAt(QPointF scene) const {
  const Hit hit = hitTest(store(), canvas().viewport(), canvas().viewport().toPx(scene));
  for (int32_t i = hit.item; i >= 0; i = store().item(i).parent) {
    if (store().isOpenScope(i)) return store().item(i).name;
  }
  return {};
}

QString ToolContext::nodeName(NodeId node) const {
  return document().graph().has(node) ? toQString(document().graph().node(node).name()) : QString();
}

QString ToolContext::portName(const Hit& hit) const {
  const SceneItem& item = store().item(hit.item);
  const std::vector<ScenePort>& ports = hit.output ? item.outputs : item.inputs;
  const auto index = static_cast<size_t>(std::max(hit.port, 0));
  const QString name = index < ports.size() ? toQString(ports[index].name) : QString();
  return name.isEmpty() ? QString::number(hit.port) : name;
}

std::optional<DataType> ToolContext::dtypeOf(const GraphPort& port) const {
  if (port.control || !document().graph().has(port.node)) return std::nullopt;
  const tensorflow::NodeDef& def = document().graph().node(port.node).def;
  const OpRegistrationData* op = OpRegistry::Global().Find(def.op());
  if (op == nullptr) return std::nullopt;
  const std::optional<DataType> dtype = port.output ? OutputType(def, op->op_def, port.index) : InputType(def, op->op_def, port.index);
  if (!dtype) return std::nullopt;
  return IsRefType(*dtype) ? RemoveRef(*dtype) : *dtype;
}

}  // namespace opscope::ui
