#pragma once
// Find: a query over all nodes, hidden ones too.

#include "widgets/models/search_model.h"
#include "widgets/panels/panel.h"

class QLabel;
class QLineEdit;
class QListView;

namespace opscope::ui {

/// UI thread.
class SearchPanel : public Panel {
  Q_OBJECT

 public:
  explicit SearchPanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void goTo(int by);

  QLineEdit* input_;
  QLabel* count_;
  QLabel* help_;
  QListView* list_;
  SearchModel* model_;
};

}  // namespace opscope::ui
