#pragma once
// RunController: a document's session and its runs.

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "engine/framework/tensor.h"
#include "engine/runtime/session.h"
#include "engine/runtime/step_gate.h"
#include "engine/trace/run_trace_builder.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

class RunEngine;
struct RunAnswer;

enum class RunState { kIdle, kRunning, kPaused, kFailed };
enum class StepBy { kOp, kInto, kOut, kIteration };

/// How a run ended.
struct RunResult {
  Status status;
  std::vector<std::pair<std::string, Tensor>> outputs;  ///< Fetched values by tensor name ("out:0").
  int steps = 0;
  double wall_us = 0;
};

/// One Session on a thread of its own. Created at the first run; extended when the graph only grew, otherwise made anew
/// (initialised variables are carried over where name, type and shape still fit, and notice() says what was lost).
/// Functions return at once; signals tell the rest. UI thread.
class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(DocumentController* document, QObject* parent = nullptr);
  ~RunController() override;

  RunState state() const { return state_; }
  bool isActive() const { return state_ == RunState::kRunning || state_ == RunState::kPaused; }
  /// The node that waits at the gate while paused; the failing node after a failure; else empty.
  QString currentNode() const { return current_node_; }
  const RunResult& result() const { return result_; }
  std::shared_ptr<const RunTrace> trace() const { return trace_; }
  /// The graph went on since the last run's snapshot.
  bool isStale() const;
  /// Node to assigned device, of the session.
  const std::map<std::string, std::string>& placement() const { return placement_; }
  /// Of the session; before the first run those that it would have. Live figures at every call.
  std::vector<AllocatorSnapshot> allocatorSnapshots() const;
  const std::vector<tensorflow::DeviceAttributes>& devices() const { return devices_; }
  /// Times each breakpoint held this document's runs.
  int breakpointHits(const QString& node) const;
  /// Fetches of a run without any chosen: outputs nobody reads whose ops have values.
  std::vector<std::string> defaultFetches() const;
  /// Topological number (from 1) of each node that the fetches need.
  std::map<std::string, int> topologicalOrder(const QStringList& fetch = {}) const;

 public Q_SLOTS:
  void start(const QStringList& fetch = {}, int steps = 1);
  void stop();
  void pause();
  void continueRun();
  /// On an idle document: starts a run that pauses before its first op, runs that op and pauses again.
  void step(opscope::ui::StepBy by = opscope::ui::StepBy::kOp);
  void runTo(const QString& node);
  /// Runs the variables' Assign ops that set initial values.
  void initialise();
  /// Closes the session: variables are gone.
  void reset();
  /// Makes the session (devices are then known) without a run.
  void prepare();

 Q_SIGNALS:
  void stateChanged(opscope::ui::RunState state);
  void finished(const opscope::ui::RunResult& result);      ///< A run (or initialise) ended, well or not.
  void paused(const QString& node);
  void traceChanged(std::shared_ptr<const opscope::RunTrace> trace);  ///< Grows while stepping and at the end of a run.
  void devicesChanged();                                     ///< Devices, placement or allocator figures are new.
  void staleChanged(bool stale);
  void notice(const QString& text);
  void prepared(const opscope::Status& status);
  void resetDone();

 private:
  enum class Hold { kNone, kStep, kRunTo };
  struct Request {
    std::vector<std::string> fetches, targets;
    int steps = 1;
    Hold hold = Hold::kNone;
    std::string run_to;
    bool needs_gate = false;
  };
  void begin(Request request);
  void setState(RunState state);
  void updateStale();
  void onPaused(int generation);
  void onDone(int generation, const RunAnswer& answer);
  bool stepGoesOn();
  void showProgress();
  std::vector<std::string> chosenFetches(const QStringList& fetch) const;
  void refuse(const Status& status);

  DocumentController* document_;
  std::unique_ptr<RunEngine> engine_;
  std::shared_ptr<StepGate> gate_;
  std::shared_ptr<RunTraceBuilder> builder_;  ///< Of the step under way.
  std::stop_source stop_;
  RunState state_ = RunState::kIdle;
  QString current_node_;
  RunResult result_;
  std::shared_ptr<const RunTrace> trace_;
  std::map<std::string, std::string> placement_;
  std::vector<tensorflow::DeviceAttributes> devices_;
  std::map<std::string, int> hits_;
  StepBy step_by_ = StepBy::kOp;
  std::string step_from_;
  bool user_stopped_ = false;
  int64_t run_graph_version_ = -1;
  bool stale_ = false;
  int generation_ = 0;
  QTimer progress_timer_;
};

}  // namespace opscope::ui

Q_DECLARE_METATYPE(opscope::ui::RunState)
Q_DECLARE_METATYPE(opscope::ui::RunResult)
Q_DECLARE_METATYPE(std::shared_ptr<const opscope::RunTrace>)
