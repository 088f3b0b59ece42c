#pragma once
// TraceController: the trace that is shown, the moment shown, one time range for all panels.

#include <memory>
#include <utility>

#include <QObject>
#include <QString>

#include "engine/trace/trace_cursor.h"

namespace opscope::ui {

/// UI thread.
class TraceController : public QObject {
  Q_OBJECT
 public:
  explicit TraceController(QObject* parent = nullptr);

  const TraceCursor& cursor() const { return cursor_; }
  const RunTrace& trace() const { return cursor_.trace(); }
  std::shared_ptr<const RunTrace> sharedTrace() const { return cursor_.shared_trace(); }
  bool hasTrace() const { return trace().num_events() > 0; }
  bool isStale() const { return stale_; }
  std::pair<qint64, qint64> visibleRange() const { return range_; }

  /// RunMetadata (.pb) from a file; answers with traceOpened or openFailed.
  void open(const QString& path);
  /// By ending: .pb RunMetadata, .json Chrome trace.
  Status save(const QString& path) const;

 public Q_SLOTS:
  /// A new or grown trace; the cursor goes to its end.
  void setTrace(std::shared_ptr<const opscope::RunTrace> trace);
  void setStale(bool stale);
  void moveTo(qint64 position);
  void moveToTime(qint64 ns);
  void moveToEnd();
  void stepBack();
  void setVisibleRange(qint64 beginNs, qint64 endNs);

 Q_SIGNALS:
  void traceChanged();
  void cursorMoved();
  void rangeChanged();
  void staleChanged(bool stale);
  void traceOpened(const QString& path);
  void openFailed(const QString& path, const opscope::Status& status);

 private:
  TraceCursor cursor_;
  std::pair<qint64, qint64> range_{0, 0};
  bool stale_ = false;
};

}  // namespace opscope::ui
