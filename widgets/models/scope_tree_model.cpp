#include "widgets/models/scope_tree_model.h"

#include <unordered_map>

#include "widgets/models/row_list_model.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

QString countText(int ops) { return QString::number(ops); }

bool contains(std::string_view name, const QString& filter) {
  return filter.isEmpty() || toQString(name).contains(filter, Qt::CaseInsensitive);
}

}  // namespace

// Finds or makes the entries of the scopes around a node. Views point into the names of graph_'s nodes.
struct ScopeTreeModel::Builder {
  ScopeTreeModel& model;
  std::unordered_map<std::string_view, int> by_name;

  int add(int parent, Entry entry) {
    const int scope = parent < 0 ? 0 : scopeOf(parent);
    auto& siblings = model.scopes_[static_cast<size_t>(scope)];
    entry.parent = parent;
    entry.row = static_cast<int>(siblings.size());
    const int index = static_cast<int>(model.entries_.size());
    siblings.push_back(index);
    model.entries_.push_back(entry);
    return index;
  }

  int scopeOf(int index) {
    Entry& entry = model.entries_[static_cast<size_t>(index)];
    if (entry.scope < 0) {
      entry.scope = static_cast<int>(model.scopes_.size());
      model.scopes_.emplace_back();
    }
    return entry.scope;
  }

  // The entry of scope `name`, which is a prefix of the name of `example`.
  int scope(std::string_view name, NodeId example) {
    int parent = -1;
    for (size_t end = name.find('/');; end = name.find('/', end + 1)) {
      const std::string_view prefix = name.substr(0, end);
      const auto found = by_name.find(prefix);
      if (found != by_name.end()) {
        parent = found->second;
      } else {
        Entry made;
        made.length = static_cast<uint32_t>(prefix.size());
        made.example = example;
        parent = add(parent, made);
        by_name.emplace(prefix, parent);
      }
      if (end == std::string_view::npos) return parent;
    }
  }

  void node(NodeId id, const std::string& name) {
    const auto found = by_name.find(name);
    if (found != by_name.end()) {  // a scope of this name came first
      model.entries_[static_cast<size_t>(found->second)].node = id;
    } else {
      const size_t slash = name.rfind('/');
      const int parent = slash == std::string::npos ? -1 : scope(std::string_view(name).substr(0, slash), id);
      Entry made;
      made.node = id;
      made.example = id;
      made.length = static_cast<uint32_t>(name.size());
      by_name.emplace(name, add(parent, made));
    }
    const size_t index = static_cast<size_t>(by_name.at(name));
    for (int p = model.entries_[index].parent; p >= 0; p = model.entries_[static_cast<size_t>(p)].parent) {
      ++model.entries_[static_cast<size_t>(p)].ops;
    }
  }
};

void ScopeTreeModel::setGraph(const Graph& graph, const QString& filter) {
  beginResetModel();
  graph_ = graph;
  entries_.clear();
  scopes_.assign(1, {});
  num_nodes_ = 0;
  Builder builder{*this, {}};
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    if (!contains(node.name(), filter)) return;
    builder.node(id, node.name());
    ++num_nodes_;
  });
  endResetModel();
}

void ScopeTreeModel::refreshStates() {
  if (!entries_.empty()) Q_EMIT dataChanged(QModelIndex(), QModelIndex());
}

bool ScopeTreeModel::isScope(const QModelIndex& index) const { return index.isValid() && entry(index).scope >= 0; }

bool ScopeTreeModel::isNode(const QModelIndex& index) const { return index.isValid() && entry(index).node.valid(); }

std::string_view ScopeTreeModel::nameOf(const Entry& e) const {
  return std::string_view(graph_.node(e.example).name()).substr(0, e.length);
}

QString ScopeTreeModel::fullName(const QModelIndex& index) const {
  return index.isValid() ? toQString(nameOf(entry(index))) : QString();
}

QModelIndex ScopeTreeModel::indexOf(const QString& name) const {
  QModelIndex at;
  const std::string wanted = name.toStdString();
  for (size_t end = wanted.find('/');; end = wanted.find('/', end + 1)) {
    const std::string_view prefix = std::string_view(wanted).substr(0, end);
    bool found = false;
    for (const int child : childrenOf(at)) {
      const Entry& e = entries_[static_cast<size_t>(child)];
      if (nameOf(e) != prefix) continue;
      at = createIndex(e.row, 0, static_cast<quintptr>(child));
      found = true;
      break;
    }
    if (!found) return {};
    if (end == std::string::npos) return at;
  }
}

const std::vector<int>& ScopeTreeModel::childrenOf(const QModelIndex& parent) const {
  static const std::vector<int> none;
  if (!parent.isValid()) return scopes_.front();
  const int scope = entry(parent).scope;
  return scope < 0 ? none : scopes_[static_cast<size_t>(scope)];
}

QModelIndex ScopeTreeModel::index(int row, int column, const QModelIndex& parent) const {
  const std::vector<int>& children = childrenOf(parent);
  if (column != 0 || row < 0 || row >= static_cast<int>(children.size())) return {};
  return createIndex(row, 0, static_cast<quintptr>(children[static_cast<size_t>(row)]));
}

QModelIndex ScopeTreeModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const int parent = entry(index).parent;
  return parent < 0 ? QModelIndex() : createIndex(entries_[static_cast<size_t>(parent)].row, 0, static_cast<quintptr>(parent));
}

int ScopeTreeModel::rowCount(const QModelIndex& parent) const { return static_cast<int>(childrenOf(parent).size()); }
int ScopeTreeModel::columnCount(const QModelIndex&) const { return 1; }

QVariant ScopeTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Entry& e = entry(index);
  const std::string_view name = nameOf(e);
  Row row;
  row.node = toQString(name);
  row.tool_tip = row.node;
  row.text = toQString(name.substr(name.rfind('/') + 1));  // npos + 1 == 0
  if (e.node.valid()) {
    const Node& node = graph_.node(e.node);
    const State state = state_ ? state_(node) : State{toQString(node.op()), RowTone::kText2, {}, false};
    row.icon = state.icon.isEmpty() ? iconOfOp(node.op()) : state.icon;
    row.icon_tone = state.icon.isEmpty() ? toneOf(categoryOf(node.op())) : state.tone;
    row.right = state.text;
    row.right_tone = state.tone;
    row.right_mono = state.mono;
  } else {
    row.icon = QStringLiteral("scope");
    row.bold = true;
    row.right = countText(e.ops);
  }
  return rowData(row, role);
}

}  // namespace opscope::ui
