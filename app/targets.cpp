#include "app/targets.h"

#include <QApplication>
#include <QJsonArray>
#include <QJsonObject>
#include <QWidget>

#include "app/editor.h"
#include "engine/graph/graph.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {
namespace {

StatusOr<QPointF> pair(const QJsonValue& value) {
  const QJsonArray array = value.toArray();
  if (array.size() == 2 && array[0].isDouble() && array[1].isDouble()) return QPointF(array[0].toDouble(), array[1].toDouble());
  return errors::InvalidArgument("a point is [x, y]");
}

StatusOr<int> itemIndex(const Editor& editor, const QString& name) {
  const auto scene = editor.document()->scene();
  int index = scene->FindOp(name.toStdString());
  if (index < 0) index = scene->FindScope(name.toStdString());
  if (index >= 0) return index;
  if (editor.document()->itemOf(name).valid()) {
    return errors::FailedPrecondition("'", name.toStdString(), "' is hidden in a closed scope");
  }
  return errors::NotFound("There is no node or scope '", name.toStdString(), "'");
}

StatusOr<QPointF> portPoint(const Editor& editor, const QJsonObject& target) {
  const std::string text = target.value(QLatin1String("port")).toString().toStdString();
  const TensorId id = ParseTensorName(text);
  const std::string node(id.node);
  OS_ASSIGN_OR_RETURN(const int index, itemIndex(editor, QString::fromStdString(node)));
  const SceneItem& item = editor.document()->scene()->items[static_cast<size_t>(index)];
  const bool input = target.contains(QLatin1String("input"));
  const auto& ports = input ? item.inputs : item.outputs;
  const int number = input ? target.value(QLatin1String("input")).toInt(-1) : id.index;
  if (number < 0 || number >= static_cast<int>(ports.size())) {
    return errors::OutOfRange("'", node, "' has ", ports.size(), input ? " inputs" : " outputs", ", none with number ", number);
  }
  const Point offset = ports[static_cast<size_t>(number)].offset;
  return QPointF(item.rect.x + offset.x, item.rect.y + offset.y);
}

StatusOr<QPointF> edgePoint(const Editor& editor, const QJsonArray& edge) {
  const auto scene = editor.document()->scene();
  const std::string from = edge.isEmpty() ? std::string() : edge[0].toString().toStdString();
  const TensorId id = ParseTensorName(from);
  const std::string to = edge.size() > 1 ? edge[1].toString().toStdString() : std::string();
  const int input = id.is_control() ? -1 : edge.size() > 2 ? edge[2].toInt() : 0;
  const auto& graph = editor.document()->graph();
  for (int e = 0; e < static_cast<int>(scene->edges.size()); ++e) {
    const SceneEdge& candidate = scene->edges[static_cast<size_t>(e)];
    if (!graph.has(candidate.from_node) || !graph.has(candidate.to_node)) continue;
    if (graph.node(candidate.from_node).name() != id.node || graph.node(candidate.to_node).name() != to) continue;
    if (candidate.to_input != input) continue;
    const auto line = editor.canvas()->store().line(e);
    const size_t middle = line.size() / 2;
    return middle == 0 ? line[0] : (line[middle - 1] + line[middle]) / 2;
  }
  return errors::NotFound("There is no visible edge from ", from, " to ", to);
}

StatusOr<QPointF> scenePoint(const Editor& editor, const QJsonObject& target) {
  if (target.contains(QLatin1String("node"))) {
    OS_ASSIGN_OR_RETURN(const int index, itemIndex(editor, target.value(QLatin1String("node")).toString()));
    const SceneItem& item = editor.document()->scene()->items[static_cast<size_t>(index)];
    // An open scope is held by its header; its middle belongs to what lies in it.
    const bool open = item.kind == ItemKind::kScope && !item.collapsed;
    return QPointF(item.rect.x + item.rect.width / 2, item.rect.y + (open ? 16 : item.rect.height / 2));
  }
  if (target.contains(QLatin1String("port"))) return portPoint(editor, target);
  if (target.contains(QLatin1String("edge"))) return edgePoint(editor, target.value(QLatin1String("edge")).toArray());
  if (target.contains(QLatin1String("at"))) return pair(target.value(QLatin1String("at")));
  return errors::InvalidArgument("a target is {\"node\"}, {\"port\"}, {\"edge\"}, {\"at\"}, {\"px\"} or {\"widget\"}");
}

}  // namespace

QWidget* findWidget(Workbench* workbench, const QString& objectName) {
  QWidget* fallback = nullptr;
  QWidgetList windows = QApplication::topLevelWidgets();
  windows.prepend(workbench->window());
  for (QWidget* window : windows) {
    const auto found = window->findChildren<QWidget*>(objectName);
    for (QWidget* widget : found) {
      if (widget->isVisible()) return widget;
      fallback = widget;
    }
    if (window->objectName() == objectName) return window;
  }
  return fallback;
}

StatusOr<QPoint> targetPoint(Workbench* workbench, const QJsonValue& value) {
  const QJsonObject target = value.toObject();
  if (target.contains(QLatin1String("widget"))) {
    const QString name = target.value(QLatin1String("widget")).toString();
    QWidget* widget = findWidget(workbench, name);
    if (!widget) return errors::NotFound("There is no widget '", name.toStdString(), "'");
    if (!widget->isVisible()) return errors::FailedPrecondition("The widget '", name.toStdString(), "' is hidden");
    return widget->mapToGlobal(widget->rect().center());
  }
  Editor* editor = workbench->currentEditor();
  if (!editor) return errors::FailedPrecondition("No document is open");
  CanvasWidget* canvas = editor->canvas();
  if (target.contains(QLatin1String("px"))) {
    OS_ASSIGN_OR_RETURN(const QPointF px, pair(target.value(QLatin1String("px"))));
    return canvas->mapToGlobal(px.toPoint());
  }
  OS_ASSIGN_OR_RETURN(const QPointF scene, scenePoint(*editor, target));
  const QPointF px = canvas->viewport().toPx(scene);
  if (!canvas->rect().contains(px.toPoint())) {
    return errors::FailedPrecondition("The target is outside the part of the canvas that is shown");
  }
  return canvas->mapToGlobal(px.toPoint());
}

}  // namespace opscope::ui
