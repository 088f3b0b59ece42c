#include <QtTest>

#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/run_controller.h"
#include "widgets/controllers/trace_controller.h"

using namespace opscope;
using namespace opscope::ui;

#define OK(expression)                                      \
  do {                                                      \
    const Status ok_status = (expression);                  \
    QVERIFY2(ok_status.ok(), ok_status.ToString().c_str()); \
  } while (false)

namespace {

/// A document with its run.
struct Bench {
  DocumentController document;
  RunController run{&document};

  NodeId add(const char* op, const char* name, const char* value = nullptr) {
    AddOpRequest request;
    request.op = op;
    request.name = name;
    if (value != nullptr) request.attr["value"] = value;
    const StatusOr<NodeId> id = document.addOp(request);
    return id.ok() ? *id : NodeId();
  }
  NodeId id(const char* name) const { return document.findNode(QString::fromLatin1(name)); }
  Status wire(const char* from, const char* to, int input) { return document.connectWire({id(from), 0}, {id(to), input}); }
  /// Starts by `action` and waits for the end of the run.
  template <typename Action>
  RunResult wait(Action action) {
    QSignalSpy finished(&run, &RunController::finished);
    action();
    if (finished.isEmpty()) finished.wait(20000);
    return finished.isEmpty() ? RunResult{errors::DeadlineExceeded("no answer"), {}, 0, 0} : run.result();
  }
  RunResult start(const QStringList& fetch = {}, int steps = 1) {
    return wait([&] { run.start(fetch, steps); });
  }
  float output() const { return run.result().outputs.empty() ? -1e9f : run.result().outputs[0].second.scalar<float>(); }
};

/// (15 * 5) / (15 + 5)
void buildExample(Bench* b) {
  b->add("Const", "a", "15");
  b->add("Const", "b", "5");
  b->add("Mul", "mul");
  b->add("Add", "add");
  b->add("Div", "div");
  OK(b->wire("a", "mul", 0));
  OK(b->wire("b", "mul", 1));
  OK(b->wire("a", "add", 0));
  OK(b->wire("b", "add", 1));
  OK(b->wire("mul", "div", 0));
  OK(b->wire("add", "div", 1));
}

/// v, one and AssignAdd(v, one)
void buildCounter(Bench* b) {
  b->add("Variable", "v", "0");
  b->add("Const", "one", "1");
  b->add("AssignAdd", "count");
  OK(b->wire("v", "count", 0));
  OK(b->wire("one", "count", 1));
}

}  // namespace

class TstRunController : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void run_givesTheQuotient();
  void run_ofNothingIsRefused();
  void run_leavesOutWhatIsNotWired();
  void run_failsAtTheNode();
  void run_needlessFailureHasNoEvent();
  void unknownFetch_isRefused();
  void variable_countsAndResets();
  void variable_survivesOtherEdits();
  void twoDocuments_haveTheirOwnVariables();
  void step_goesNodeByNode();
  void breakpoint_holdsAndRunTo();
  void pausedRun_stops();
  void destroyedWhilePaused_ends();
  void feed_isCheckedAndUsed();
  void muted_isBypassed();
  void edit_makesTheTraceStale();
  void devices_areKnown();
  void impossibleShape_failsAtItsNode();
  void trace_equalsMetadata();
};

void TstRunController::run_givesTheQuotient() {
  Bench b;
  buildExample(&b);
  QSignalSpy states(&b.run, &RunController::stateChanged);
  const RunResult result = b.start();
  OK(result.status);
  QCOMPARE(result.outputs.size(), size_t{1});
  QCOMPARE(result.outputs[0].first, std::string("div:0"));
  QCOMPARE(b.output(), 3.75f);
  QCOMPARE(b.run.state(), RunState::kIdle);
  QCOMPARE(states.count(), 2);
  QVERIFY(b.run.trace()->num_executions() >= 5);
  QVERIFY(b.run.placement().at("mul").find("CPU:0") != std::string::npos);
  TraceCursor cursor = StateAt(b.run.trace(), b.run.trace()->num_events());
  QCOMPARE(cursor.OutputOf("mul", 0)->value.scalar<float>(), 75.0f);
}

void TstRunController::run_ofNothingIsRefused() {
  Bench b;
  const RunResult result = b.start();
  QCOMPARE(result.status.code(), Code::kInvalidArgument);
  QCOMPARE(result.status.message(), std::string("Must specify at least one target to fetch or execute."));
}

void TstRunController::run_leavesOutWhatIsNotWired() {
  Bench b;
  buildExample(&b);
  b.add("Mul", "half");
  OK(b.wire("a", "half", 1));
  OK(b.start().status);
  QCOMPARE(b.output(), 3.75f);
  // Asked for by name it fails there.
  const RunResult result = b.start({QStringLiteral("half")});
  QVERIFY(!result.status.ok());
  QCOMPARE(b.run.state(), RunState::kFailed);
  QCOMPARE(b.run.currentNode(), QStringLiteral("half"));
  OK(b.start({QStringLiteral("div")}).status);
}

