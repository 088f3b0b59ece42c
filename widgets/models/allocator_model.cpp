#include "widgets/models/allocator_model.h"

#include <algorithm>

#include "engine/trace/memory_timeline.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

double fragmentationOf(const AllocatorSnapshot& snapshot) {
  int64_t free = 0;
  int64_t largest = 0;
  for (const AllocatorChunk& chunk : snapshot.chunks) {
    if (chunk.in_use) continue;
    free += chunk.size;
    largest = std::max(largest, chunk.size);
  }
  return free == 0 ? 0 : 1 - static_cast<double>(largest) / static_cast<double>(free);
}

std::vector<AllocatorSnapshot> snapshotsAt(const TraceCursor& cursor, std::vector<AllocatorSnapshot> now) {
  if (cursor.at_end() || !cursor.trace().memory().is_known) return now;
  for (AllocatorSnapshot& snapshot : now) {
    std::vector<AllocatorChunk> chunks = ChunksAt(cursor.trace(), cursor.position(), AllocatorLabel(snapshot.device, snapshot.name));
    snapshot.chunks = std::move(chunks);
    snapshot.stats.bytes_in_use = 0;
    for (const AllocatorChunk& chunk : snapshot.chunks) snapshot.stats.bytes_in_use += chunk.in_use ? chunk.size : 0;
  }
  return now;
}

void AllocatorModel::setSnapshots(std::vector<AllocatorSnapshot> snapshots) {
  const bool same = snapshots.size() == snapshots_.size();
  if (!same) beginResetModel();
  snapshots_ = std::move(snapshots);
  if (!same) endResetModel();
  else if (!snapshots_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int AllocatorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(snapshots_.size());
}
int AllocatorModel::columnCount(const QModelIndex&) const { return kColumns; }

QVariant AllocatorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(index.column() <= kName ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  const AllocatorSnapshot& s = snapshots_[static_cast<size_t>(index.row())];
  switch (index.column()) {
    case kDevice: return deviceWord(toQString(s.device));
    case kName: return toQString(s.name);
    case kInUse: return bytesWord(s.stats.bytes_in_use);
    case kPeak: return bytesWord(s.stats.peak_bytes_in_use);
    case kLimit: return s.stats.bytes_limit ? bytesWord(*s.stats.bytes_limit) : QStringLiteral("none");
    case kAllocs: return countWord(s.stats.num_allocs);
    case kLargestAlloc: return bytesWord(s.stats.largest_alloc_size);
    case kLargestFree: return bytesWord(s.stats.largest_free_block_bytes);
    case kFragmentation: return QStringLiteral("%1 %").arg(qRound(fragmentationOf(s) * 100));
    default: return {};
  }
}

QVariant AllocatorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(section <= kName ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  static const char* const names[] = {"Device", "Allocator", "In use", "Peak", "Limit", "Requests", "Largest request",
                                      "Largest free", "Fragmentation"};
  return section < kColumns ? QVariant(QLatin1String(names[section])) : QVariant();
}

}  // namespace opscope::ui
