#include "app/actions.h"

#include <QActionGroup>

namespace opscope::ui {
namespace {

QString toolTip(const ActionSpec& spec, const QString& more) {
  QString text = spec.text;
  text.remove(QLatin1Char('&'));
  if (!spec.shortcuts.isEmpty()) {
    text += QStringLiteral("   ") + spec.shortcuts.first().toString(QKeySequence::NativeText);
  }
  return more.isEmpty() ? text : text + QStringLiteral("\n") + more;
}

}  // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent) {}

void ActionRegistry::add(const ActionSpec& spec, ActionHandler handler) {
  handlers_[spec.id] = std::move(handler);
  if (!spec.text.isEmpty()) makeAction(spec);
}

void ActionRegistry::addSimple(const ActionSpec& spec, SimpleHandler handler) {
  add(spec, [handler = std::move(handler)](const QJsonObject& args, const ActionReply& reply) { reply(handler(args)); });
}

void ActionRegistry::addEntry(const ActionSpec& spec) { makeAction(spec); }

void ActionRegistry::makeAction(const ActionSpec& spec) {
  const QString name = spec.alias.isEmpty() ? spec.id : spec.alias;
  auto* action = new QAction(spec.text, this);
  action->setObjectName(name);
  action->setShortcuts(spec.shortcuts);
  action->setCheckable(spec.checkable);
  action->setToolTip(toolTip(spec, QString()));
  connect(action, &QAction::triggered, this, [this, id = spec.id, args = spec.args] { trigger(id, args); });
  if (!spec.group.isEmpty()) {
    auto* group = findChild<QActionGroup*>(spec.group);
    if (!group) {
      group = new QActionGroup(this);
      group->setObjectName(spec.group);
    }
    group->addAction(action);
  }
  actions_[name] = action;
  entries_.push_back({spec, action});
}

void ActionRegistry::run(const QString& id, const QJsonObject& args, ActionReply reply) {
  const auto found = handlers_.find(id);
  if (found == handlers_.end()) {
    reply(ActionResult::error(errors::Unimplemented("There is no action '", id.toStdString(), "'")));
    return;
  }
  const ActionHandler handler = found->second;  // a handler may change the registry
  handler(args, std::move(reply));
}

void ActionRegistry::trigger(const QString& id, const QJsonObject& args) {
  run(id, args, [this, id](const ActionResult& result) {
    if (!result.status.ok()) Q_EMIT failed(id, result.status);
  });
}

QAction* ActionRegistry::action(const QString& idOrAlias) const {
  const auto found = actions_.find(idOrAlias);
  return found == actions_.end() ? nullptr : found->second;
}

void ActionRegistry::setDisabledReason(const QString& idOrAlias, const QString& reason) {
  for (const Entry& entry : entries_) {
    const QString name = entry.spec.alias.isEmpty() ? entry.spec.id : entry.spec.alias;
    if (name != idOrAlias && entry.spec.id != idOrAlias) continue;
    entry.action->setEnabled(reason.isEmpty());
    entry.action->setToolTip(toolTip(entry.spec, reason));
  }
}

}  // namespace opscope::ui
