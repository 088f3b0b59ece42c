#include "widgets/models/row.h"

#include "widgets/support/theme.h"

namespace opscope::ui {

QColor toneColor(RowTone tone) {
  const ThemeColors& c = Theme::instance().colors();
  switch (tone) {
    case RowTone::kText: return c.text;
    case RowTone::kText2: return c.text2;
    case RowTone::kAccent: return c.accent;
    case RowTone::kOk: return c.ok;
    case RowTone::kWarn: return c.warn;
    case RowTone::kError: return c.error;
    case RowTone::kLinear: return c.linear;
    case RowTone::kElementwise: return c.elementwise;
    case RowTone::kActivation: return c.activation;
    case RowTone::kShape: return c.shape;
    case RowTone::kVariable: return c.variable;
    case RowTone::kIo: return c.io;
  }
  return c.text;
}

RowTone toneOf(OpCategory category) {
  switch (category) {
    case OpCategory::kLinear: return RowTone::kLinear;
    case OpCategory::kElementwise: return RowTone::kElementwise;
    case OpCategory::kActivation: return RowTone::kActivation;
    case OpCategory::kShape: return RowTone::kShape;
    case OpCategory::kVariable: return RowTone::kVariable;
    case OpCategory::kIo: return RowTone::kIo;
  }
  return RowTone::kIo;
}

QString iconOfOp(std::string_view op) {
  if (op == "Placeholder" || op == "PlaceholderV2" || op == "PlaceholderWithDefault") return QStringLiteral("placeholder");
  if (op == "Variable" || op == "VariableV2" || op == "VarHandleOp") return QStringLiteral("variable");
  return QStringLiteral("constant");
}

}  // namespace opscope::ui