void TstRunController::run_failsAtTheNode() {
  Bench b;
  AddOpRequest request;
  request.op = "Placeholder";
  request.name = "p";
  OK(b.document.addOp(request).status());
  b.add("Neg", "n");
  OK(b.wire("p", "n", 0));
  const RunResult result = b.start();
  QCOMPARE(result.status.code(), Code::kInvalidArgument);
  QVERIFY2(result.status.message().starts_with("You must feed a value for placeholder tensor 'p' with dtype float"),
           result.status.message().c_str());
  QCOMPARE(b.run.currentNode(), QStringLiteral("p"));
  QCOMPARE(b.run.state(), RunState::kFailed);
}

void TstRunController::run_needlessFailureHasNoEvent() {
  Bench b;
  buildExample(&b);
  b.add("Placeholder", "p");
  b.add("Neg", "n");
  OK(b.wire("p", "n", 0));
  OK(b.start({QStringLiteral("div")}).status);
  QVERIFY(b.run.trace()->LastExecution("p", b.run.trace()->num_events()) == nullptr);
  QVERIFY(b.run.trace()->LastExecution("div", b.run.trace()->num_events()) != nullptr);
}

void TstRunController::unknownFetch_isRefused() {
  Bench b;
  buildExample(&b);
  const RunResult result = b.start({QStringLiteral("q:0")});
  QCOMPARE(result.status.code(), Code::kInvalidArgument);
  QVERIFY(result.status.message().find("'q', does not exist in the graph") != std::string::npos);
  QVERIFY(b.start({QStringLiteral("div:1")}).status.message().find("'div', exists but only has 1 outputs") != std::string::npos);
  // The wrong tensor is fed.
  b.add("Placeholder", "x");
  b.add("Placeholder", "x_1");
  b.add("Neg", "y_1");
  OK(b.wire("x_1", "y_1", 0));
  OK(b.document.setValue(b.id("x"), QStringLiteral("1")));
  const std::string message = b.start({QStringLiteral("y_1")}).status.message();
  QVERIFY2(message.starts_with("You must feed a value for placeholder tensor 'x_1'"), message.c_str());
  QVERIFY2(message.find("not used by this run: x:0") != std::string::npos, message.c_str());
}

void TstRunController::variable_countsAndResets() {
  Bench b;
  buildCounter(&b);
  RunResult result = b.start({QStringLiteral("count")});
  QCOMPARE(result.status.code(), Code::kFailedPrecondition);
  OK(b.wait([&] { b.run.initialise(); }).status);
  for (const float expected : {1.0f, 2.0f, 3.0f}) {
    OK(b.start({QStringLiteral("count")}).status);
    QCOMPARE(b.output(), expected);
  }
  OK(b.start({QStringLiteral("v/read")}).status);
  QCOMPARE(b.output(), 3.0f);
  QSignalSpy reset(&b.run, &RunController::resetDone);
  b.run.reset();
  QVERIFY(reset.wait());
  result = b.start({QStringLiteral("v/read")});
  QCOMPARE(result.status.code(), Code::kFailedPrecondition);
  QVERIFY(result.status.message().find("Attempting to use uninitialized value v") != std::string::npos);
  QVERIFY(b.run.currentNode() == QStringLiteral("v/read") || b.run.currentNode() == QStringLiteral("v"));
  // Without a chosen fetch the counter runs, not the initialiser.
  OK(b.wait([&] { b.run.initialise(); }).status);
  OK(b.start().status);
  OK(b.start({QStringLiteral("v/read")}).status);
  QCOMPARE(b.output(), 1.0f);
  OK(b.start({QStringLiteral("count")}, 4).status);
  QCOMPARE(b.output(), 5.0f);
}

void TstRunController::variable_survivesOtherEdits() {
  Bench b;
  buildCounter(&b);
  OK(b.wait([&] { b.run.initialise(); }).status);
  OK(b.start({QStringLiteral("count")}, 3).status);
  // An addition: the session is extended.
  b.add("Const", "more", "1");
  OK(b.start({QStringLiteral("count")}).status);
  QCOMPARE(b.output(), 4.0f);
  // A change: the session is made anew, with the variable's value.
  OK(b.document.setValue(b.id("one"), QStringLiteral("10")));
  OK(b.start({QStringLiteral("count")}).status);
  QCOMPARE(b.output(), 14.0f);
  QVERIFY(b.document.renameItem(ItemId{b.id("one").value}, QStringLiteral("ten")).ok());
  OK(b.start({QStringLiteral("count")}).status);
  QCOMPARE(b.output(), 24.0f);
  // The variable itself gets another name.
  OK(b.document.renameItem(ItemId{b.id("v").value}, QStringLiteral("w")));
  OK(b.start({QStringLiteral("w/read")}).status);
  QCOMPARE(b.output(), 24.0f);
}

