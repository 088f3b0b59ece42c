#pragma once
// Figures of a session's allocators as a table.

#include <vector>

#include <QAbstractTableModel>

#include "engine/runtime/session.h"
#include "engine/trace/trace_cursor.h"

namespace opscope::ui {

/// 1 - largest free piece / all free bytes of the chunk map; 0 without free chunks.
double fragmentationOf(const AllocatorSnapshot& snapshot);

/// What a session's allocators have now, as they were at the cursor: chunks and bytes in use. Those that the trace tells
/// nothing of stay as they are, and so do all when the cursor is at the trace's end.
std::vector<AllocatorSnapshot> snapshotsAt(const TraceCursor& cursor, std::vector<AllocatorSnapshot> now);

/// UI thread.
class AllocatorModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kDevice, kName, kInUse, kPeak, kLimit, kAllocs, kLargestAlloc, kLargestFree, kFragmentation, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshots(std::vector<AllocatorSnapshot> snapshots);
  const std::vector<AllocatorSnapshot>& snapshots() const { return snapshots_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<AllocatorSnapshot> snapshots_;
};

}  // namespace opscope::ui
