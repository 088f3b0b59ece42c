// Actions view.*: what is seen, none of it an undo entry but the layout.

#include <cmath>

#include <QJsonArray>
#include <QWidget>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "engine/diagram/name_search.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/layout_controller.h"
#include "widgets/controllers/selection.h"
#include "widgets/overlays/overlay_model.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

constexpr size_t kMaxHits = 1000;

// The root, a scope by name, or what is selected is laid out; answers when it is done.
void layout(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
    return;
  }
  const QString scope = optionalString(args, "scope");
  if (!scope.isEmpty() && !editor->document()->itemOf(scope).valid()) {
    reply(ActionResult::error(errors::NotFound("There is no scope '", scope.toStdString(), "'")));
    return;
  }
  editor->layoutController()->layout(scope);
  replySettled(editor, args, ActionResult::ok(), reply);
}

ActionResult fitSelection(Editor& editor, const QJsonObject&) {
  QRectF bounds;
  const auto scene = editor.document()->scene();
  for (const ItemId id : editor.selection()->items()) {
    const int32_t index = scene->Find(id);
    if (index >= 0) bounds |= toQRectF(scene->items[static_cast<size_t>(index)].rect);
  }
  if (bounds.isEmpty()) return ActionResult::error(errors::FailedPrecondition("Nothing that is shown is selected"));
  editor.canvas()->fitRect(bounds);
  return ActionResult::ok();
}

ActionResult zoom(Editor& editor, const QJsonObject& args) {
  CanvasWidget* canvas = editor.canvas();
  const QJsonArray px = args.value(QLatin1String("px")).toArray();
  const QPointF at = px.size() == 2 ? QPointF(px[0].toDouble(), px[1].toDouble()) : QRectF(canvas->rect()).center();
  const double factor = args.value(QLatin1String("factor")).toDouble(0);
  if (args.contains(QLatin1String("to"))) {
    canvas->zoomAt(at, args.value(QLatin1String("to")).toDouble(1) / canvas->viewport().zoom());
    return ActionResult::ok();
  }
  if (!(factor >= 1e-4 && factor <= 1e4)) {
    return ActionResult::error(errors::InvalidArgument("\"factor\" must be a number from 0.0001 to 10000"));
  }
  canvas->zoomAt(at, factor);
  return ActionResult::ok();
}

ActionResult pan(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(by, optionalPoint(args, "by"));
  constexpr double kMost = 1e7;
  if (!by || std::abs(by->x) > kMost || std::abs(by->y) > kMost) {
    return ActionResult::error(errors::InvalidArgument("\"by\" must be [dx, dy], at most ", kMost, " pixels each"));
  }
  editor.canvas()->panBy(toQPointF(*by));
  return ActionResult::ok();
}

// Opens the scopes around a node, selects it and brings it to the middle.
void goTo(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  const auto node = requireString(args, "node");
  if (!editor || !node.ok()) {
    reply(ActionResult::error(editor ? node.status() : errors::FailedPrecondition("No document is open")));
    return;
  }
  const ItemId item = editor->document()->itemOf(*node);
  if (!item.valid()) {
    reply(ActionResult::error(errors::NotFound("There is no node or scope '", node->toStdString(), "'")));
    return;
  }
  editor->document()->reveal(*node);
  editor->selection()->set({item});
  editor->whenSettled([=] {
    const auto scene = editor->document()->scene();
    const int32_t index = scene->Find(item);
    if (index >= 0) editor->canvas()->centerOn(toQRectF(scene->items[static_cast<size_t>(index)].rect));
    replySettled(editor, args, ActionResult::ok(), reply);
  });
}

ActionResult search(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(query, requireString(args, "query"));
  const Graph& graph = editor.document()->graph();
  OS_ASSIGN_OR_RESULT(hits, NameSearch(graph).Find(query.toStdString(), kMaxHits));
  QJsonArray names;
  for (const SearchHit& hit : hits) names.append(toQString(graph.node(hit.node).name()));
  return ActionResult::ok({{QStringLiteral("hits"), names}});
}

ActionResult overlay(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "name"));
  const auto kind = overlayFromName(name);
  if (!kind) {
    return ActionResult::error(errors::InvalidArgument(
        "'", name.toStdString(), "' is no overlay; expected none, order, device, memory, time, health, dtype or shape"));
  }
  editor.overlay()->setKind(*kind);
  return ActionResult::ok();
}

ActionResult theme(Workbench* workbench, const QJsonObject& args) {
  const QString name = optionalString(args, "name");
  Theme* theme = workbench->theme();
  if (name == QLatin1String("light")) theme->setMode(Theme::Mode::kLight);
  else if (name == QLatin1String("dark")) theme->setMode(Theme::Mode::kDark);
  else if (name == QLatin1String("system")) theme->setMode(Theme::Mode::kSystem);
  else return ActionResult::error(errors::InvalidArgument("'", name.toStdString(), "' is no theme; expected light, dark or system"));
  return ActionResult::ok();
}

ActionResult windowSize(Workbench* workbench, const QJsonObject& args) {
  const QJsonArray size = args.value(QLatin1String("size")).toArray();
  const int width = size.size() == 2 ? size[0].toInt() : 0;
  const int height = size.size() == 2 ? size[1].toInt() : 0;
  if (width < 1 || height < 1 || width > 16384 || height > 16384) {
    return ActionResult::error(errors::InvalidArgument("\"size\" must be [width, height] in pixels"));
  }
  workbench->window()->showNormal();
  workbench->window()->resize(width, height);
  return ActionResult::ok();
}

