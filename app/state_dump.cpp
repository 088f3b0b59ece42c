#include "app/state_dump.h"

#include <QApplication>
#include <QDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QMessageBox>
#include <QUndoStack>

#include "app/editor.h"
#include "engine/document/value_text.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/selection.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

// JSON text (of value_text.h) as a JSON value.
QJsonValue parsed(const std::string& json) {
  const QJsonDocument document = QJsonDocument::fromJson("[" + QByteArray::fromStdString(json) + "]");
  return document.array().isEmpty() ? QJsonValue(toQString(json)) : document.array().at(0);
}

QJsonObject dumpNode(const Node& node) {
  QJsonArray inputs;
  for (const std::string& input : node.def.input()) inputs.append(toQString(input));
  QJsonObject attrs;
  for (const auto& [name, value] : node.def.attr()) attrs[toQString(name)] = parsed(AttrToText(value));
  return {{QStringLiteral("name"), toQString(node.name())},
          {QStringLiteral("op"), toQString(node.op())},
          {QStringLiteral("device"), toQString(node.def.device())},
          {QStringLiteral("inputs"), inputs},
          {QStringLiteral("attr"), attrs}};
}

QJsonArray dumpProblems(const Editor& editor) {
  QJsonArray problems;
  for (const Diagnostic& problem : editor.document()->problems()) {
    problems.append(QJsonObject{{QStringLiteral("node"), toQString(problem.node)},
                                {QStringLiteral("code"), toQString(CodeName(problem.code))},
                                {QStringLiteral("message"), toQString(problem.message)}});
  }
  return problems;
}

QJsonObject dumpUndo(const Editor& editor) {
  const QUndoStack* stack = editor.document()->undoStack();
  return {{QStringLiteral("can_undo"), stack->canUndo()},
          {QStringLiteral("undo_text"), stack->undoText()},
          {QStringLiteral("can_redo"), stack->canRedo()},
          {QStringLiteral("redo_text"), stack->redoText()}};
}

QJsonArray dumpSelection(const Editor& editor) {
  QJsonArray selection;
  for (const ItemId item : editor.selection()->items()) selection.append(editor.document()->nameOf(item));
  return selection;
}

QJsonArray dumpDocuments(const Workbench& workbench) {
  QJsonArray documents;
  for (const Editor* editor : workbench.editors()) {
    documents.append(QJsonObject{{QStringLiteral("path"), editor->document()->path()},
                                 {QStringLiteral("active"), editor == workbench.currentEditor()},
                                 {QStringLiteral("modified"), editor->document()->isModified()}});
  }
  return documents;
}

QJsonArray dumpDialogs() {
  QJsonArray dialogs;
  for (QWidget* window : QApplication::topLevelWidgets()) {
    if (!window->isVisible() || !qobject_cast<QDialog*>(window)) continue;
    QString words;
    if (const auto* box = qobject_cast<QMessageBox*>(window)) {
      words = box->text() + (box->informativeText().isEmpty() ? QString() : QStringLiteral("\n") + box->informativeText());
    } else {
      QStringList lines;
      for (const QLabel* label : window->findChildren<QLabel*>()) lines << label->text();
      words = lines.join(QLatin1Char('\n'));
    }
    dialogs.append(QJsonObject{{QStringLiteral("title"), window->windowTitle()}, {QStringLiteral("text"), words}});
  }
  return dialogs;
}

QJsonObject dumpPanels(const Workbench& workbench) {
  QJsonObject panels;
  for (const QString& name : workbench.panelNames()) {
    panels[name] = QJsonObject{{QStringLiteral("visible"), workbench.isPanelVisible(name)}};
  }
  return panels;
}

QString focusName() {
  const QWidget* focus = QApplication::focusWidget();
  while (focus && focus->objectName().isEmpty()) focus = focus->parentWidget();
  return focus ? focus->objectName() : QString();
}

}  // namespace

QJsonObject dumpDocument(const Editor& editor) {
  QJsonArray nodes;
  editor.document()->graph().ForEachNode([&](NodeId, const Node& node) { nodes.append(dumpNode(node)); });
  return {{QStringLiteral("path"), editor.document()->path()},
          {QStringLiteral("modified"), editor.document()->isModified()},
          {QStringLiteral("graph_version"), static_cast<qint64>(editor.document()->graph().version())},
          {QStringLiteral("nodes"), nodes},
          {QStringLiteral("problems"), dumpProblems(editor)}};
}

QJsonObject dumpState(Workbench* workbench) {
  QJsonObject state{{QStringLiteral("documents"), dumpDocuments(*workbench)},
                    {QStringLiteral("panels"), dumpPanels(*workbench)},
                    {QStringLiteral("dialogs"), dumpDialogs()},
                    {QStringLiteral("status"), workbench->statusText()},
                    {QStringLiteral("focus"), focusName()}};
  const Editor* editor = workbench->currentEditor();
  if (!editor) return state;
  state[QStringLiteral("document")] = dumpDocument(*editor);
  state[QStringLiteral("scene")] = dumpScene(*editor);
  state[QStringLiteral("selection")] = dumpSelection(*editor);
  state[QStringLiteral("undo")] = dumpUndo(*editor);
  state[QStringLiteral("run")] = dumpRun(*editor);
  state[QStringLiteral("devices")] = dumpDevices(*editor);
  state[QStringLiteral("allocators")] = dumpAllocators(*editor);
  state[QStringLiteral("hint")] = editor->hint();
  return state;
}

}  // namespace opscope::ui
