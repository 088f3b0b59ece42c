// Actions input.*: real events.

#include <memory>

#include <QJsonArray>
#include <QTimer>
#include <QWidget>

#include "app/action_args.h"
#include "app/action_groups.h"
#include "app/input_driver.h"
#include "app/targets.h"

namespace opscope::ui {
namespace {

struct Pointer {
  QPoint at;
  Qt::MouseButton button = Qt::LeftButton;
  Qt::KeyboardModifiers modifiers;
};

StatusOr<Pointer> readPointer(Workbench* workbench, const QJsonObject& args, const char* key) {
  Pointer pointer;
  OS_ASSIGN_OR_RETURN(pointer.at, targetPoint(workbench, args.value(QLatin1String(key))));
  OS_ASSIGN_OR_RETURN(pointer.button, parseButton(optionalString(args, "button")));
  OS_ASSIGN_OR_RETURN(const QStringList names, stringList(args, "modifiers"));
  OS_ASSIGN_OR_RETURN(pointer.modifiers, parseModifiers(names));
  return pointer;
}

// After an event: what it started (layout, animation) is waited for.
void settle(Workbench* workbench, const QJsonObject& args, const ActionReply& reply) {
  Editor* editor = workbench->currentEditor();
  if (!editor) {
    QTimer::singleShot(0, workbench->window(), [reply] { reply(ActionResult::ok()); });
    return;
  }
  replySettled(editor, args, ActionResult::ok(), reply);
}

using PointerEvent = std::function<void(InputDriver&, const Pointer&)>;

ActionHandler pointerAction(Workbench* workbench, std::shared_ptr<InputDriver> driver, PointerEvent event) {
  return [=](const QJsonObject& args, const ActionReply& reply) {
    const auto pointer = readPointer(workbench, args, "target");
    if (!pointer.ok()) {
      reply(ActionResult::error(pointer.status()));
      return;
    }
    event(*driver, *pointer);
    settle(workbench, args, reply);
  };
}

Status drag(Workbench* workbench, InputDriver& driver, const QJsonObject& args) {
  OS_ASSIGN_OR_RETURN(const Pointer from, readPointer(workbench, args, "from"));
  std::vector<QPoint> path = {from.at};
  for (const QJsonValue& via : args.value(QLatin1String("via")).toArray()) {
    OS_ASSIGN_OR_RETURN(const QPoint point, targetPoint(workbench, via));
    path.push_back(point);
  }
  OS_ASSIGN_OR_RETURN(const QPoint to, targetPoint(workbench, args.value(QLatin1String("to"))));
  path.push_back(to);
  driver.drag(path, from.button, from.modifiers);
  return Status::OK();
}

Status wheel(Workbench* workbench, InputDriver& driver, const QJsonObject& args) {
  const char* key = args.contains(QLatin1String("at")) && args.value(QLatin1String("at")).isObject() ? "at" : "target";
  OS_ASSIGN_OR_RETURN(const Pointer pointer, readPointer(workbench, args, key));
  const QJsonValue delta = args.value(QLatin1String("delta"));
  const QPoint angle = delta.isArray() ? QPoint(delta.toArray().at(0).toInt(), delta.toArray().at(1).toInt())
                                       : QPoint(0, delta.toInt(120));
  driver.wheel(pointer.at, angle, pointer.modifiers);
  return Status::OK();
}

Status focus(Workbench* workbench, const QJsonObject& args) {
  OS_ASSIGN_OR_RETURN(const QString name, requireString(args, "widget"));
  QWidget* widget = findWidget(workbench, name);
  if (!widget) return errors::NotFound("There is no widget '", name.toStdString(), "'");
  widget->window()->activateWindow();
  widget->setFocus(Qt::OtherFocusReason);
  return Status::OK();
}

}  // namespace

void registerInputActions(ActionRegistry* actions, Workbench* workbench) {
  auto driver = std::make_shared<InputDriver>();
  const auto pointer = [&](const char* id, PointerEvent event) {
    actions->add({.id = QLatin1String(id)}, pointerAction(workbench, driver, std::move(event)));
  };
  const auto plain = [&](const char* id, std::function<Status(const QJsonObject&)> work) {
    actions->add({.id = QLatin1String(id)}, [workbench, work = std::move(work)](const QJsonObject& args, const ActionReply& reply) {
      const Status status = work(args);
      if (status.ok()) settle(workbench, args, reply);
      else reply(ActionResult::error(status));
    });
  };
  pointer("input.press", [](InputDriver& d, const Pointer& p) { d.press(p.at, p.button, p.modifiers); });
  pointer("input.move", [](InputDriver& d, const Pointer& p) { d.move(p.at, p.modifiers); });
  pointer("input.release", [](InputDriver& d, const Pointer& p) { d.release(p.at, p.button, p.modifiers); });
  pointer("input.click", [](InputDriver& d, const Pointer& p) { d.click(p.at, p.button, p.modifiers); });
  pointer("input.double_click", [](InputDriver& d, const Pointer& p) { d.doubleClick(p.at, p.button, p.modifiers); });
  plain("input.drag", [=](const QJsonObject& args) { return drag(workbench, *driver, args); });
  plain("input.wheel", [=](const QJsonObject& args) { return wheel(workbench, *driver, args); });
  plain("input.focus", [=](const QJsonObject& args) { return focus(workbench, args); });
  plain("input.key", [=](const QJsonObject& args) -> Status {
    OS_ASSIGN_OR_RETURN(const QString key, requireString(args, "key"));
    return driver->key(key);
  });
  plain("input.type", [=](const QJsonObject& args) -> Status {
    OS_ASSIGN_OR_RETURN(const QString text, requireString(args, "text"));
    driver->type(text);
    return Status::OK();
  });
}

}  // namespace opscope::ui
