// Actions document.*.

#include <QFileInfo>
#include <QJsonArray>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "app/drawing_export.h"
#include "engine/document/document_io.h"
#include "engine/graph/graph_io.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {
namespace {

void open(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  const QString path = optionalString(args, "path");
  if (path.isEmpty()) {
    workbench->askOpenPath([workbench](const QString& chosen) {
      workbench->openFile(chosen, [workbench](const Status& status) {
        if (!status.ok()) workbench->showStatus(QString::fromStdString(status.message()));
      });
    });
    reply(ActionResult::ok());
    return;
  }
  workbench->openFile(path, [workbench, args, reply](const Status& status) {
    Editor* editor = workbench->currentEditor();
    if (!status.ok() || !editor) {
      reply(ActionResult::error(status));
      return;
    }
    replySettled(editor, args, ActionResult::ok(), reply);
  });
}

// Saves the editor's document and answers when it is on disk.
void saveTo(Editor* editor, const QString& path, const ActionReply& reply) {
  auto* once = new QObject(editor);  // owns the two connections: one answer
  QObject::connect(editor->document(), &DocumentController::saved, once, [once, reply](const QString& saved) {
    once->deleteLater();
    once->disconnect();
    reply(ActionResult::ok({{QStringLiteral("path"), saved}}));
  });
  QObject::connect(editor->document(), &DocumentController::saveFailed, once,
                   [once, reply](const QString&, const Status& status) {
                     once->deleteLater();
                     once->disconnect();
                     reply(ActionResult::error(status));
                   });
  editor->document()->save(path);
}

void save(Workbench* workbench, bool as, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
    return;
  }
  const QString path = optionalString(args, "path", as ? QString() : editor->document()->path());
  if (!path.isEmpty()) {
    saveTo(editor, path, reply);
    return;
  }
  const QString filter = QStringLiteral("OpScope document (*.opscope);;Binary graph (*.pb);;Text graph (*.pbtxt)");
  workbench->askSavePath(editor->document()->title(), filter, [editor, workbench](const QString& chosen) {
    saveTo(editor, chosen, [workbench](const ActionResult& result) {
      if (!result.status.ok()) workbench->showStatus(QString::fromStdString(result.status.message()));
    });
  });
  reply(ActionResult::ok());
}

void close(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
    return;
  }
  const bool discard = args.value(QLatin1String("discard")).toBool();
  workbench->closeEditor(editor, discard, [](bool) {});
  reply(ActionResult::ok());
}

ActionResult importFile(Editor& editor, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(path, requireString(args, "path"));
  OS_ASSIGN_OR_RESULT(loaded, LoadGraph(path.toStdString()));
  const Status status = editor.document()->importGraph(loaded.graph.ToGraphDef(), optionalString(args, "scope"));
  return {status.Prepend(path.toStdString() + ": "), {}};
}

ActionResult activate(Workbench* workbench, const QJsonObject& args) {
  const auto editors = workbench->editors();
  if (args.contains(QLatin1String("index"))) {
    const int index = args.value(QLatin1String("index")).toInt(-1);
    if (index < 0 || index >= static_cast<int>(editors.size())) {
      return ActionResult::error(errors::OutOfRange("There is no document ", index, "; ", editors.size(), " are open"));
    }
    workbench->activate(editors[static_cast<size_t>(index)]);
    return ActionResult::ok();
  }
  OS_ASSIGN_OR_RESULT(path, requireString(args, "path"));
  for (Editor* editor : editors) {
    if (QFileInfo(editor->document()->path()) != QFileInfo(path)) continue;
    workbench->activate(editor);
    return ActionResult::ok();
  }
  return ActionResult::error(errors::NotFound(path.toStdString(), ": no open document has this path"));
}

void exportPicture(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    reply(ActionResult::error(errors::FailedPrecondition("No document is open")));
    return;
  }
  const QString what = optionalString(args, "what", QStringLiteral("all"));
  const double scale = args.value(QLatin1String("scale")).toDouble(1);
  const QString path = optionalString(args, "path");
  if (!path.isEmpty()) {
    editor->whenSettled([=] { reply({exportDrawing(*editor, path, what, scale), {}}); });
    return;
  }
  const QString filter = QStringLiteral("Picture (*.png);;Scalable drawing (*.svg);;PDF (*.pdf)");
  workbench->askSavePath(editor->document()->title(), filter, [=](const QString& chosen) {
    const Status status = exportDrawing(*editor, chosen, what, scale);
    if (!status.ok()) workbench->showStatus(QString::fromStdString(status.message()));
  });
  reply(ActionResult::ok());
}

}  // namespace

void registerDocumentActions(ActionRegistry* actions, Workbench* workbench) {
  const QString menu = QStringLiteral("File");
  const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
  const auto bind = [workbench](auto function) {
    return [workbench, function](const QJsonObject& args, const ActionReply& reply) { function(workbench, args, reply); };
  };
  actions->addSimple({.id = QStringLiteral("document.new"), .text = QStringLiteral("&New"), .menu = menu,
                      .icon = QStringLiteral("new"), .shortcuts = {key("Ctrl+N")}},
                     [workbench](const QJsonObject&) {
                       workbench->newEditor();
                       return ActionResult::ok();
                     });
  actions->add({.id = QStringLiteral("document.open"), .text = QStringLiteral("&Open…"), .menu = menu,
                .icon = QStringLiteral("open"), .shortcuts = {key("Ctrl+O")}}, bind(open));
  actions->add({.id = QStringLiteral("document.save"), .text = QStringLiteral("&Save"), .menu = menu,
                .icon = QStringLiteral("save"), .shortcuts = {key("Ctrl+S")}, .separatorBefore = true},
               bind([](Workbench* w, const QJsonObject& a, const ActionReply& r) { save(w, false, a, r); }));
  actions->add({.id = QStringLiteral("document.save_as"), .text = QStringLiteral("Save &As…"), .menu = menu,
                .shortcuts = {key("Ctrl+Shift+S")}},
               bind([](Workbench* w, const QJsonObject& a, const ActionReply& r) { save(w, true, a, r); }));
  actions->add({.id = QStringLiteral("document.import")}, withEditor(workbench, importFile));
  actions->add({.id = QStringLiteral("document.export"), .text = QStringLiteral("&Export…"), .menu = menu,
                .icon = QStringLiteral("export")}, bind(exportPicture));
  actions->add({.id = QStringLiteral("document.close"), .text = QStringLiteral("&Close"), .menu = menu,
                .icon = QStringLiteral("close"), .shortcuts = {key("Ctrl+W")}, .separatorBefore = true}, bind(close));
  actions->addSimple({.id = QStringLiteral("document.activate")},
                     [workbench](const QJsonObject& args) { return activate(workbench, args); });
}

}  // namespace opscope::ui