ActionResult direction(Editor& editor, const QJsonObject&) {
  const bool horizontal = editor.document()->direction() == FlowDirection::kLeftRight;
  editor.document()->setDirection(horizontal ? FlowDirection::kTopBottom : FlowDirection::kLeftRight);
  editor.layoutController()->layout();
  return ActionResult::ok();
}

void registerOverlays(ActionRegistry* actions, Workbench* workbench) {
  actions->add({.id = QStringLiteral("view.overlay")}, withEditor(workbench, overlay));
  struct Entry {
    const char *name, *text, *icon;
  };
  const Entry entries[] = {{"none", "No Overlay", "overlay_none"}, {"order", "Order", "overlay_order"},
                           {"device", "Device", "device"},         {"memory", "Memory", "memory"},
                           {"time", "Time", "time"},               {"health", "Health", "health"},
                           {"dtype", "Dtype", "dtype"},            {"shape", "Shape", "shape"}};
  int number = 1;
  for (const Entry& entry : entries) {
    actions->addEntry({.id = QStringLiteral("view.overlay"),
                       .text = QLatin1String(entry.text),
                       .menu = QStringLiteral("View/Overlays"),
                       .icon = QLatin1String(entry.icon),
                       .shortcuts = {QKeySequence(QStringLiteral("Alt+%1").arg(number++))},
                       .checkable = true,
                       .group = QStringLiteral("overlays"),
                       .args = {{QStringLiteral("name"), QLatin1String(entry.name)}},
                       .alias = QStringLiteral("view.overlay#") + QLatin1String(entry.name)});
  }
}

void registerThemes(ActionRegistry* actions, Workbench* workbench) {
  actions->addSimple({.id = QStringLiteral("view.theme")}, [workbench](const QJsonObject& args) { return theme(workbench, args); });
  for (const char* name : {"light", "dark", "system"}) {
    QString text = QLatin1String(name);
    text[0] = text[0].toUpper();
    actions->addEntry({.id = QStringLiteral("view.theme"), .text = text, .menu = QStringLiteral("View/Theme"),
                       .checkable = true, .group = QStringLiteral("themes"),
                       .args = {{QStringLiteral("name"), QLatin1String(name)}},
                       .alias = QStringLiteral("view.theme#") + QLatin1String(name)});
  }
}

}  // namespace

void registerViewActions(ActionRegistry* actions, Workbench* workbench) {
  const QString menu = QStringLiteral("View");
  const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
  const auto add = [&](const ActionSpec& spec, EditorHandler handler) {
    actions->add(spec, withEditor(workbench, std::move(handler)));
  };
  add({.id = QStringLiteral("view.fit"), .text = QStringLiteral("&Fit"), .menu = menu, .icon = QStringLiteral("fit"),
       .shortcuts = {key("Home"), key("Shift+F")}},
      [](Editor& editor, const QJsonObject&) {
        editor.canvas()->fit();
        return ActionResult::ok();
      });
  add({.id = QStringLiteral("view.fit_selection"), .text = QStringLiteral("Fit &Selection"), .menu = menu,
       .icon = QStringLiteral("fit_selection"), .shortcuts = {key("F"), key(".")}}, fitSelection);
  add({.id = QStringLiteral("view.zoom")}, zoom);
  const std::pair<const char*, double> zooms[] = {{"Zoom &In", 1.25}, {"Zoom &Out", 0.8}};
  for (const auto& [text, factor] : zooms) {
    const bool in = factor > 1;
    actions->addEntry({.id = QStringLiteral("view.zoom"), .text = QLatin1String(text), .menu = menu,
                       .icon = in ? QStringLiteral("zoom_in") : QStringLiteral("zoom_out"),
                       .shortcuts = in ? QList{key("+"), key("Ctrl+="), key("=")} : QList{key("-"), key("Ctrl+-")},
                       .args = {{QStringLiteral("factor"), factor}},
                       .alias = in ? QStringLiteral("view.zoom#in") : QStringLiteral("view.zoom#out")});
  }
  actions->addEntry({.id = QStringLiteral("view.zoom"), .text = QStringLiteral("&Actual Size"), .menu = menu,
                     .shortcuts = {key("Ctrl+0")}, .args = {{QStringLiteral("to"), 1.0}},
                     .alias = QStringLiteral("view.zoom#actual")});
  add({.id = QStringLiteral("view.pan")}, pan);
  add({.id = QStringLiteral("view.direction"), .text = QStringLiteral("Flow &Direction"), .menu = menu,
       .icon = QStringLiteral("direction"), .shortcuts = {key("Ctrl+K")}, .separatorBefore = true}, direction);
  add({.id = QStringLiteral("view.search")}, search);
  actions->add({.id = QStringLiteral("view.layout"), .text = QStringLiteral("&Lay Out"), .menu = QStringLiteral("Graph"),
                .icon = QStringLiteral("layout"), .shortcuts = {key("Ctrl+L")}, .separatorBefore = true},
               [workbench](const QJsonObject& args, const ActionReply& reply) { layout(workbench, args, reply); });
  actions->add({.id = QStringLiteral("view.goto")},
               [workbench](const QJsonObject& args, const ActionReply& reply) { goTo(workbench, args, reply); });
  actions->addSimple({.id = QStringLiteral("view.window")}, [workbench](const QJsonObject& args) { return windowSize(workbench, args); });
  actions->addSimple({.id = QStringLiteral("view.panel")}, [workbench](const QJsonObject& args) -> ActionResult {
    OS_ASSIGN_OR_RESULT(name, requireString(args, "name"));
    return {workbench->setPanelVisible(name, args.value(QLatin1String("visible")).toBool(true)), {}};
  });
  registerOverlays(actions, workbench);
  registerThemes(actions, workbench);
}

}  // namespace opscope::ui