void TstRunController::twoDocuments_haveTheirOwnVariables() {
  Bench one;
  Bench two;
  buildCounter(&one);
  buildCounter(&two);
  OK(one.wait([&] { one.run.initialise(); }).status);
  OK(two.wait([&] { two.run.initialise(); }).status);
  OK(one.start({QStringLiteral("count")}, 3).status);
  OK(two.start({QStringLiteral("count")}).status);
  QCOMPARE(one.output(), 3.0f);
  QCOMPARE(two.output(), 1.0f);
}

void TstRunController::step_goesNodeByNode() {
  Bench b;
  buildExample(&b);
  QSignalSpy paused(&b.run, &RunController::paused);
  std::vector<QString> waiting;
  b.run.step();
  for (int i = 0; i < 4; ++i) {
    QVERIFY(paused.wait());
    QCOMPARE(b.run.state(), RunState::kPaused);
    waiting.push_back(b.run.currentNode());
    // So many nodes have run.
    QCOMPARE(b.run.trace()->num_executions(), static_cast<size_t>(i + 1));
    if (i < 3) b.run.step();
  }
  QCOMPARE(waiting, (std::vector<QString>{QStringLiteral("b"), QStringLiteral("mul"), QStringLiteral("add"), QStringLiteral("div")}));
  const RunResult result = b.wait([&] { b.run.step(); });
  OK(result.status);
  QCOMPARE(b.output(), 3.75f);
  QCOMPARE(b.run.trace()->Order(), (std::vector<std::string>{"a", "b", "mul", "add", "div"}));
  QCOMPARE(b.run.topologicalOrder().at("div"), 5);
}

void TstRunController::breakpoint_holdsAndRunTo() {
  Bench b;
  buildExample(&b);
  OK(b.document.setBreakpoint(QStringLiteral("add"), true));
  QSignalSpy paused(&b.run, &RunController::paused);
  b.run.start();
  QVERIFY(paused.wait());
  QCOMPARE(b.run.currentNode(), QStringLiteral("add"));
  QCOMPARE(b.run.breakpointHits(QStringLiteral("add")), 1);
  OK(b.wait([&] { b.run.continueRun(); }).status);
  OK(b.document.setBreakpoint(QStringLiteral("add"), false));
  b.run.runTo(QStringLiteral("div"));
  QVERIFY(paused.wait());
  QCOMPARE(b.run.currentNode(), QStringLiteral("div"));
  OK(b.wait([&] { b.run.continueRun(); }).status);
  QCOMPARE(b.document.setBreakpoint(QStringLiteral("nope"), true).code(), Code::kNotFound);
}

void TstRunController::pausedRun_stops() {
  Bench b;
  buildExample(&b);
  QSignalSpy paused(&b.run, &RunController::paused);
  b.run.step();
  QVERIFY(paused.wait());
  const RunResult result = b.wait([&] { b.run.stop(); });
  QCOMPARE(result.status.code(), Code::kCancelled);
  QCOMPARE(b.run.state(), RunState::kIdle);
  OK(b.start().status);
}

void TstRunController::destroyedWhilePaused_ends() {
  auto b = std::make_unique<Bench>();
  buildExample(b.get());
  QSignalSpy paused(&b->run, &RunController::paused);
  b->run.step();
  QVERIFY(paused.wait());
  b.reset();
}

void TstRunController::feed_isCheckedAndUsed() {
  Bench b;
  AddOpRequest request;
  request.op = "Placeholder";
  request.name = "x";
  request.attr["shape"] = "[2,3]";
  OK(b.document.addOp(request).status());
  b.add("Neg", "n");
  OK(b.wire("x", "n", 0));
  const Status refused = b.document.setValue(b.id("x"), QStringLiteral("[[1,2],[3,4],[5,6]]"));
  QCOMPARE(refused.message(), std::string("Cannot feed value of shape (3, 2) for Tensor x:0, which has shape (2, 3)"));
  OK(b.document.setValue(b.id("x"), QStringLiteral("[[1,2,3],[4,5,6]]")));
  OK(b.start().status);
  QCOMPARE(b.run.result().outputs[0].second.flat<float>()[5], -6.0f);
  // A configuration that says otherwise is checked before the run.
  RunConfig config = b.document.runConfig();
  config.feeds["x:0"] = "[1]";
  OK(b.document.setRunConfig(config));
  const RunResult result = b.start();
  QCOMPARE(result.status.code(), Code::kInvalidArgument);
  QCOMPARE(result.status.message(), std::string("Cannot feed value of shape (1,) for Tensor x:0, which has shape (2, 3)"));
}

