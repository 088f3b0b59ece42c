#include "app/actions.h"

#include <utility>

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

// The form of the keys that mean the same in every action. Targets of input.* are read by themselves.
Status checkArguments(const QString& id, const QJsonObject& args) {
  if (id.startsWith(QLatin1String("input."))) return Status::OK();
  static const QStringList kTexts = {
      QStringLiteral("path"),   QStringLiteral("name"),  QStringLiteral("node"),  QStringLiteral("scope"),
      QStringLiteral("op"),     QStringLiteral("device"), QStringLiteral("query"), QStringLiteral("tensor"),
      QStringLiteral("text"),   QStringLiteral("when"),  QStringLiteral("expr"),  QStringLiteral("until"),
      QStringLiteral("what"),   QStringLiteral("widget"), QStringLiteral("button"), QStringLiteral("from"),
      QStringLiteral("to"),     QStringLiteral("target"), QStringLiteral("allocator")};
  static const QStringList kNumbers = {QStringLiteral("hops"), QStringLiteral("steps"), QStringLiteral("factor"),
                                       QStringLiteral("scale"), QStringLiteral("ms"),   QStringLiteral("timeout_ms"),
                                       QStringLiteral("index"), QStringLiteral("input"), QStringLiteral("event")};
  static const QStringList kSwitches = {QStringLiteral("wait"),   QStringLiteral("discard"), QStringLiteral("recursive"),
                                        QStringLiteral("pinned"), QStringLiteral("muted"),   QStringLiteral("enabled"),
                                        QStringLiteral("visible"), QStringLiteral("soft_placement")};
  for (auto it = args.begin(); it != args.end(); ++it) {
    const bool zoomTo = id == QLatin1String("view.zoom") && it.key() == QLatin1String("to");
    const char* want = zoomTo                          ? nullptr
                       : kTexts.contains(it.key())     ? (it->isString() ? nullptr : "a string")
                       : kNumbers.contains(it.key())   ? (it->isDouble() ? nullptr : "a number")
                       : kSwitches.contains(it.key())  ? (it->isBool() ? nullptr : "true or false")
                                                       : nullptr;
    const std::string key = it.key().toStdString();
    if (want) return errors::InvalidArgument("\"", key, "\" must be ", want);
    if (it.key() != QLatin1String("path")) continue;
    if (it->toString().isEmpty() || it->toString().contains(QChar(u'\0'))) {
      return errors::InvalidArgument("\"path\" must be a file's path");
    }
  }
  return Status::OK();
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
  if (Status status = checkArguments(id, args); !status.ok()) {
    reply(ActionResult::error(std::move(status)));
    return;
  }
  // One answer for one action, however many signals tell its end.
  auto answered = std::make_shared<bool>(false);
  const ActionHandler handler = found->second;  // a handler may change the registry
  handler(args, [answered, reply = std::move(reply)](ActionResult result) {
    if (!std::exchange(*answered, true)) reply(std::move(result));
  });
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
