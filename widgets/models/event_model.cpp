#include "widgets/models/event_model.h"

#include <algorithm>

#include "widgets/models/row.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

bool isNumber(int column) {
  return column == EventModel::kNumber || column == EventModel::kTime || column == EventModel::kThread ||
         column == EventModel::kDuration || column == EventModel::kBytes;
}

QVariant alignment(int column) {
  return QVariant::fromValue(isNumber(column) ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace

void EventModel::setTrace(std::shared_ptr<const RunTrace> trace) {
  if (!trace) trace = std::make_shared<RunTrace>();
  constexpr size_t kMaxRows = 10'000'000;  // a view can't address more in pixels
  const int rows = static_cast<int>(std::min(trace->num_events(), kMaxRows));
  if (trace_->SameRun(*trace) && rows >= rows_) {
    if (rows > rows_) beginInsertRows({}, rows_, rows - 1);
    trace_ = std::move(trace);
    if (rows > rows_) {
      rows_ = rows;
      endInsertRows();
    }
    return;
  }
  beginResetModel();
  trace_ = std::move(trace);
  rows_ = rows;
  endResetModel();
}

void EventModel::setPosition(qint64 position) {
  if (position == position_) return;
  const auto [low, high] = std::minmax(position, position_);
  position_ = position;
  if (rows_ == 0) return;
  const auto clamp = [this](qint64 row) { return static_cast<int>(std::clamp<qint64>(row, 0, rows_ - 1)); };
  Q_EMIT dataChanged(index(clamp(low - 1), 0), index(clamp(high), kColumns - 1));
}

QString EventModel::nodeAt(int row) const {
  return row < 0 || row >= rows_ ? QString() : toQString(trace_->name(trace_->event(static_cast<size_t>(row)).node));
}

int EventModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }
int EventModel::columnCount(const QModelIndex&) const { return kColumns; }

QVariant EventModel::text(const TraceEvent& event, int row, int column) const {
  const bool done = event.kind == TraceEventKind::kDone && event.execution != NameTable::kNone;
  const TraceExecution* run = done ? &trace_->execution(event.execution) : nullptr;
  switch (column) {
    case kNumber: return row + 1;
    case kTime: return QString(timeWord(event.time_ns - trace_->TimeRange().first) + QStringLiteral("  "));
    case kNode: return toQString(trace_->name(event.node));
    case kWhat:
      if (!run) return QStringLiteral("started");
      return run->status.ok() ? QStringLiteral("done") : QStringLiteral("failed");
    case kOp: return run && run->op != NameTable::kNone ? QVariant(toQString(trace_->name(run->op))) : QVariant();
    case kDevice:
      return event.device != NameTable::kNone ? QVariant(deviceWord(toQString(trace_->name(event.device)))) : QVariant();
    case kThread: return run ? QVariant(run->thread) : QVariant();
    case kDuration: return run ? QVariant(timeWord(run->compute_ns())) : QVariant();
    case kBytes: return run ? QVariant(bytesWord(run->output_bytes)) : QVariant();
    default: return {};
  }
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_) return {};
  const TraceEvent& event = trace_->event(static_cast<size_t>(index.row()));
  switch (role) {
    case Qt::DisplayRole: return text(event, index.row(), index.column());
    case Qt::TextAlignmentRole: return alignment(index.column());
    case Qt::ForegroundRole:
      if (index.row() >= position_) return toneColor(RowTone::kText2);
      if (index.column() == kWhat && event.kind == TraceEventKind::kDone && event.execution != NameTable::kNone &&
          !trace_->execution(event.execution).status.ok()) {
        return toneColor(RowTone::kError);
      }
      return {};
    case kNodeRole: return nodeAt(index.row());
    default: return {};
  }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignment(section);
  if (role != Qt::DisplayRole) return {};
  static const char* const names[] = {"#", "Time", "Node", "Event", "Op", "Device", "Thread", "Compute", "Output"};
  return section < kColumns ? QVariant(QLatin1String(names[section])) : QVariant();
}

}  // namespace opscope::ui