void TstRunController::muted_isBypassed() {
  Bench b;
  b.add("Const", "a", "4");
  b.add("Neg", "n");
  b.add("Square", "s");
  b.add("Neg", "m");
  OK(b.wire("a", "n", 0));
  OK(b.wire("n", "s", 0));
  OK(b.wire("s", "m", 0));
  OK(b.start().status);
  QCOMPARE(b.output(), -16.0f);
  OK(b.document.setMuted({b.id("s"), b.id("n")}, true));
  OK(b.start().status);
  QCOMPARE(b.output(), -4.0f);
  QCOMPARE(b.run.result().outputs.size(), size_t{1});
  // A muted end: what it reads becomes the end.
  OK(b.document.setMuted({b.id("m")}, true));
  OK(b.start().status);
  QCOMPARE(b.run.result().outputs[0].first, std::string("a:0"));
}

void TstRunController::edit_makesTheTraceStale() {
  Bench b;
  buildExample(&b);
  OK(b.start().status);
  QVERIFY(!b.run.isStale());
  QSignalSpy stale(&b.run, &RunController::staleChanged);
  OK(b.document.setValue(b.id("a"), QStringLiteral("30")));
  QVERIFY(b.run.isStale());
  QCOMPARE(stale.count(), 1);
  OK(b.start().status);
  QVERIFY(!b.run.isStale());
  QCOMPARE(b.output(), 150.0f / 35.0f);
}

void TstRunController::devices_areKnown() {
  Bench b;
  RunConfig config;
  config.session.devices["CPU"] = 2;
  OK(b.document.setRunConfig(config));
  QSignalSpy prepared(&b.run, &RunController::prepared);
  b.run.prepare();
  QVERIFY(prepared.wait());
  QCOMPARE(b.run.devices().size(), size_t{2});
  QVERIFY(!b.run.allocatorSnapshots().empty());
}

void TstRunController::impossibleShape_failsAtItsNode() {
  Bench b;
  AddOpRequest request;
  request.op = "Const";
  request.name = "dims";
  request.attr["value"] = "[1000000000000,1000000000000]";
  request.attr["dtype"] = "\"int64\"";
  OK(b.document.addOp(request).status());
  b.add("Const", "zero", "0");
  b.add("Fill", "big");
  OK(b.wire("dims", "big", 0));
  OK(b.wire("zero", "big", 1));
  const RunResult result = b.start();
  QCOMPARE(result.status.code(), Code::kInvalidArgument);
  QVERIFY2(result.status.message().find("would have more than 2**63 - 1 elements") != std::string::npos, result.status.message().c_str());
  QCOMPARE(b.run.currentNode(), QStringLiteral("big"));
  // The program goes on.
  OK(b.document.setValue(b.id("dims"), QStringLiteral("[2,2]")));
  OK(b.start().status);
  QCOMPARE(b.run.result().outputs[0].second.NumElements(), int64_t{4});
}

void TstRunController::trace_equalsMetadata() {
  Bench b;
  buildExample(&b);
  OK(b.start().status);
  TraceController trace;
  QSignalSpy moved(&trace, &TraceController::cursorMoved);
  trace.setTrace(b.run.trace());
  QVERIFY(trace.cursor().at_end());
  QTemporaryDir dir;
  const QString path = dir.filePath(QStringLiteral("t.pb"));
  OK(trace.save(path));
  TraceController back;
  QSignalSpy opened(&back, &TraceController::traceOpened);
  back.open(path);
  QVERIFY(opened.wait());
  QCOMPARE(back.trace().num_executions(), trace.trace().num_executions());
  QCOMPARE(back.trace().Order(), trace.trace().Order());
  QCOMPARE(back.trace().TimeRange(), trace.trace().TimeRange());
  OK(trace.save(dir.filePath(QStringLiteral("t.json"))));
  QCOMPARE(trace.save(dir.filePath(QStringLiteral("t.txt"))).code(), Code::kInvalidArgument);
  // Back to before the last node, which then hasn't run.
  trace.stepBack();
  QCOMPARE(trace.cursor().StateOf("div").phase, NodePhase::kNotRun);
  QCOMPARE(trace.cursor().StateOf("mul").phase, NodePhase::kDone);
  trace.moveTo(-5);
  QCOMPARE(trace.cursor().position(), size_t{0});
  trace.moveToEnd();
  QVERIFY(moved.count() >= 4);
  QSignalSpy failed(&back, &TraceController::openFailed);
  back.open(dir.filePath(QStringLiteral("nope.pb")));
  QVERIFY(failed.wait());
  QCOMPARE(back.trace().num_executions(), trace.trace().num_executions());
}

QTEST_GUILESS_MAIN(TstRunController)
#include "tst_run_controller.moc"
