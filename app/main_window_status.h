#pragma once
// The status bar: a message at the left, facts at the right, and progress with Cancel while something is being opened.

#include <QStatusBar>

class QLabel;
class QProgressBar;
class QToolButton;

namespace opscope::ui {

/// UI thread.
class StatusArea : public QStatusBar {
  Q_OBJECT

 public:
  enum class Kind { kPlain, kOk, kError, kPaused };
  explicit StatusArea(QWidget* parent = nullptr);

  void showText(const QString& text, Kind kind = Kind::kPlain);
  QString text() const { return text_; }
  void setFacts(const QString& graph, const QString& device, const QString& zoom);
  void showProgress(const QString& stage);
  void hideProgress();

 Q_SIGNALS:
  void cancelClicked();

 private:
  void applyTone();
  QString text_;
  Kind kind_ = Kind::kPlain;
  QLabel* icon_;
  QLabel* message_;
  QLabel* graph_;
  QLabel* device_;
  QLabel* zoom_;
  QLabel* stage_;
  QProgressBar* progress_;
  QToolButton* cancel_;
};

}  // namespace opscope::ui
