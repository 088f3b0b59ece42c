#pragma once
// The outline: scopes and nodes of a graph as a tree.

#include <functional>
#include <string>
#include <vector>

#include <QAbstractItemModel>

#include "engine/graph/graph.h"
#include "widgets/models/row.h"

namespace opscope::ui {

/// Built in one pass over the names, in the order of the graph; texts are made when a view asks for them, so a graph of
/// 100,000 nodes costs some 20 bytes a node until it is looked at. A node whose name is also a scope (a variable and its
/// parts) is one row. UI thread.
class ScopeTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  using QAbstractItemModel::QAbstractItemModel;

  /// What stands at the right of a node's row; asked for each row that is painted.
  struct State {
    QString text;
    RowTone tone = RowTone::kText2;
    QString icon;  ///< Instead of the op's; empty: none.
    bool mono = false;
  };
  using StateFunction = std::function<State(const Node& node)>;
  void setStateFunction(StateFunction function) { state_ = std::move(function); }
  /// Takes a copy (which shares its nodes). With a filter only nodes whose name has it, in any case.
  void setGraph(const Graph& graph, const QString& filter = QString());
  /// States are new: rows are painted again.
  void refreshStates();

  size_t numNodes() const { return num_nodes_; }
  bool isScope(const QModelIndex& index) const;  ///< Something lies in it.
  bool isNode(const QModelIndex& index) const;
  QString fullName(const QModelIndex& index) const;
  /// Row of a node or scope; invalid where there is none.
  QModelIndex indexOf(const QString& name) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Entry {
    int parent = -1;
    int row = 0;
    int scope = -1;      ///< Index in scopes_ when it has children.
    NodeId node;         ///< Not valid() for a scope that is no node.
    uint32_t length = 0; ///< Of the scope's full name within the name of `example`.
    NodeId example;
    int ops = 0;         ///< Nodes inside.
  };
  struct Builder;
  std::string_view nameOf(const Entry& entry) const;
  const Entry& entry(const QModelIndex& index) const { return entries_[static_cast<size_t>(index.internalId())]; }
  const std::vector<int>& childrenOf(const QModelIndex& parent) const;

  Graph graph_;
  StateFunction state_;
  std::vector<Entry> entries_;
  std::vector<std::vector<int>> scopes_{{}};  ///< [0]: the root.
  size_t num_nodes_ = 0;
};

}  // namespace opscope::ui
