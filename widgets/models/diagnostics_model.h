#pragma once
// What is wrong: the document's problems and the last run's failure, each with its node.

#include <vector>

#include "engine/graph/validation.h"
#include "widgets/models/row_list_model.h"

namespace opscope::ui {

/// UI thread.
class DiagnosticsModel : public RowListModel {
  Q_OBJECT

 public:
  using RowListModel::RowListModel;

  /// `runStatus` is OK when the last run went well or there was none. At most kMaxRows rows.
  void setProblems(const std::vector<Diagnostic>& problems, const Status& runStatus);
  size_t total() const { return total_; }
  static constexpr size_t kMaxRows = 1000;

 private:
  size_t total_ = 0;
};

}  // namespace opscope::ui
