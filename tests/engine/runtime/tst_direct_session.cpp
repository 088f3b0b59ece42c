#include <QtTest>

#include <thread>

#include "engine/runtime/step_gate.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

const std::string kExample = FloatConst("a", 15) + FloatConst("b", 5) + FloatOp("mul", "Mul", {"a", "b"}) +
                             FloatOp("add", "Add", {"a", "b"}) + FloatOp("div", "RealDiv", {"mul", "add"});

const std::string kCounter = FloatVariable("v") + FloatConst("zero", 0) + FloatConst("one", 1) +
                             FloatOp("init", "Assign", {"v", "zero"}) + FloatOp("count", "AssignAdd", {"v", "one"}) +
                             FloatOp("read", "Identity", {"v"});

std::string Dims(int64_t a, int64_t b) {
  return "node { name: 'dims' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } } attr { key: 'value' value { "
         "tensor { dtype: DT_INT64 tensor_shape { dim { size: 2 } } int64_val: " +
         std::to_string(a) + " int64_val: " + std::to_string(b) + " } } } }\n";
}
std::string Fill(int64_t a, int64_t b) {
  return Dims(a, b) + FloatConst("zero", 0) +
         FloatOp("fill", "Fill", {"dims", "zero"}, "", "attr { key: 'index_type' value { type: DT_INT64 } }");
}

std::string Chain(int length) {
  std::string text = FloatConst("one", 1) + FloatConst("n0", 0);
  for (int i = 1; i <= length; ++i) {
    text += FloatOp("n" + std::to_string(i), "Add", {"n" + std::to_string(i - 1), "one"});
  }
  return text;
}

class Names final : public RunObserver {
 public:
  void NodeStarted(const ExecutionKey& key, std::string_view, int64_t) override {
    const std::lock_guard lock(mutex_);
    names.emplace_back(key.node);
  }
  void NodeDone(const NodeExecution& execution) override {
    const std::lock_guard lock(mutex_);
    if (!execution.status.ok()) failed.emplace_back(execution.key.node);
  }
  std::vector<std::string> names, failed;

 private:
  std::mutex mutex_;
};

}  // namespace

class TstDirectSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void example() {
    const auto session = MakeSession(kExample);
    QVERIFY(session);
    QCOMPARE(RunFloat(session.get(), "div"), 3.75F);
    std::vector<Tensor> outputs;
    QVERIFY(session->Run({}, {"add:0", "mul:0", "add"}, {}, &outputs).ok());
    QCOMPARE(outputs.size(), size_t{3});
    QCOMPARE(outputs[0].scalar<float>(), 20.0F);
    QCOMPARE(outputs[1].scalar<float>(), 75.0F);
    QCOMPARE(outputs[2].scalar<float>(), 20.0F);
  }

  void feeds() {
    const auto session = MakeSession(FloatPlaceholder("x") + FloatPlaceholder("y") + FloatOp("z", "Add", {"x", "y"}));
    Status status;
    const Tensor two = Tensor::Scalar<float>(2), three = Tensor::Scalar<float>(3);
    QCOMPARE(RunFloat(session.get(), "z", &status, {{"x", two}, {"y:0", three}}), 5.0F);
    RunFloat(session.get(), "z", &status, {{"x", two}});
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(status.message().starts_with("You must feed a value for placeholder tensor 'y' with dtype float"));
    QCOMPARE(status.nodes().at(0), std::string("y"));
    RunFloat(session.get(), "z", &status, {{"x", two}, {"x:0", two}, {"y", two}});
    QCOMPARE(status.message(), std::string("Endpoint \"x:0\" fed more than once."));
    // The feed stands in for what computes the value.
    QCOMPARE(RunFloat(session.get(), "z", &status, {{"x", two}, {"y", three}}), 5.0F);
  }

  void unusedFeedsAreTold() {
    const auto session = MakeSession(FloatPlaceholder("x") + FloatPlaceholder("x_1") + FloatOp("y", "Neg", {"x"}) +
                                     FloatOp("y_1", "Neg", {"x_1"}));
    Status status;
    RunFloat(session.get(), "y_1", &status, {{"x", Tensor::Scalar<float>(2)}});
    QVERIFY(status.message().starts_with("You must feed a value for placeholder tensor 'x_1' with dtype float"));
    QVERIFY(status.message().ends_with("Fed, but not used by this run: x:0"));
  }

  void deadFetch() {
    const std::string predicate =
        "node { name: 'p' op: 'Const' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'value' value { tensor { "
        "dtype: DT_BOOL tensor_shape {} bool_val: false } } } }\n";
    const auto session = MakeSession(FloatConst("v", 7) + predicate + FloatOp("sw", "Switch", {"v", "p"}) +
                                     FloatOp("t", "Neg", {"sw:1"}) +
                                     FloatOp("m", "Merge", {"sw:0", "t"}, "", "attr { key: 'N' value { i: 2 } }"));
    Status status;
    RunFloat(session.get(), "t:0", &status);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(status.message().starts_with("Retval[0] does not have value\n"));
    QVERIFY(status.message().find("The fetch t is dead: {{node sw}}") != std::string::npos);
    QCOMPARE(status.nodes(), (std::vector<std::string>{"t", "sw"}));
    QCOMPARE(RunFloat(session.get(), "m"), 7.0F);
    // A dead target is fine.
    QVERIFY(session->Run({}, {}, {"t"}, nullptr).ok());
  }

  void feedsAnyTensor() {
    const auto session = MakeSession(kExample);
    QCOMPARE(RunFloat(session.get(), "div", nullptr, {{"mul", Tensor::Scalar<float>(40)}}), 2.0F);
  }

  void variablesKeepTheirState() {
    const auto first = MakeSession(kCounter), second = MakeSession(kCounter);
    Status status;
    RunFloat(first.get(), "read", &status);
    QCOMPARE(status.code(), Code::kFailedPrecondition);
    QCOMPARE(status.message(), std::string("Attempting to use uninitialized value v\n\t [[{{node read}}]]"));
    QCOMPARE(status.nodes().at(0), std::string("read"));
    RunFloat(first.get(), "v", &status);
    QCOMPARE(status.message(), std::string("Attempting to use uninitialized value v\n\t [[{{node _retval_v_0_0}}]]"));
    QCOMPARE(status.nodes().at(0), std::string("v"));
    QVERIFY(first->Run({}, {}, {"init"}, nullptr).ok());
    QVERIFY(second->Run({}, {}, {"init"}, nullptr).ok());
    for (const float want : {1.0F, 2.0F, 3.0F}) QCOMPARE(RunFloat(first.get(), "count"), want);
    QCOMPARE(RunFloat(first.get(), "read"), 3.0F);
    QCOMPARE(RunFloat(second.get(), "read"), 0.0F);
  }

  void fetchedValuesOutliveTheSessionAndLaterRuns() {
    std::vector<Tensor> outputs;
    {
      const auto session = MakeSession(kCounter);
      QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
      QVERIFY(session->Run({}, {"count"}, {}, &outputs).ok());
      QCOMPARE(RunFloat(session.get(), "count"), 2.0F);
    }
    QCOMPARE(outputs[0].scalar<float>(), 1.0F);
  }

  void failuresThatNobodyNeedsDontHappen() {
    const auto session = MakeSession(kExample + FloatPlaceholder("p") + FloatOp("bad", "Sub", {"p", "a"}));
    Names names;
    std::vector<Tensor> outputs;
    RunHooks hooks;
    hooks.observer = &names;
    QVERIFY(session->Run(RunOptions(), {}, {"div"}, {}, &outputs, nullptr, hooks).ok());
    std::sort(names.names.begin(), names.names.end());
    QCOMPARE(names.names, (std::vector<std::string>{"a", "add", "b", "div", "mul"}));
    QVERIFY(names.failed.empty());
    // The session is of use after a failure.
    Status status;
    RunFloat(session.get(), "bad", &status);
    QCOMPARE(status.nodes().at(0), std::string("p"));
    QCOMPARE(RunFloat(session.get(), "div"), 3.75F);
  }

  void hugeShapes() {
    const auto huge = MakeSession(Fill(1000000000000, 1000000000000));
    QVERIFY(huge);
    Status status;
    RunFloat(huge.get(), "fill", &status);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(status.message().starts_with("Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements"));
    QCOMPARE(status.nodes().at(0), std::string("fill"));
    SessionOptions options;
    options.memory_limit_bytes = 1 << 20;
    const auto large = MakeSession(Fill(1000000, 10000000), options);
    RunFloat(large.get(), "fill", &status);
    QCOMPARE(status.code(), Code::kResourceExhausted);
    QCOMPARE(status.nodes().at(0), std::string("fill"));
    QCOMPARE(RunFloat(large.get(), "zero"), 0.0F);
    const auto unlimited = MakeSession(Fill(1000000, 10000000));
    RunFloat(unlimited.get(), "fill", &status);
    QCOMPARE(status.code(), Code::kResourceExhausted);
  }

  void bfcAllocator() {
    SessionOptions options;
    options.cpu_allocator = "bfc";
    options.memory_limit_bytes = 1 << 20;
    const auto session = MakeSession(Fill(100, 100), options);
    QVERIFY(session);
    std::vector<Tensor> outputs;
    QVERIFY(session->Run({}, {"fill"}, {}, &outputs).ok());
    const auto snapshot = session->AllocatorSnapshots()[0];
    QCOMPARE(snapshot.name, std::string("bfc_cpu_allocator_for_gpu"));
    QCOMPARE(*snapshot.stats.bytes_limit, int64_t{1} << 20);
    const auto held = std::find_if(snapshot.chunks.begin(), snapshot.chunks.end(),
                                   [](const AllocatorChunk& chunk) { return chunk.node == "fill"; });
    QVERIFY(held != snapshot.chunks.end());
    QCOMPARE(held->requested, int64_t{40000});
    QCOMPARE(held->size, int64_t{40192});

    const auto large = MakeSession(Fill(1000, 1000), options);
    Status status;
    RunFloat(large.get(), "fill", &status);
    QCOMPARE(status.code(), Code::kResourceExhausted);
    QVERIFY2(status.message().starts_with("OOM when allocating tensor with shape[1000,1000] and type float on "
                                          "/job:localhost/replica:0/task:0/device:CPU:0 by allocator "
                                          "bfc_cpu_allocator_for_gpu\n\t Node 'fill': requested 3.81MiB (4000000 bytes) on "),
             status.message().c_str());
    options.cpu_allocator = "other";
    QCOMPARE(NewSession(options).status().code(), Code::kInvalidArgument);
  }

  void longChain() {
    const auto session = MakeSession(Chain(10000));
    QVERIFY(session);
    QCOMPARE(RunFloat(session.get(), "n10000"), 10000.0F);
  }

  void stepGateRunsInOrder() {
    const auto session = MakeSession(kExample);
    StepGate gate;
    Names names;
    RunHooks hooks;
    hooks.gate = &gate;
    hooks.observer = &names;
    std::vector<std::string> paused_at;
    gate.set_on_pause([&] {
      paused_at.push_back(gate.next_node());
      QVERIFY(gate.paused());
      QCOMPARE(gate.ready().at(0), gate.next_node());
      gate.Advance();
    });
    std::vector<Tensor> outputs;
    QVERIFY(session->Run(RunOptions(), {}, {"div"}, {}, &outputs, nullptr, hooks).ok());
    QCOMPARE(outputs[0].scalar<float>(), 3.75F);
    const std::vector<std::string> order{"a", "b", "mul", "add", "div"};
    QCOMPARE(paused_at, order);
    QCOMPARE(names.names, order);
    QVERIFY(!gate.paused());
  }

  void stepGateBreakpoints() {
    const auto session = MakeSession(kExample);
    StepGate gate;
    RunHooks hooks;
    hooks.gate = &gate;
    gate.SetBreakpoints({"add"});
    std::vector<std::string> paused_at;
    gate.set_on_pause([&] {
      paused_at.push_back(gate.next_node());
      if (paused_at.size() == 1) {
        gate.Continue();
      } else if (paused_at.size() == 2) {
        gate.RunTo("div");
      } else {
        gate.Continue();
      }
    });
    std::vector<Tensor> outputs;
    QVERIFY(session->Run(RunOptions(), {}, {"div"}, {}, &outputs, nullptr, hooks).ok());
    QCOMPARE(paused_at, (std::vector<std::string>{"a", "add", "div"}));
  }

  void stopWhilePaused() {
    const auto session = MakeSession(kExample);
    StepGate gate;
    std::stop_source stop;
    RunHooks hooks;
    hooks.gate = &gate;
    hooks.cancellation = stop.get_token();
    gate.set_on_pause([&] {
      if (gate.next_node() == "mul") {
        stop.request_stop();
      } else {
        gate.Advance();
      }
    });
    std::vector<Tensor> outputs;
    const Status status = session->Run(RunOptions(), {}, {"div"}, {}, &outputs, nullptr, hooks);
    QCOMPARE(status.code(), Code::kCancelled);
    QVERIFY(!gate.paused());
    QCOMPARE(RunFloat(session.get(), "div"), 3.75F);
  }

  void timeout() {
    const auto session = MakeSession(kExample);
    StepGate gate;  // Nobody lets the first node run.
    RunHooks hooks;
    hooks.gate = &gate;
    RunOptions options;
    options.set_timeout_in_ms(50);
    std::vector<Tensor> outputs;
    const Status status = session->Run(options, {}, {"div"}, {}, &outputs, nullptr, hooks);
    QCOMPARE(status.code(), Code::kDeadlineExceeded);
    QCOMPARE(status.message(), std::string("Timed out waiting for notification"));
    QCOMPARE(RunFloat(session.get(), "div"), 3.75F);
  }

  void closeEndsRuns() {
    const auto session = MakeSession(kExample);
    StepGate gate;
    RunHooks hooks;
    hooks.gate = &gate;
    gate.set_on_pause([&] { QVERIFY(session->Close().ok()); });
    std::vector<Tensor> outputs;
    Status status = session->Run(RunOptions(), {}, {"div"}, {}, &outputs, nullptr, hooks);
    QCOMPARE(status.code(), Code::kCancelled);
    RunFloat(session.get(), "div", &status);
    QCOMPARE(status.code(), Code::kCancelled);
    QCOMPARE(status.message(), std::string("Session has been closed."));
    QVERIFY(session->Close().ok());
  }

  void manyRunsAtOnce() {
    const auto session = MakeSession(Chain(200) + FloatPlaceholder("x") + FloatOp("y", "Add", {"x", "n200"}));
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 25; ++i) {
          const auto feed = static_cast<float>(t * 100 + i);
          const float got = RunFloat(session.get(), "y", nullptr, {{"x", Tensor::Scalar<float>(feed)}});
          if (got == feed + 200) ++right;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    QCOMPARE(right.load(), 100);
  }

  void countingFromManyThreads() {
    const auto session = MakeSession(kCounter + FloatConst("two", 2) + FloatOp("count2", "AssignAdd", {"v", "two"}) +
                                     "node { name: 'both' op: 'NoOp' input: '^count' input: '^count2' }\n");
    QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 25; ++i) static_cast<void>(session->Run({}, {}, {"both"}, nullptr).ok());
      });
    }
    for (auto& thread : threads) thread.join();
    QCOMPARE(RunFloat(session.get(), "read"), 300.0F);
  }

  void wideGraphsUseThePool() {
    std::string text = FloatPlaceholder("x");
    std::string sum = "x";
    for (int i = 0; i < 64; ++i) {
      const std::string n = std::to_string(i);
      text += FloatOp("e" + n, "Exp", {"x"}) + FloatOp("s" + n, "Add", {sum, "e" + n});
      sum = "s" + n;
    }
    SessionOptions options;
    options.config.set_inter_op_parallelism_threads(4);
    const auto session = MakeSession(text, options);
    Tensor x(DT_FLOAT, TensorShape({20000}));
    std::fill(x.flat<float>().begin(), x.flat<float>().end(), 0.0F);
    for (int i = 0; i < 5; ++i) QCOMPARE(RunFloat(session.get(), sum, nullptr, {{"x", x}}), 64.0F);
    QVERIFY(session->AllocatorSnapshots()[0].stats.bytes_in_use < 80000);
  }

  void extendAndLookWhileRunning() {
    const auto session = MakeSession(Chain(100));
    std::atomic<bool> wrong{false};
    std::thread runner([&] {
      for (int i = 0; i < 50; ++i) {
        if (RunFloat(session.get(), "n100") != 100.0F) wrong = true;
      }
    });
    for (int i = 0; i < 20; ++i) {
      if (!session->Extend(ParseGraph(FloatOp("more" + std::to_string(i), "Neg", {"n1"}))).ok()) wrong = true;
      static_cast<void>(session->AllocatorSnapshots());
      if (RunFloat(session.get(), "more" + std::to_string(i)) != -1.0F) wrong = true;
    }
    runner.join();
    QVERIFY(!wrong);
  }

  void createTwice() {
    const auto session = MakeSession(kExample);
    const Status status = session->Create(ParseGraph(kExample));
    QCOMPARE(status.code(), Code::kAlreadyExists);
    QCOMPARE(status.message(), std::string("A Graph has already been created for this session."));
  }

  void extendKeepsVariables() {
    const auto session = MakeSession(kCounter);
    QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
    QCOMPARE(RunFloat(session.get(), "count"), 1.0F);
    const Status status = session->Extend(ParseGraph(FloatOp("more", "Add", {"read", "one"})));
    QVERIFY2(status.ok(), status.message().c_str());
    QCOMPARE(RunFloat(session.get(), "more"), 2.0F);
  }

  void controlEdgesOrder() {
    const auto session = MakeSession(kCounter + FloatOp("after", "Identity", {"v", "^count"}));
    QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
    QCOMPARE(RunFloat(session.get(), "after"), 1.0F);
  }

  void targets() {
    SessionOptions options;
    options.target = "grpc://localhost:1";
    QCOMPARE(NewSession(options).status().code(), Code::kUnimplemented);
    options.target = "local";
    QCOMPARE(NewSession(options).status().code(), Code::kNotFound);
    QVERIFY(NewSession(options).status().message().starts_with(
        "No session factory registered for the given session options: {target: \"local\""));
  }

  void devicesKeepTheirOwnFigures() {
    SessionOptions options;
    (*options.config.mutable_device_count())["CPU"] = 2;
    const auto session = MakeSession(FloatVariable("u") + FloatVariable("v", "/cpu:1") + FloatConst("one", 1) +
                                         FloatOp("init", "Assign", {"v", "one"}) + FloatOp("read", "Identity", {"v"}),
                                     options);
    QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
    const auto snapshots = session->AllocatorSnapshots();
    QCOMPARE(snapshots.size(), size_t{2});
    QCOMPARE(snapshots[0].device, std::string("/job:localhost/replica:0/task:0/device:CPU:0"));
    QCOMPARE(snapshots[0].stats.bytes_in_use, int64_t{0});
    QCOMPARE(snapshots[1].device, std::string("/job:localhost/replica:0/task:0/device:CPU:1"));
    QVERIFY(snapshots[1].stats.bytes_in_use >= 4);
    std::vector<std::pair<std::string, std::string>> placement;
    QVERIFY(session->Placement(&placement).ok());
    const std::map<std::string, std::string> by_name(placement.begin(), placement.end());
    QCOMPARE(by_name.at("v"), snapshots[1].device);
    QCOMPARE(by_name.at("init"), snapshots[1].device);
    QCOMPARE(by_name.at("one"), snapshots[1].device);
    QCOMPARE(by_name.at("u"), snapshots[0].device);
    std::vector<DeviceAttributes> attributes;
    QVERIFY(session->ListDevices(&attributes).ok());
    QCOMPARE(attributes.size(), size_t{2});
    QCOMPARE(attributes[1].device_type(), std::string("CPU"));
    QCOMPARE(attributes[1].memory_limit(), int64_t{256} << 20);
    QVERIFY(attributes[0].incarnation() != attributes[1].incarnation());
  }
};

QTEST_GUILESS_MAIN(TstDirectSession)
#include "tst_direct_session.moc"
