#pragma once
// One line of a list as panels show it: icon, text, and something at the right.

#include <QColor>
#include <QString>

#include "widgets/support/op_category.h"

namespace opscope::ui {

/// A colour by what it means; becomes a QColor when it is painted, so that rows outlive a change of theme.
enum class RowTone : unsigned char {
  kText, kText2, kAccent, kOk, kWarn, kError, kLinear, kElementwise, kActivation, kShape, kVariable, kIo
};
QColor toneColor(RowTone tone);
RowTone toneOf(OpCategory category);
/// Icon that tells an op at a glance: placeholder, variable, constant, otherwise the plain box.
QString iconOfOp(std::string_view op);

/// A value type.
struct Row {
  QString icon;
  RowTone icon_tone = RowTone::kText2;
  QString text;
  bool bold = false;
  QString second;             ///< Follows the text in the second colour.
  QString right;
  RowTone right_tone = RowTone::kText2;
  bool right_mono = false;
  QString node;               ///< Full name of the node that the row is about; may be empty.
  QString action;             ///< Set: `right` is a link, and this says what it does.
  QString tool_tip;
  friend bool operator==(const Row&, const Row&) = default;
};

/// Roles of the models whose items are rows.
enum RowRole {
  kIconRole = 0x0100 + 1,  // Qt::UserRole + n
  kIconToneRole,
  kBoldRole,
  kSecondRole,
  kRightRole,
  kRightToneRole,
  kRightMonoRole,
  kNodeRole,
  kActionRole,
};


}  // namespace opscope::ui
