#include "widgets/models/diagnostics_model.h"

#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString oneLine(const std::string& message) { return toQString(message).section(QLatin1Char('\n'), 0, 0).simplified(); }

Row runRow(const Status& status) {
  Row row;
  row.icon = QStringLiteral("error");
  row.icon_tone = RowTone::kError;
  row.bold = true;
  row.node = status.nodes().empty() ? QString() : toQString(status.nodes().front());
  row.text = row.node.isEmpty() ? QStringLiteral("Run") : row.node;
  row.second = oneLine(status.message());
  row.right = toQString(CodeName(status.code()));
  row.right_mono = true;
  row.tool_tip = toQString(status.message());
  return row;
}

}  // namespace

void DiagnosticsModel::setProblems(const std::vector<Diagnostic>& problems, const Status& runStatus) {
  std::vector<Row> rows;
  if (!runStatus.ok()) rows.push_back(runRow(runStatus));
  total_ = rows.size() + problems.size();
  for (const Diagnostic& problem : problems) {
    if (rows.size() >= kMaxRows) break;
    Row row;
    row.icon = QStringLiteral("problems");
    row.icon_tone = RowTone::kWarn;
    row.bold = true;
    row.node = toQString(problem.node);
    row.text = row.node.isEmpty() ? QStringLiteral("Graph") : row.node;
    row.second = oneLine(problem.message);
    row.right = row.node.isEmpty() ? QString() : QStringLiteral("Show");
    row.right_tone = RowTone::kAccent;
    row.action = row.node.isEmpty() ? QString() : QStringLiteral("show");
    row.tool_tip = toQString(problem.message);
    rows.push_back(std::move(row));
  }
  setRows(std::move(rows));
}

}  // namespace opscope::ui
