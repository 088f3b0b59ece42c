#pragma once
// Why something was refused or went wrong, beside the node that it is about, with the ways to fix it (window.md section 4).

#include <functional>
#include <vector>

#include <QFrame>
#include <QRectF>
#include <QString>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace opscope::ui {

struct PopoverContent {
  struct Chip {
    QString text;
    bool bad = false;
  };
  /// "a from flatten:0" over its dimensions.
  struct Fact {
    QString label;
    std::vector<Chip> chips;
  };
  struct Fix {
    QString text;
    QString key;                 ///< shown on the button: "Enter", "Alt+1"
    std::function<void()> run;
    bool link = false;           ///< as a line of text below the buttons
  };
  QString icon = QStringLiteral("error");
  bool warning = false;          ///< amber, not red
  QString title;
  QString sentence;
  std::vector<Fact> facts;
  QString factsNote;
  std::vector<Fix> fixes;        ///< the first one is the default
  QString hint;                  ///< "Tab: next fix   Esc: drop the wire"
  QString status;                ///< code and message verbatim, monospace, can be copied
};

class CanvasPopover : public QFrame {
  Q_OBJECT

 public:
  explicit CanvasPopover(QWidget* canvas);

  /// Shows the content beside `anchor` (px), covering neither it nor `avoid`, on the side with the least of `content` rects.
  /// `takeFocus`: its first fix is a press of Enter away; else the keyboard stays where it is.
  void open(const PopoverContent& content, const QRectF& anchor, const QRectF& avoid, const std::vector<QRectF>& others,
            bool takeFocus = true);
  void dismiss();
  /// Title, sentence and status as text, for state.dump and tests.
  QString plainText() const;
  const PopoverContent& content() const { return content_; }

 Q_SIGNALS:
  void dismissed();
  void opened();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  void build();
  void addFacts(QVBoxLayout* layout);
  void addFixes(QVBoxLayout* layout);
  void place(const QRectF& anchor, const QRectF& avoid, const std::vector<QRectF>& others);

  PopoverContent content_;
  QWidget* body_ = nullptr;
  std::vector<QPushButton*> buttons_;
  QPointF arrow_;
  bool hasArrow_ = false;
};

}  // namespace opscope::ui
