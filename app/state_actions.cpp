// Actions state.* and dialog.*: looking at the window from a script.

#include <memory>

#include <QAbstractButton>
#include <QCoreApplication>
#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QJsonDocument>
#include <QMessageBox>
#include <QMetaEnum>
#include <QTimer>
#include <QWidget>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "app/state_dump.h"
#include "app/targets.h"
#include "engine/base/file.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/layout_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"

namespace opscope::ui {
namespace {

constexpr int kDefaultWaitMs = 30'000;

ActionResult dump(Workbench* workbench, const QJsonObject& args) {
  const QJsonObject state = dumpState(workbench);
  const QString path = optionalString(args, "path");
  if (path.isEmpty()) return ActionResult::ok(state);
  const QByteArray json = QJsonDocument(state).toJson();
  return {WriteFileAtomic(path.toStdString(), std::string_view(json.constData(), static_cast<size_t>(json.size()))), {}};
}

ActionResult grab(Workbench* workbench, const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(path, requireString(args, "path"));
  QWidget* widget = workbench->window();
  const QString name = optionalString(args, "widget");
  if (!name.isEmpty()) widget = findWidget(workbench, name);
  if (!widget) return ActionResult::error(errors::NotFound("There is no widget '", name.toStdString(), "'"));
  // What was changed a moment ago is laid out before the picture is taken; each level of nesting takes a round.
  constexpr int kRounds = 16;
  for (int i = 0; i < kRounds; ++i) QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
  if (!widget->grab().save(path, "PNG")) {
    return ActionResult::error(errors::PermissionDenied(path.toStdString(), ": the picture could not be written"));
  }
  return ActionResult::ok({{QStringLiteral("size"), QStringLiteral("%1x%2").arg(widget->width()).arg(widget->height())}});
}

// Whether what a script waits for is so; `paused`, `running` and `idle` are states, the others happen.
bool holds(const Editor& editor, const QString& until) {
  const RunState state = editor.run()->state();
  if (until == QLatin1String("paused")) return state == RunState::kPaused;
  if (until == QLatin1String("running")) return state == RunState::kRunning;
  if (until == QLatin1String("run_end")) return !editor.run()->isActive();
  if (until == QLatin1String("layout")) return editor.layoutController()->isIdle();
  return until == QLatin1String("idle") && !editor.run()->isActive() && editor.isSettled();
}

void waitUntil(Editor* editor, const QString& until, int timeoutMs, const ActionReply& reply) {
  auto* once = new QObject(editor);
  const auto answer = [once, reply](ActionResult result) {
    once->disconnect();
    once->deleteLater();
    reply(std::move(result));
  };
  const bool event = until == QLatin1String("event");
  const auto check = [=] {
    if (!event && holds(*editor, until)) answer(ActionResult::ok());
  };
  QObject::connect(editor->run(), &RunController::stateChanged, once, check, Qt::QueuedConnection);
  QObject::connect(editor->layoutController(), &LayoutController::layoutDone, once, check, Qt::QueuedConnection);
  QObject::connect(editor, &Editor::settled, once, check, Qt::QueuedConnection);
  if (event) {
    QObject::connect(editor->trace(), &TraceController::traceChanged, once, [=] { answer(ActionResult::ok()); });
  }
  QTimer::singleShot(timeoutMs, once, [=] {
    answer(ActionResult::error(errors::DeadlineExceeded("'", until.toStdString(), "' did not come within ", timeoutMs, " ms")));
  });
  QTimer::singleShot(0, once, check);
}

void wait(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  const QString until = optionalString(args, "until");
  if (until.isEmpty()) {
    QTimer::singleShot(std::max(0, args.value(QLatin1String("ms")).toInt()), workbench->window(),
                       [reply] { reply(ActionResult::ok()); });
    return;
  }
  static const QStringList kKnown = {QStringLiteral("idle"), QStringLiteral("paused"), QStringLiteral("running"),
                                     QStringLiteral("run_end"), QStringLiteral("layout"), QStringLiteral("event")};
  Editor* editor = workbench->currentEditor();
  if (!editor || !kKnown.contains(until)) {
    reply(ActionResult::error(editor ? errors::InvalidArgument("\"until\" is '", until.toStdString(), "'; expected ",
                                                               kKnown.join(QStringLiteral(", ")).toStdString())
                                     : errors::FailedPrecondition("No document is open")));
    return;
  }
  waitUntil(editor, until, args.value(QLatin1String("timeout_ms")).toInt(kDefaultWaitMs), reply);
}

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

// The standard name of a button of a box ("Discard"), in any language.
QString standardName(const QAbstractButton* button) {
  for (const QWidget* parent = button->parentWidget(); parent; parent = parent->parentWidget()) {
    const auto* box = qobject_cast<const QDialogButtonBox*>(parent);
    if (!box) continue;
    const auto standard = box->standardButton(const_cast<QAbstractButton*>(button));
    return QString::fromLatin1(QMetaEnum::fromType<QDialogButtonBox::StandardButtons>().valueToKey(standard));
  }
  return QString();
}

ActionResult answerDialog(const QJsonObject& args) {
  OS_ASSIGN_OR_RESULT(name, requireString(args, "button"));
  QStringList seen;
  bool any = false;
  for (QWidget* window : QApplication::topLevelWidgets()) {
    if (!window->isVisible() || !qobject_cast<QDialog*>(window)) continue;
    any = true;
    for (QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
      if (!button->isVisible()) continue;
      seen << plain(button->text());
      if (plain(button->text()).compare(name, Qt::CaseInsensitive) != 0 &&
          standardName(button).compare(name, Qt::CaseInsensitive) != 0) {
        continue;
      }
      button->click();
      return ActionResult::ok();
    }
  }
  if (!any) return ActionResult::error(errors::FailedPrecondition("No dialog is open"));
  return ActionResult::error(errors::NotFound("No dialog has a button '", name.toStdString(), "'; there are: ",
                                              seen.join(QStringLiteral(", ")).toStdString()));
}

}  // namespace

void registerStateActions(ActionRegistry* actions, Workbench* workbench) {
  actions->addSimple({.id = QStringLiteral("state.dump")}, [workbench](const QJsonObject& args) { return dump(workbench, args); });
  actions->addSimple({.id = QStringLiteral("state.grab")}, [workbench](const QJsonObject& args) { return grab(workbench, args); });
  actions->add({.id = QStringLiteral("state.wait")},
               [workbench](const QJsonObject& args, const ActionReply& reply) { wait(workbench, args, reply); });
  actions->addSimple({.id = QStringLiteral("dialog.answer")}, [](const QJsonObject& args) { return answerDialog(args); });
}

}  // namespace opscope::ui
