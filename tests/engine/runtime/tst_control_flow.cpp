#include <QtTest>

#include <thread>

#include "engine/runtime/step_gate.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

std::string FrameAttr(const std::string& frame, bool is_constant = false, int parallel = 10) {
  return "attr { key: 'frame_name' value { s: '" + frame + "' } } attr { key: 'is_constant' value { b: " +
         (is_constant ? "true" : "false") + " } } attr { key: 'parallel_iterations' value { i: " + std::to_string(parallel) +
         " } }";
}
const std::string kTwo = "attr { key: 'N' value { i: 2 } }";

std::string LoopCond(const std::string& name, const std::string& input) {
  return "node { name: '" + name + "' op: 'LoopCond' input: '" + input + "' }\n";
}

/// while (i < limit) i = i + step; fetch "exit".
std::string CountingLoop(float limit, float step, int parallel, const std::string& start = "start") {
  return FloatConst("start", 0) + FloatConst("limit", limit) + FloatConst("step", step) +
         FloatOp("enter", "Enter", {start}, "", FrameAttr("loop", false, parallel)) +
         FloatOp("limit_in", "Enter", {"limit"}, "", FrameAttr("loop", true, parallel)) +
         FloatOp("step_in", "Enter", {"step"}, "", FrameAttr("loop", true, parallel)) +
         FloatOp("merge", "Merge", {"enter", "next"}, "", kTwo) + FloatOp("less", "Less", {"merge", "limit_in"}) +
         LoopCond("cond", "less") + FloatOp("switch", "Switch", {"merge", "cond"}) +
         FloatOp("body", "Add", {"switch:1", "step_in"}) + FloatOp("next", "NextIteration", {"body"}) +
         FloatOp("exit", "Exit", {"switch:0"});
}

std::string BoolConst(const std::string& name, bool value) {
  return "node { name: '" + name + "' op: 'Const' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'value' value { " +
         "tensor { dtype: DT_BOOL tensor_shape {} bool_val: " + (value ? "true" : "false") + " } } } }\n";
}

class Keys final : public RunObserver {
 public:
  void NodeStarted(const ExecutionKey& key, std::string_view, int64_t) override {
    const std::lock_guard lock(mutex_);
    keys.push_back(StrCat(key.node, "@", key.frame, "#", key.iteration));
  }
  void NodeDone(const NodeExecution&) override {}
  std::vector<std::string> keys;

 private:
  std::mutex mutex_;
};

}  // namespace

