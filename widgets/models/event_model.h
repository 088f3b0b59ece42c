#pragma once
// The events of a run as a table.

#include <memory>

#include <QAbstractTableModel>

#include "engine/trace/run_trace.h"

namespace opscope::ui {

/// Row i is event i; events after the cursor are greyed. Costs nothing for rows that aren't shown. UI thread.
class EventModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kNumber, kTime, kNode, kWhat, kOp, kDevice, kThread, kDuration, kBytes, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  /// A grown snapshot of the same run only adds rows.
  void setTrace(std::shared_ptr<const RunTrace> trace);
  void setPosition(qint64 position);
  qint64 position() const { return position_; }
  QString nodeAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant text(const TraceEvent& event, int row, int column) const;

  std::shared_ptr<const RunTrace> trace_ = std::make_shared<RunTrace>();
  int rows_ = 0;
  qint64 position_ = 0;
};

}  // namespace opscope::ui
