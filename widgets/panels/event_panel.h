#pragma once
// Timeline: the run's executions as bars and its events as a table; one cursor for both.

#include "widgets/models/event_model.h"
#include "widgets/panels/panel.h"

class QLabel;
class QTableView;
class QToolButton;

namespace opscope::ui {

class TimelineView;

/// UI thread.
class EventPanel : public Panel {
  Q_OBJECT

 public:
  explicit EventPanel(QWidget* parent = nullptr);
  ~EventPanel() override;
  QList<QWidget*> headerWidgets() override;

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void moveBy(int events);

  TimelineView* timeline_;
  QTableView* table_;
  EventModel* model_;
  QToolButton* back_;
  QToolButton* forward_;
  QLabel* position_;
  QLabel* duration_;
};

}  // namespace opscope::ui