class TstControlFlow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loops_data() {
    QTest::addColumn<int>("parallel");
    QTest::newRow("one") << 1;
    QTest::newRow("two") << 2;
    QTest::newRow("ten") << 10;
  }

  void loops() {
    QFETCH(int, parallel);
    const auto session = MakeSession(CountingLoop(1000, 1, parallel));
    QVERIFY(session);
    for (int i = 0; i < 3; ++i) QCOMPARE(RunFloat(session.get(), "exit"), 1000.0F);
  }

  void loopThatDoesNotRun() {
    const auto session = MakeSession(CountingLoop(-1, 1, 10));
    QCOMPARE(RunFloat(session.get(), "exit"), 0.0F);
  }

  void iterationsAreTold() {
    const auto session = MakeSession(CountingLoop(2, 1, 10));
    Keys keys;
    StepGate gate;
    gate.Continue();
    RunHooks hooks;
    hooks.observer = &keys;
    hooks.gate = &gate;
    std::vector<Tensor> outputs;
    QVERIFY(session->Run(RunOptions(), {}, {"exit"}, {}, &outputs, nullptr, hooks).ok());
    const std::vector<std::string> once = keys.keys;
    const auto has = [&](const char* key) { return std::count(once.begin(), once.end(), key) == 1; };
    QVERIFY(has("enter@#0"));
    QVERIFY(has("merge@loop#0"));
    QVERIFY(has("merge@loop#1"));
    QVERIFY(has("merge@loop#2"));
    QVERIFY(has("body@loop#1"));
    QVERIFY(!has("body@loop#2"));
    QVERIFY(has("exit@loop#2"));
    // With a gate the order is the same in every run.
    keys.keys.clear();
    QVERIFY(session->Run(RunOptions(), {}, {"exit"}, {}, &outputs, nullptr, hooks).ok());
    QCOMPARE(keys.keys, once);
  }

  void endlessLoopEndsByTimeout() {
    const auto session = MakeSession(CountingLoop(1, 0, 10));
    RunOptions options;
    options.set_timeout_in_ms(100);
    std::vector<Tensor> outputs;
    const Status status = session->Run(options, {}, {"exit"}, {}, &outputs, nullptr, RunHooks());
    QCOMPARE(status.code(), Code::kDeadlineExceeded);
    QCOMPARE(RunFloat(session.get(), "limit"), 1.0F);
  }

  void endlessLoopEndsByStop() {
    const auto session = MakeSession(CountingLoop(1, 0, 10));
    std::stop_source stop;
    RunHooks hooks;
    hooks.cancellation = stop.get_token();
    std::jthread stopper([&] { stop.request_stop(); });
    std::vector<Tensor> outputs;
    const Status status = session->Run(RunOptions(), {}, {"exit"}, {}, &outputs, nullptr, hooks);
    QCOMPARE(status.code(), Code::kCancelled);
  }

  // A loop behind a branch that isn't taken: dead as a whole, and the merge takes the other side.
  void deadLoop() {
    for (const bool taken : {false, true}) {
      const auto session = MakeSession(
          BoolConst("p", taken) + FloatConst("v", 5) + FloatOp("sw", "Switch", {"v", "p"}) +
          CountingLoop(10, 1, 10, "sw:1") + FloatOp("other", "Neg", {"sw:0"}) +
          FloatOp("out", "Merge", {"other", "exit"}, "", kTwo));
      QVERIFY(session);
      QCOMPARE(RunFloat(session.get(), "out"), taken ? 10.0F : -5.0F);
    }
  }

  // The other inputs of the dead loop's frame are alive.
  void deadConstantOfALoop() {
    const auto session = MakeSession(BoolConst("p", false) + FloatConst("v", 5) + FloatOp("sw", "Switch", {"v", "p"}) +
                                     FloatOp("enter_dead", "Enter", {"sw:1"}, "", FrameAttr("f", true)) +
                                     FloatOp("enter", "Enter", {"v"}, "", FrameAttr("f")) +
                                     FloatOp("sum", "Add", {"enter", "enter_dead"}) + FloatOp("exit", "Exit", {"sum"}) +
                                     FloatOp("other", "Neg", {"sw:0"}) +
                                     FloatOp("out", "Merge", {"other", "exit"}, "", kTwo));
    QCOMPARE(RunFloat(session.get(), "out"), -5.0F);
  }

  void controlEdgesCarryDeath() {
    const auto session = MakeSession(BoolConst("p", false) + FloatConst("v", 5) + FloatOp("sw", "Switch", {"v", "p"}) +
                                     FloatOp("t", "Neg", {"sw:1"}) + FloatConst("c", 3) +
                                     FloatOp("guarded", "Identity", {"c", "^t"}) + FloatOp("f", "Neg", {"sw:0"}) +
                                     FloatOp("out", "Merge", {"guarded", "f"}, "", kTwo));
    QCOMPARE(RunFloat(session.get(), "out"), -5.0F);
    Status status;
    RunFloat(session.get(), "guarded", &status);
    QCOMPARE(status.code(), Code::kInvalidArgument);
  }

  void triggersRunBehindDeadNodes() {
    const auto session = MakeSession(BoolConst("p", false) + FloatConst("v", 5) + FloatOp("sw", "Switch", {"v", "p"}) +
                                     FloatOp("t", "Neg", {"sw:1"}) + "node { name: 'go' op: 'ControlTrigger' input: '^t' }\n" +
                                     FloatOp("out", "Identity", {"v", "^go"}));
    QCOMPARE(RunFloat(session.get(), "out"), 5.0F);
  }

  void mergeTellsWhichInput() {
    const auto session = MakeSession(BoolConst("p", true) + FloatConst("v", 5) + FloatOp("sw", "Switch", {"v", "p"}) +
                                     FloatOp("out", "Merge", {"sw:0", "sw:1"}, "", kTwo));
    std::vector<Tensor> outputs;
    QVERIFY(session->Run({}, {"out:0", "out:1"}, {}, &outputs).ok());
    QCOMPARE(outputs[0].scalar<float>(), 5.0F);
    QCOMPARE(outputs[1].scalar<int32_t>(), 1);
  }
};

QTEST_GUILESS_MAIN(TstControlFlow)
#include "tst_control_flow.moc"
