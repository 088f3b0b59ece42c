#pragma once
// The hits of a search over all nodes.

#include <memory>

#include "engine/diagram/name_search.h"
#include "engine/graph/graph.h"
#include "widgets/models/row_list_model.h"

namespace opscope::ui {

/// Keeps the index of the graph that it searched last. UI thread.
class SearchModel : public RowListModel {
  Q_OBJECT

 public:
  using RowListModel::RowListModel;
  static constexpr size_t kMaxHits = 1000;

  /// Rows in the order of NameSearch; INVALID_ARGUMENT (and no rows) for a query that it doesn't understand.
  Status search(const Graph& graph, const QString& query);
  /// Whether there were more hits than rows.
  bool truncated() const { return truncated_; }

 private:
  std::unique_ptr<NameSearch> index_;
  int64_t version_ = -1;
  bool truncated_ = false;
};

}  // namespace opscope::ui
