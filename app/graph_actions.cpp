// Actions node.*, edge.*, scope.*, frame.*: edits of the graph.

#include <cmath>

#include <QJsonArray>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/selection.h"

namespace opscope::ui {
namespace {

QJsonObject nameField(const Editor& editor, NodeId id) {
  return {{QStringLiteral("name"), QString::fromStdString(editor.document()->graph().node(id).name())}};
}

// Near the middle of what is shown, each a little lower than the last, on the grid.
Point freePlace(const Editor& editor) {
  constexpr int kGrid = 8, kStep = 72, kPlaces = 5;
  const QPointF middle = editor.canvas()->viewport().center(QSizeF(editor.canvas()->size()));
  const auto count = static_cast<int>(editor.document()->graph().num_nodes());
  const double x = std::round((middle.x() - 88 + kStep * ((count / kPlaces) % kPlaces)) / kGrid) * kGrid;
  const double y = std::round((middle.y() - kStep * 2 + kStep * (count % kPlaces)) / kGrid) * kGrid;
  return Point{x, y};
}

ActionResult addNode(Editor& editor, const QJsonObject& args) {
  AddOpRequest request;
  OS_ASSIGN_OR_RESULT(op, requireString(args, "op"));
  OS_ASSIGN_OR_RESULT(at, optionalPoint(args, "at"));
  request.op = op.toStdString();
  request.name = optionalString(args, "name").toStdString();
  request.scope = optionalString(args, "scope").toStdString();
  request.device = optionalString(args, "device").toStdString();
  request.at = at ? at : freePlace(editor);
  const QJsonObject attrs = args.value(QLatin1String("attr")).toObject();
  for (auto it = attrs.begin(); it != attrs.end(); ++it) {
    request.attr[it.key().toStdString()] = jsonText(it.value()).toStdString();
  }
  OS_ASSIGN_OR_RESULT(id, editor.document()->addOp(request));
  return ActionResult::ok(nameField(editor, id));
}

// What a line names, or the selection when it names nothing (menus and keys).
StatusOr<std::vector<NodeId>> targets(Editor& editor, const QJsonObject& args, const char* key = "nodes") {
  if (!args.contains(QLatin1String(key))) return editor.document()->nodesOf(editor.selection()->items());
  OS_ASSIGN_OR_RETURN(const QStringList names, stringList(args, key));
  return findNodes(*editor.document(), names);
}

ActionResult deleteNodes(Editor& editor, const QJsonObject& args) {
  if (!args.contains(QLatin1String("nodes"))) return {editor.document()->deleteSelection(), {}};
  OS_ASSIGN_OR_RESULT(nodes, targets(editor, args));
  return {editor.document()->deleteNodes(nodes), {}};
}

ActionResult renameNode(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(node, requireString(args, "node"));
  OS_ASSIGN_OR_RESULT(to, requireString(args, "to"));
  const ItemId item = editor.document()->itemOf(node);
  if (!item.valid()) {
    return ActionResult::error(errors::NotFound("There is no node or scope '", node.toStdString(), "'"));
  }
  return {editor.document()->renameItem(item, to), {}};
}

ActionResult setAttr(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "node"));
  OS_ASSIGN_OR_RESULT(attr, requireString(args, "attr"));
  OS_ASSIGN_OR_RESULT(node, findNode(*editor.document(), name));
  return {editor.document()->setAttr(node, attr, jsonText(args.value(QLatin1String("value")))), {}};
}

ActionResult setValue(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "node"));
  OS_ASSIGN_OR_RESULT(node, findNode(*editor.document(), name));
  const QJsonValue value = args.value(QLatin1String("value"));
  // "@file.npy" is a path, not a JSON string; nothing takes a fed value away.
  const QString text = value.isUndefined() || value.isNull()                                        ? QString()
                       : value.isString() && value.toString().startsWith(QLatin1Char('@')) ? value.toString()
                                                                                             : jsonText(value);
  return {editor.document()->setValue(node, text), {}};
}

ActionResult setDevice(Editor& editor, const QJsonObject& args) {
  const char* key = args.contains(QLatin1String("scope")) ? "scope" : "node";
  OS_ASSIGN_OR_RESULT(nodes, targets(editor, args, key));
  return {editor.document()->setDevice(nodes, optionalString(args, "device")), {}};
}

ActionResult connectData(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(fromName, requireString(args, "from"));
  OS_ASSIGN_OR_RESULT(toName, requireString(args, "to"));
  OS_ASSIGN_OR_RESULT(from, findOutput(*editor.document(), fromName));
  OS_ASSIGN_OR_RESULT(to, findNode(*editor.document(), toName));
  if (!args.contains(QLatin1String("input"))) return {editor.document()->connectToNode(from, to), {}};
  return {editor.document()->connectWire(from, {to, args.value(QLatin1String("input")).toInt(-1)}), {}};
}

ActionResult connectControl(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(fromName, requireString(args, "from"));
  OS_ASSIGN_OR_RESULT(toName, requireString(args, "to"));
  OS_ASSIGN_OR_RESULT(from, findNode(*editor.document(), fromName.startsWith(QLatin1Char('^')) ? fromName.mid(1) : fromName));
  OS_ASSIGN_OR_RESULT(to, findNode(*editor.document(), toName));
  return {editor.document()->connectControl(from, to), {}};
}

