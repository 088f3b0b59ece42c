#pragma once
// What every panel is: a view of the current document that follows the tabs.

#include <QJsonObject>
#include <QPointer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QStackedLayout;

namespace opscope::ui {

class DocumentController;
class RunController;
class TraceController;

/// The controllers of the document that is current; all null on the start page.
struct EditorContext {
  DocumentController* document = nullptr;
  RunController* run = nullptr;
  TraceController* trace = nullptr;
  bool valid() const { return document != nullptr; }
};

/// Panels know controllers and models only; what concerns the canvas or the window they ask for by signals. A panel that
/// is hidden does no work: it catches up when it is shown. UI thread.
class Panel : public QWidget {
  Q_OBJECT

 public:
  Panel(const QString& name, const QString& title, QWidget* parent = nullptr);
  ~Panel() override;

  /// "outline": the name in scripts, and the objectName.
  QString name() const { return objectName(); }
  QString title() const { return title_; }
  const EditorContext& context() const { return context_; }
  void setContext(const EditorContext& context);
  /// A number beside the title (problems); -1 = none.
  int badge() const { return badge_; }
  /// Widgets for the header's right side; empty where a panel has none.
  virtual QList<QWidget*> headerWidgets() { return {}; }

 Q_SIGNALS:
  /// Select the node (or scope) and show it on the canvas.
  void nodeActivated(const QString& name);
  /// Run an action of the registry.
  void actionRequested(const QString& id, const QJsonObject& args);
  void badgeChanged(int badge);

 protected:
  /// Connects to the context's signals, with `guard` as the receiver's context: it dies with the next setContext.
  virtual void connectContext(QObject* guard) = 0;
  /// Shows the state of the context (which may be invalid).
  virtual void refresh() = 0;
  /// Soon, once, and only while visible.
  void scheduleRefresh();
  void setBadge(int badge);
  void showEvent(QShowEvent* event) override;

  /// The widget that shows content, and a text that stands in its place while there is nothing to show.
  void setContent(QWidget* content);
  void showPlaceholder(const QString& text);
  void showContent();

 private:
  QString title_;
  EditorContext context_;
  QPointer<QObject> guard_;
  QTimer refresh_timer_;
  bool dirty_ = true;
  int badge_ = -1;
  QStackedLayout* pages_ = nullptr;
  QLabel* placeholder_ = nullptr;
};

}  // namespace opscope::ui
