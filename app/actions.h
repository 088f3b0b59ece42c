#pragma once
// The one registry of actions: menus, shortcuts, the command palette and scripts all name an action by its id
// (interfaces.md, 3) and run it through here.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <QAction>
#include <QJsonObject>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include "engine/base/status.h"

namespace opscope::ui {

/// What an action answers: a Status, and fields that go into a script's answer line.
struct ActionResult {
  Status status;
  QJsonObject fields;

  static ActionResult ok(QJsonObject fields = {}) { return {Status::OK(), std::move(fields)}; }
  static ActionResult error(Status status) { return {std::move(status), {}}; }
};

/// Called exactly once, on the UI thread, at once or later.
using ActionReply = std::function<void(ActionResult)>;
/// Does the work. `args` are the script line's keys; empty from a menu or a key.
using ActionHandler = std::function<void(const QJsonObject& args, ActionReply reply)>;
/// For work that is done when the function returns.
using SimpleHandler = std::function<ActionResult(const QJsonObject& args)>;

/// How an action looks in menus and which keys start it. Scripts-only actions have no text.
struct ActionSpec {
  QString id{};
  QString text{};                     ///< "&Save"; empty: for scripts only.
  QString menu{};                     ///< "File", "View/Overlays"; empty: in no menu.
  QString icon{};                     ///< Name of an icon of the theme.
  QList<QKeySequence> shortcuts{};
  bool separatorBefore = false;
  bool checkable = false;
  QString group{};                    ///< Exclusive group of checkable actions.
  QJsonObject args{};                 ///< What the menu or key passes to the handler.
  QString alias{};                    ///< Set when several entries share one id: "view.overlay#order".
};

/// Owns the QActions and handlers. Threads: UI thread.
class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  explicit ActionRegistry(QObject* parent = nullptr);

  /// Registers the handler of an id. The handler may be shared by several entries (see addEntry).
  void add(const ActionSpec& spec, ActionHandler handler);
  void addSimple(const ActionSpec& spec, SimpleHandler handler);
  /// One more menu entry or key for an id that has a handler; `spec.alias` names it.
  void addEntry(const ActionSpec& spec);

  /// Runs by id. An unknown id answers UNIMPLEMENTED with its name.
  void run(const QString& id, const QJsonObject& args, ActionReply reply);
  /// As run; a failure is told through `failed`.
  void trigger(const QString& id, const QJsonObject& args = {});

  QAction* action(const QString& idOrAlias) const;  ///< nullptr for scripts-only and unknown ids.
  struct Entry {
    ActionSpec spec;
    QAction* action;
  };
  const std::vector<Entry>& entries() const { return entries_; }  ///< In the order of registration.
  bool contains(const QString& id) const { return handlers_.count(id) > 0; }

  /// Disables an action and says why in its tooltip; an empty reason enables it.
  void setDisabledReason(const QString& idOrAlias, const QString& reason);

 Q_SIGNALS:
  void failed(const QString& id, const Status& status);

 private:
  void makeAction(const ActionSpec& spec);

  std::map<QString, ActionHandler> handlers_;
  std::vector<Entry> entries_;
  std::map<QString, QAction*> actions_;
};

}  // namespace opscope::ui