ActionResult disconnect(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(toName, requireString(args, "to"));
  OS_ASSIGN_OR_RESULT(to, findNode(*editor.document(), toName));
  const QString from = optionalString(args, "from");
  if (!args.contains(QLatin1String("input")) && !from.isEmpty()) {
    OS_ASSIGN_OR_RESULT(source, findNode(*editor.document(), from.startsWith(QLatin1Char('^')) ? from.mid(1) : from));
    return {editor.document()->disconnectControl(source, to), {}};
  }
  return {editor.document()->disconnectWire({to, args.value(QLatin1String("input")).toInt(-1)}), {}};
}

ActionResult groupNodes(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(nodes, targets(editor, args));
  return {editor.document()->group(nodes, optionalString(args, "name")), {}};
}

// The scope that a line names, or that of the selected item.
StatusOr<QString> scopeOf(Editor& editor, const QJsonObject& args) {
  if (args.contains(QLatin1String("scope"))) return requireString(args, "scope");
  const ItemId item = editor.selection()->current();
  const QString name = item.valid() ? editor.document()->nameOf(item) : QString();
  if (name.isEmpty() || editor.document()->scene()->FindScope(name.toStdString()) < 0) {
    return errors::FailedPrecondition("No scope is selected");
  }
  return name;
}

ActionResult ungroup(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(scope, scopeOf(editor, args));
  return {editor.document()->ungroup(scope), {}};
}

ActionResult setCollapsed(Editor& editor, const QJsonObject& args, bool collapsed) {
  OS_ASSIGN_OR_RESULT(scope, scopeOf(editor, args));
  if (!editor.document()->itemOf(scope).valid()) {
    return ActionResult::error(errors::NotFound("There is no scope '", scope.toStdString(), "'"));
  }
  if (!collapsed) editor.document()->reveal(scope);
  editor.document()->setCollapsed(scope, collapsed, args.value(QLatin1String("recursive")).toBool());
  return ActionResult::ok();
}

ActionResult pin(Editor& editor, const QJsonObject& args) {
  std::vector<ItemId> items = editor.selection()->items();
  if (args.contains(QLatin1String("nodes"))) {
    OS_ASSIGN_OR_RESULT(names, stringList(args, "nodes"));
    items.clear();
    for (const QString& name : names) {
      items.push_back(editor.document()->itemOf(name));
      if (!items.back().valid()) return ActionResult::error(errors::NotFound("There is no node '", name.toStdString(), "'"));
    }
  }
  return {editor.document()->setPinned(items, args.value(QLatin1String("pinned")).toBool(true)), {}};
}

ActionResult swapOp(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "node"));
  OS_ASSIGN_OR_RESULT(op, requireString(args, "op"));
  OS_ASSIGN_OR_RESULT(node, findNode(*editor.document(), name));
  return {editor.document()->swapOp(node, op), {}};
}

ActionResult mute(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(nodes, targets(editor, args));
  return {editor.document()->setMuted(nodes, args.value(QLatin1String("muted")).toBool(true)), {}};
}

ActionResult addFrame(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(at, optionalPoint(args, "at"));
  OS_ASSIGN_OR_RESULT(size, optionalPoint(args, "size"));
  const Point corner = at.value_or(Point{0, 0});
  const Point extent = size.value_or(Point{320, 200});
  return {editor.document()->addFrame(Rect{corner.x, corner.y, extent.x, extent.y}, optionalString(args, "text")), {}};
}

}  // namespace

void registerGraphActions(ActionRegistry* actions, Workbench* workbench) {
  const auto add = [&](const ActionSpec& spec, EditorHandler handler) {
    actions->add(spec, withEditor(workbench, std::move(handler)));
  };
  const auto script = [&](const char* id, EditorHandler handler) {
    add({.id = QLatin1String(id)}, std::move(handler));
  };
  script("node.add", addNode);
  script("node.delete", deleteNodes);
  script("node.rename", renameNode);
  script("node.set_attr", setAttr);
  script("node.set_value", setValue);
  script("node.set_device", setDevice);
  script("node.swap_op", swapOp);
  script("edge.connect", connectData);
  script("edge.connect_control", connectControl);
  script("edge.disconnect", disconnect);
  script("frame.add", addFrame);
  add({.id = QStringLiteral("scope.group"), .text = QStringLiteral("&Group into Scope"), .menu = QStringLiteral("Graph"),
       .icon = QStringLiteral("group"), .shortcuts = {QKeySequence(QStringLiteral("Ctrl+G"))}}, groupNodes);
  add({.id = QStringLiteral("scope.ungroup"), .text = QStringLiteral("&Ungroup"), .menu = QStringLiteral("Graph"),
       .icon = QStringLiteral("ungroup"), .shortcuts = {QKeySequence(QStringLiteral("Ctrl+Shift+G"))}}, ungroup);
  add({.id = QStringLiteral("scope.expand"), .text = QStringLiteral("&Expand Scope"), .menu = QStringLiteral("Graph"),
       .separatorBefore = true},
      [](Editor& e, const QJsonObject& a) { return setCollapsed(e, a, false); });
  add({.id = QStringLiteral("scope.collapse"), .text = QStringLiteral("&Collapse Scope"), .menu = QStringLiteral("Graph"),
       .shortcuts = {QKeySequence(QStringLiteral("H"))}},
      [](Editor& e, const QJsonObject& a) { return setCollapsed(e, a, true); });
  add({.id = QStringLiteral("node.pin"), .text = QStringLiteral("&Pin"), .menu = QStringLiteral("Graph"),
       .icon = QStringLiteral("pin"), .separatorBefore = true}, pin);
  add({.id = QStringLiteral("node.mute"), .text = QStringLiteral("&Mute"), .menu = QStringLiteral("Graph"),
       .shortcuts = {QKeySequence(QStringLiteral("M"))}}, mute);
}

}  // namespace opscope::ui
