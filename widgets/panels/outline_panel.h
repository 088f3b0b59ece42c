#pragma once
// The outline: scopes and nodes as a tree, and below it inputs, fetches and variables.

#include <QSet>

#include "widgets/models/scope_tree_model.h"
#include "widgets/panels/panel.h"

class QLineEdit;
class QTreeView;

namespace opscope::ui {

class RowList;
class Section;
struct Row;

/// UI thread.
class OutlinePanel : public Panel {
  Q_OBJECT

 public:
  explicit OutlinePanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void refreshTree();
  void expandScopes();
  void refreshInputs();
  void refreshFetches();
  void refreshVariables();
  void showSelection();
  ScopeTreeModel::State stateOf(const Node& node) const;
  /// The value of output 0 at the cursor in a few letters; empty without one.
  QString valueOf(const std::string& node, int output = 0) const;

  QLineEdit* filter_;
  QTreeView* tree_;
  ScopeTreeModel* model_;
  Section* inputs_section_;
  Section* fetches_section_;
  Section* variables_section_;
  RowList* inputs_;
  RowList* fetches_;
  RowList* variables_;
  QSet<QString> with_problems_;
  int64_t shown_version_ = -1;
  QString shown_filter_;
  bool from_tree_ = false;
};

}  // namespace opscope::ui
