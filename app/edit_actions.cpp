// Actions edit.* and select.*.

#include <QApplication>
#include <QClipboard>
#include <QJsonArray>
#include <QMimeData>
#include <QUndoStack>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/selection.h"

namespace opscope::ui {
namespace {

std::vector<NodeId> selectedNodes(const Editor& editor) {
  return editor.document()->nodesOf(editor.selection()->items());
}

ActionResult undo(Editor& editor, const QJsonObject&) {
  QUndoStack* stack = editor.document()->undoStack();
  if (!stack->canUndo()) return ActionResult::error(errors::FailedPrecondition("There is nothing to undo"));
  stack->undo();
  return ActionResult::ok();
}

ActionResult redo(Editor& editor, const QJsonObject&) {
  QUndoStack* stack = editor.document()->undoStack();
  if (!stack->canRedo()) return ActionResult::error(errors::FailedPrecondition("There is nothing to redo"));
  stack->redo();
  return ActionResult::ok();
}

ActionResult copy(Editor& editor, const QJsonObject&) {
  const auto nodes = selectedNodes(editor);
  if (nodes.empty()) return ActionResult::error(errors::FailedPrecondition("Nothing is selected"));
  QApplication::clipboard()->setText(editor.document()->copyText(nodes));
  return ActionResult::ok({{QStringLiteral("nodes"), static_cast<int>(nodes.size())}});
}

ActionResult cut(Editor& editor, const QJsonObject& args) {
  ActionResult copied = copy(editor, args);
  if (copied.status.ok()) copied.status = editor.document()->deleteSelection();
  return copied;
}

ActionResult paste(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(at, optionalPoint(args, "at"));
  const QString text = QApplication::clipboard()->text();
  if (text.isEmpty()) return ActionResult::error(errors::FailedPrecondition("The clipboard holds no text"));
  return {editor.document()->paste(text, at, args.value(QLatin1String("inputs")).toBool()), {}};
}

ActionResult duplicate(Editor& editor, const QJsonObject& args) {
  const auto nodes = selectedNodes(editor);
  if (nodes.empty()) return ActionResult::error(errors::FailedPrecondition("Nothing is selected"));
  return {editor.document()->duplicate(nodes, args.value(QLatin1String("inputs")).toBool()), {}};
}

ActionResult removeSelection(Editor& editor, const QJsonObject& args) {
  if (editor.selection()->empty()) return ActionResult::error(errors::FailedPrecondition("Nothing is selected"));
  return {editor.document()->deleteSelection(args.value(QLatin1String("reconnect")).toBool()), {}};
}

// ["a:0", "b", 1] as in interfaces.md; a control wire is ["^a", "b"].
StatusOr<WireRef> wireOf(Editor& editor, const QJsonArray& edge) {
  if (edge.size() < 2) return errors::InvalidArgument("an edge is [\"a:0\",\"b\",1]");
  const QString from = edge[0].toString();
  WireRef wire;
  OS_ASSIGN_OR_RETURN(wire.to, findNode(*editor.document(), edge[1].toString()));
  if (from.startsWith(QLatin1Char('^'))) {
    OS_ASSIGN_OR_RETURN(wire.from, findNode(*editor.document(), from.mid(1)));
    wire.output = wire.input = -1;
    return wire;
  }
  OS_ASSIGN_OR_RETURN(const OutputRef output, findOutput(*editor.document(), from));
  wire.from = output.node;
  wire.output = output.output;
  wire.input = edge.size() > 2 ? edge[2].toInt() : 0;
  return wire;
}

ActionResult selectSet(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(names, stringList(args, "nodes"));
  std::vector<ItemId> items;
  for (const QString& name : names) {
    items.push_back(editor.document()->itemOf(name));
    if (!items.back().valid()) {
      return ActionResult::error(errors::NotFound("There is no node or scope '", name.toStdString(), "'"));
    }
  }
  std::vector<WireRef> wires;
  for (const QJsonValue& edge : args.value(QLatin1String("edges")).toArray()) {
    OS_ASSIGN_OR_RESULT(wire, wireOf(editor, edge.toArray()));
    wires.push_back(wire);
  }
  editor.selection()->set(std::move(items), std::move(wires));
  return ActionResult::ok();
}

ActionResult selectAll(Editor& editor, const QJsonObject&) {
  std::vector<ItemId> items;
  const auto scene = editor.document()->scene();
  for (const SceneItem& item : scene->items) {
    if (item.parent < 0) items.push_back(item.id);
  }
  editor.selection()->set(std::move(items));
  return ActionResult::ok({{QStringLiteral("count"), static_cast<int>(editor.selection()->items().size())}});
}

// Adds what is `hops` wires away, in the direction of the data or against it.
ActionResult selectAlong(Editor& editor, const QJsonObject& args, bool upstream) {
  const Graph& graph = editor.document()->graph();
  std::vector<NodeId> reached = selectedNodes(editor);
  if (reached.empty()) return ActionResult::error(errors::FailedPrecondition("Nothing is selected"));
  std::vector<bool> seen(graph.num_ids());
  for (const NodeId id : reached) seen[id.index()] = true;
  size_t begin = 0;
  for (int hop = args.value(QLatin1String("hops")).toInt(1); hop > 0 && begin < reached.size(); --hop) {
    const size_t end = reached.size();
    const auto visit = [&](NodeId id) {
      if (!seen[id.index()]) reached.push_back(id);
      seen[id.index()] = true;
    };
    for (; begin < end; ++begin) {
      const Node& node = graph.node(reached[begin]);
      if (upstream) for (const InEdge& edge : node.in_edges) visit(edge.src);
      if (!upstream) for (const OutEdge& edge : node.out_edges) visit(edge.dst);
    }
  }
  std::vector<ItemId> items;
  for (const NodeId id : reached) {
    items.push_back(editor.document()->itemOf(QString::fromStdString(graph.node(id).name())));
  }
  editor.selection()->set(std::move(items));
  return ActionResult::ok({{QStringLiteral("count"), static_cast<int>(reached.size())}});
}

}  // namespace

void registerEditActions(ActionRegistry* actions, Workbench* workbench) {
  const QString menu = QStringLiteral("Edit");
  const auto add = [&](const ActionSpec& spec, EditorHandler handler) {
    actions->add(spec, withEditor(workbench, std::move(handler)));
  };
  const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
  add({.id = QStringLiteral("edit.undo"), .text = QStringLiteral("&Undo"), .menu = menu, .icon = QStringLiteral("undo"),
       .shortcuts = {key("Ctrl+Z")}}, undo);
  add({.id = QStringLiteral("edit.redo"), .text = QStringLiteral("&Redo"), .menu = menu, .icon = QStringLiteral("redo"),
       .shortcuts = {key("Ctrl+Shift+Z"), key("Ctrl+Y")}}, redo);
  add({.id = QStringLiteral("edit.cut"), .text = QStringLiteral("Cu&t"), .menu = menu, .shortcuts = {key("Ctrl+X")},
       .separatorBefore = true}, cut);
  add({.id = QStringLiteral("edit.copy"), .text = QStringLiteral("&Copy"), .menu = menu, .icon = QStringLiteral("copy"),
       .shortcuts = {key("Ctrl+C")}}, copy);
  add({.id = QStringLiteral("edit.paste"), .text = QStringLiteral("&Paste"), .menu = menu, .shortcuts = {key("Ctrl+V")}}, paste);
  actions->addEntry({.id = QStringLiteral("edit.paste"), .text = QStringLiteral("Paste with &Inputs"), .menu = menu,
                     .shortcuts = {key("Ctrl+Shift+V")}, .args = {{QStringLiteral("inputs"), true}},
                     .alias = QStringLiteral("edit.paste#inputs")});
  add({.id = QStringLiteral("edit.duplicate"), .text = QStringLiteral("&Duplicate"), .menu = menu,
       .shortcuts = {key("Ctrl+D")}}, duplicate);
  add({.id = QStringLiteral("edit.delete"), .text = QStringLiteral("De&lete"), .menu = menu, .icon = QStringLiteral("trash"),
       .shortcuts = {key("Del"), key("Backspace")}, .separatorBefore = true}, removeSelection);
  actions->addEntry({.id = QStringLiteral("edit.delete"), .text = QStringLiteral("Delete and &Reconnect"), .menu = menu,
                     .shortcuts = {key("Ctrl+Del")}, .args = {{QStringLiteral("reconnect"), true}},
                     .alias = QStringLiteral("edit.delete#reconnect")});
  add({.id = QStringLiteral("select.set")}, selectSet);
  add({.id = QStringLiteral("select.all"), .text = QStringLiteral("Select &All"), .menu = menu, .shortcuts = {key("Ctrl+A")},
       .separatorBefore = true}, selectAll);
  add({.id = QStringLiteral("select.none"), .text = QStringLiteral("Select &None"), .menu = menu},
      [](Editor& editor, const QJsonObject&) {
        editor.selection()->clear();
        return ActionResult::ok();
      });
  add({.id = QStringLiteral("select.upstream"), .text = QStringLiteral("Select Up&stream"), .menu = menu,
       .shortcuts = {key("[")}}, [](Editor& e, const QJsonObject& a) { return selectAlong(e, a, true); });
  add({.id = QStringLiteral("select.downstream"), .text = QStringLiteral("Select Do&wnstream"), .menu = menu,
       .shortcuts = {key("]")}}, [](Editor& e, const QJsonObject& a) { return selectAlong(e, a, false); });
}

}  // namespace opscope::ui
