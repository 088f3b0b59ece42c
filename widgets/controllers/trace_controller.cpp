#include "widgets/controllers/trace_controller.h"

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/trace/chrome_trace.h"
#include "engine/trace/run_metadata.h"
#include "engine/trace/run_trace_builder.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/worker.h"

namespace opscope::ui {

TraceController::TraceController(QObject* parent) : QObject(parent) {}

void TraceController::setTrace(std::shared_ptr<const RunTrace> trace) {
  if (!trace) trace = std::make_shared<RunTrace>();
  cursor_.SetTrace(std::move(trace));
  cursor_.MoveTo(cursor_.trace().num_events());
  const auto [begin, end] = cursor_.trace().TimeRange();
  range_ = {begin, end};
  Q_EMIT traceChanged();
  Q_EMIT rangeChanged();
  Q_EMIT cursorMoved();
}

void TraceController::setStale(bool stale) {
  if (stale == stale_) return;
  stale_ = stale;
  Q_EMIT staleChanged(stale);
}

void TraceController::moveTo(qint64 position) {
  const auto target = static_cast<size_t>(std::clamp<qint64>(position, 0, static_cast<qint64>(trace().num_events())));
  if (target == cursor_.position()) return;
  cursor_.MoveTo(target);
  Q_EMIT cursorMoved();
}

void TraceController::moveToTime(qint64 ns) { moveTo(static_cast<qint64>(trace().PositionAt(ns))); }
void TraceController::moveToEnd() { moveTo(static_cast<qint64>(trace().num_events())); }

void TraceController::stepBack() {
  // To before the last execution that is done: its start is where the step began.
  size_t position = cursor_.position();
  if (position == 0) return;
  --position;
  while (position > 0 && trace().event(position).kind != TraceEventKind::kStarted) --position;
  moveTo(static_cast<qint64>(position));
}

void TraceController::setVisibleRange(qint64 beginNs, qint64 endNs) {
  const std::pair<qint64, qint64> range(std::min(beginNs, endNs), std::max(beginNs, endNs));
  if (range == range_) return;
  range_ = range;
  Q_EMIT rangeChanged();
}

void TraceController::open(const QString& path) {
  using Answer = StatusOr<std::shared_ptr<const RunTrace>>;
  Worker::run(
      this,
      [file = path.toStdString()]() -> Answer {
        OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
        tensorflow::RunMetadata metadata;
        if (!metadata.ParseFromString(bytes)) return errors::InvalidArgument(file, ": not a RunMetadata");
        Answer trace = RunTraceBuilder::FromRunMetadata(metadata);
        if (!trace.ok()) return trace.status().Prepend(file + ": ");
        return trace;
      },
      [this, path](Answer trace) {
        if (!trace.ok()) {
          Q_EMIT openFailed(path, trace.status());
          return;
        }
        setTrace(*std::move(trace));
        Q_EMIT traceOpened(path);
      });
}

Status TraceController::save(const QString& path) const {
  if (!hasTrace()) return errors::FailedPrecondition("there is no run to save");
  if (path.endsWith(QLatin1String(".json"))) return WriteFileAtomic(path.toStdString(), ToChromeTrace(trace()));
  if (path.endsWith(QLatin1String(".pb"))) return WriteFileAtomic(path.toStdString(), ToRunMetadata(trace()).SerializeAsString());
  return errors::InvalidArgument(Printable(path.toStdString(), 300), ": a trace is saved as .pb (RunMetadata) or .json (Chrome trace)");
}

}  // namespace opscope::ui
