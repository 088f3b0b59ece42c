#include "widgets/models/search_model.h"

#include "widgets/support/qt_convert.h"

namespace opscope::ui {

Status SearchModel::search(const Graph& graph, const QString& query) {
  truncated_ = false;
  if (query.trimmed().isEmpty()) {
    setRows({});
    return Status::OK();
  }
  if (!index_ || version_ != graph.version()) {
    index_ = std::make_unique<NameSearch>(graph);
    version_ = graph.version();
  }
  const auto hits = index_->Find(query.toStdString(), kMaxHits + 1);
  if (!hits.ok()) {
    setRows({});
    return hits.status();
  }
  std::vector<Row> rows;
  truncated_ = hits->size() > kMaxHits;
  for (const SearchHit& hit : *hits) {
    if (rows.size() == kMaxHits || !graph.has(hit.node)) break;
    const Node& node = graph.node(hit.node);
    Row row;
    row.text = toQString(node.name());
    row.node = row.text;
    row.tool_tip = row.text;
    row.right = toQString(node.op());
    row.icon = iconOfOp(node.op());
    row.icon_tone = toneOf(categoryOf(node.op()));
    rows.push_back(std::move(row));
  }
  setRows(std::move(rows));
  return Status::OK();
}

}  // namespace opscope::ui
