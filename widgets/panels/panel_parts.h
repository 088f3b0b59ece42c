#pragma once
// The pieces that panels are put together from: sections, form rows, cards, lists of rows.

#include <QFrame>
#include <QListView>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QWidget>

#include "widgets/models/row_list_model.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace opscope::ui {

/// Paints rows of RowListModel, ScopeTreeModel and the like. A click on a row's link is told apart from one on the row.
class RowDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void setRowHeight(int height) { row_height_ = height; }
  void setMargin(int margin) { margin_ = margin; }

 Q_SIGNALS:
  void linkClicked(const QModelIndex& index);

 protected:
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

 private:
  QRect rightRect(const QStyleOptionViewItem& option, const QModelIndex& index) const;
  int row_height_ = 26;
  int margin_ = 16;
};

/// A list as high as its rows (up to a maximum), for sections.
class RowList : public QListView {
  Q_OBJECT

 public:
  explicit RowList(const QString& name, QWidget* parent = nullptr);
  RowListModel* rows() const { return model_; }
  void setMaximumRows(int rows);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void nodeClicked(const QString& node);
  void linkClicked(const opscope::ui::Row& row);

 private:
  RowListModel* model_;
  int maximum_rows_ = 8;
};

/// A heading that folds what is below it.
class Section : public QWidget {
  Q_OBJECT

 public:
  Section(const QString& name, const QString& title, QWidget* parent = nullptr);
  void setNote(const QString& note);
  void setTitle(const QString& title);
  QVBoxLayout* body() const { return body_; }
  bool isOpen() const;
  void setOpen(bool open);

 private:
  QToolButton* header_;
  QLabel* note_;
  QWidget* content_;
  QVBoxLayout* body_;
};

/// Label left (96 wide), field right.
class FormRows : public QWidget {
  Q_OBJECT

 public:
  explicit FormRows(QWidget* parent = nullptr);
  void addRow(const QString& label, QWidget* field, const QString& toolTip = QString());
  void clear();

 private:
  QGridLayout* grid_;
  int rows_ = 0;
};

/// A rounded box with an icon, a title, a text and up to one button.
class StateCard : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { kInfo, kWarn, kError };
  explicit StateCard(const QString& name, QWidget* parent = nullptr);
  void show(Kind kind, const QString& title, const QString& text, const QString& button = QString());

 Q_SIGNALS:
  void clicked();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Kind kind_ = Kind::kInfo;
  QLabel* title_;
  QLabel* text_;
  QToolButton* button_;
};

/// Texts of the type scale that follow the theme's colours.
enum class TextRole { kTitle, kLabel, kBody, kSmall, kMono };
QLabel* makeLabel(TextRole role, const QString& text = QString(), bool second = false);
/// A hairline.
QWidget* makeLine();
/// A bordered button with text (and icon).
QToolButton* makeButton(const QString& name, const QString& text, const QString& icon = QString());

}  // namespace opscope::ui
