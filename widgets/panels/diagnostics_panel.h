#pragma once
// Problems: what keeps the graph from running, and why the last run failed.

#include "widgets/models/diagnostics_model.h"
#include "widgets/panels/panel.h"

class QListView;

namespace opscope::ui {

/// UI thread.
class DiagnosticsPanel : public Panel {
  Q_OBJECT

 public:
  explicit DiagnosticsPanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void update();

  QListView* list_;
  DiagnosticsModel* model_;
};

}  // namespace opscope::ui
