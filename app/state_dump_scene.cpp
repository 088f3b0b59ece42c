// The scene in state.dump: what the canvas draws.

#include <QJsonArray>

#include "app/editor.h"
#include "app/state_dump.h"
#include "engine/graph/graph.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/selection.h"
#include "widgets/overlays/overlay.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QJsonArray box(const QRectF& rect) { return {rect.x(), rect.y(), rect.width(), rect.height()}; }

QString kindName(ItemKind kind) {
  return kind == ItemKind::kOp ? QStringLiteral("op") : kind == ItemKind::kScope ? QStringLiteral("scope") : QStringLiteral("series");
}

QString edgeKindName(SceneEdgeKind kind) {
  return kind == SceneEdgeKind::kData      ? QStringLiteral("data")
         : kind == SceneEdgeKind::kControl ? QStringLiteral("control")
                                           : QStringLiteral("ref");
}

QJsonObject badges(const ItemOverlay& overlay) {
  QJsonObject result;
  const std::pair<const char*, const QString*> facts[] = {{"order", &overlay.order},   {"topo", &overlay.topo},
                                                          {"device", &overlay.device}, {"memory", &overlay.memory},
                                                          {"time", &overlay.time},     {"health", &overlay.health}};
  for (const auto& [name, value] : facts) {
    if (!value->isEmpty()) result[QLatin1String(name)] = *value;
  }
  return result;
}

QJsonObject dumpItem(const Editor& editor, const SceneItem& item, int index) {
  const CanvasWidget::Shown shown = editor.canvas()->shown(index);
  const auto& overlays = editor.canvas()->overlay().items;
  static const ItemOverlay kNothing;
  const ItemOverlay& overlay = static_cast<size_t>(index) < overlays.size() ? overlays[static_cast<size_t>(index)] : kNothing;
  QJsonObject result{{QStringLiteral("name"), toQString(item.name)},
                     {QStringLiteral("kind"), kindName(item.kind)},
                     {QStringLiteral("collapsed"), item.collapsed},
                     {QStringLiteral("rect"), box(toQRectF(item.rect))},
                     {QStringLiteral("px"), box(shown.px)},
                     {QStringLiteral("visible"), shown.visible},
                     {QStringLiteral("selected"), editor.selection()->contains(item.id)},
                     {QStringLiteral("title"), shown.title},
                     {QStringLiteral("value"), overlay.value},
                     {QStringLiteral("state"), overlay.state},
                     {QStringLiteral("pinned"), item.pinned},
                     {QStringLiteral("breakpoint"), overlay.breakpoint != BreakpointMark::kNone},
                     {QStringLiteral("badges"), badges(overlay)},
                     {QStringLiteral("fill"), shown.fill.name()}};
  if (!overlay.error.isEmpty()) result[QStringLiteral("error")] = overlay.error;
  return result;
}

QJsonObject dumpEdge(const Editor& editor, const SceneSnapshot& scene, const SceneEdge& edge, int index) {
  QJsonArray points;
  for (const QPointF& p : editor.canvas()->store().line(index)) points.append(QJsonArray{p.x(), p.y()});
  const Graph& graph = editor.document()->graph();
  // One edge between two ops is named by its output; a bundle by what it joins.
  QString from = toQString(scene.items[static_cast<size_t>(edge.from)].name);
  QString to = toQString(scene.items[static_cast<size_t>(edge.to)].name);
  if (edge.count == 1 && graph.has(edge.from_node) && graph.has(edge.to_node)) {
    const bool control = edge.kind == SceneEdgeKind::kControl;
    from = control ? QString(QLatin1Char('^') + toQString(graph.node(edge.from_node).name()))
                   : QString(toQString(graph.node(edge.from_node).name()) + QLatin1Char(':') + QString::number(edge.from_output));
    to = toQString(graph.node(edge.to_node).name());
  }
  const WireRef wire{edge.from_node, edge.from_output, edge.to_node, edge.to_input};
  return {{QStringLiteral("from"), from},
          {QStringLiteral("to"), to},
          {QStringLiteral("input"), edge.to_input},
          {QStringLiteral("kind"), edgeKindName(edge.kind)},
          {QStringLiteral("count"), edge.count},
          {QStringLiteral("points"), points},
          {QStringLiteral("highlight"), editor.selection()->contains(wire)}};
}

QJsonArray dumpLegend(const Legend& legend) {
  QJsonArray result;
  if (!legend.title.isEmpty()) result.append(QJsonObject{{QStringLiteral("title"), legend.title}, {QStringLiteral("note"), legend.note}});
  for (const LegendEntry& entry : legend.entries) {
    QJsonObject line{{QStringLiteral("label"), entry.label}};
    if (entry.color.isValid()) line[QStringLiteral("color")] = entry.color.name();  // pills take the theme's colours
    result.append(line);
  }
  for (qsizetype i = 0; i < static_cast<qsizetype>(legend.steps.size()); ++i) {
    const auto at = static_cast<size_t>(i);
    result.append(QJsonObject{{QStringLiteral("color"), legend.steps[at].name()},
                              {QStringLiteral("from"), at < legend.ticks.size() ? legend.ticks[at] : QString()},
                              {QStringLiteral("to"), at + 1 < legend.ticks.size() ? legend.ticks[at + 1] : QString()}});
  }
  return result;
}

}  // namespace

QJsonObject dumpScene(const Editor& editor) {
  const auto scene = editor.canvas()->store().shared();
  QJsonArray nodes;
  for (int i = 0; i < static_cast<int>(scene->items.size()); ++i) nodes.append(dumpItem(editor, scene->items[static_cast<size_t>(i)], i));
  QJsonArray edges;
  for (int i = 0; i < static_cast<int>(scene->edges.size()); ++i) edges.append(dumpEdge(editor, *scene, scene->edges[static_cast<size_t>(i)], i));
  const CanvasWidget& canvas = *editor.canvas();
  const QPointF center = canvas.viewport().center(QSizeF(canvas.size()));
  return {{QStringLiteral("nodes"), nodes},
          {QStringLiteral("edges"), edges},
          {QStringLiteral("zoom"), canvas.zoom()},
          {QStringLiteral("center"), QJsonArray{center.x(), center.y()}},
          {QStringLiteral("theme"), Theme::instance().name()},
          {QStringLiteral("overlay"), overlayName(canvas.overlay().kind)},
          {QStringLiteral("legend"), dumpLegend(canvas.overlay().legend)}};
}

}  // namespace opscope::ui
