// One session, many threads: runs, extends, cancels and closes at once. Meant for the thread sanitizer, too.

#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include "engine/proto/step_stats.pb.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

constexpr int kThreads = 8;

// OPSCOPE_STRESS_RUNS: per thread.
int RunsPerThread() {
  const char* const asked = std::getenv("OPSCOPE_STRESS_RUNS");
  return asked ? std::atoi(asked) : 2000;
}

// A conditional, a loop and a few scalar ops: (x * 2 + 1) in three ways.
std::string Sum() {
  return FloatPlaceholder("x") + FloatConst("two", 2) + FloatConst("one", 1) + FloatOp("mul", "Mul", {"x", "two"}) +
         FloatOp("add", "AddV2", {"mul", "one"}) + FloatOp("out", "Identity", {"add"});
}

std::string Attr(const std::string& name, const std::string& value) {
  return "attr { key: '" + name + "' value { " + value + " } } ";
}

std::string Enter(const std::string& name, const std::string& input, bool is_constant = false) {
  return FloatOp(name, "Enter", {input}, "",
                 Attr("frame_name", "s: 'loop'") + Attr("is_constant", is_constant ? "b: true" : "b: false") +
                     Attr("parallel_iterations", "i: 10"));
}

// Doubles x until it is at least `limit`.
std::string Loop(float limit) {
  return FloatPlaceholder("v") + FloatConst("limit", limit) + FloatConst("twice", 2) + Enter("e", "v") +
         Enter("el", "limit", true) + Enter("et", "twice", true) + FloatOp("m", "Merge", {"e", "next"}, "", Attr("N", "i: 2")) +
         FloatOp("less", "Less", {"m", "el"}) + "node { name: 'cond' op: 'LoopCond' input: 'less' }\n" +
         FloatOp("sw", "Switch", {"m", "cond"}) + FloatOp("body", "Mul", {"sw:1", "et"}) +
         FloatOp("next", "NextIteration", {"body"}) + FloatOp("exit", "Exit", {"sw"});
}


}  // namespace

class TstSessionThreads : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsExtendsAndCancels() {
    const auto session = MakeSession(Sum() + Loop(1000));
    QVERIFY(session);
    std::atomic<int> wrong{0}, ended{0}, failed{0};
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    const int runs = RunsPerThread();
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < runs; ++i) {
          const float x = static_cast<float>(t * 10 + i % 10);
          const bool loops = i % 8 == 3;
          const Session::NamedTensors feeds = {{loops ? "v" : "x", Tensor::Scalar<float>(loops ? 1 : x)}};
          std::stop_source stop;
          RunHooks hooks;
          RunOptions options;
          RunMetadata metadata;
          const bool is_cancelled = i % 16 == 5;
          if (is_cancelled) {
            hooks.cancellation = stop.get_token();
            stop.request_stop();
          }
          if (i % 64 == 9) options.set_trace_level(RunOptions::FULL_TRACE);
          std::vector<Tensor> outputs;
          const Status status = session->Run(options, feeds, {loops ? "exit" : "out"}, {}, &outputs, &metadata, hooks);
          if (is_cancelled) {
            wrong += status.code() == Code::kCancelled ? 0 : 1;
            ++ended;
          } else if (!status.ok()) {
            ++failed;
          } else if (outputs.at(0).scalar<float>() != (loops ? 1024 : x * 2 + 1)) {
            ++wrong;
          }
        }
      });
    }
    std::thread extender([&] {
      for (int i = 0; i < 50 && !is_over; ++i) {
        const std::string name = "more" + std::to_string(i);
        const GraphDef more = ParseGraph(FloatConst(name, static_cast<float>(i)));
        if (!session->Extend(more).ok()) ++failed;
        if (RunFloat(session.get(), name) != static_cast<float>(i)) ++wrong;
      }
    });
    for (std::thread& thread : threads) thread.join();
    is_over = true;
    extender.join();
    QCOMPARE(failed.load(), 0);
    QCOMPARE(wrong.load(), 0);
    QVERIFY(ended > 0);
    QCOMPARE(RunFloat(session.get(), "out", nullptr, {{"x", Tensor::Scalar<float>(3)}}), 7.0F);
  }

  void closeEndsRunsInFlight() {
    const auto session = MakeSession(Loop(std::numeric_limits<float>::infinity()) + Sum());
    QVERIFY(session);
    std::atomic<int> cancelled{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        Status status;
        RunFloat(session.get(), "exit", &status, {{"v", Tensor::Scalar<float>(0)}});  // 0 stays 0: without end
        cancelled += status.code() == Code::kCancelled ? 1 : 0;
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto start = std::chrono::steady_clock::now();
    QVERIFY(session->Close().ok());
    for (std::thread& thread : threads) thread.join();
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1000));
    QCOMPARE(cancelled.load(), 4);
  }

  // In the serial way as well as in the parallel one: the first run of a plan is parallel.
  void endlessLoopsMeetDeadlinesAndCancels() {
    const auto session = MakeSession(Loop(std::numeric_limits<float>::infinity()) + Sum());
    for (int i = 0; i < 4; ++i) {
      if (i == 2) QVERIFY(session->Run({{"v", Tensor::Scalar<float>(1)}}, {"exit"}, {}, nullptr).ok());
      RunOptions options;
      RunHooks hooks;
      std::stop_source stop;
      hooks.cancellation = stop.get_token();
      if (i % 2 == 0) options.set_timeout_in_ms(30);
      std::jthread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        if (i % 2 == 1) stop.request_stop();
      });
      const auto start = std::chrono::steady_clock::now();
      const Status status =
          session->Run(options, {{"v", Tensor::Scalar<float>(0)}}, {"exit"}, {}, nullptr, nullptr, hooks);
      const auto took = std::chrono::steady_clock::now() - start;
      QCOMPARE(status.code(), i % 2 == 0 ? Code::kDeadlineExceeded : Code::kCancelled);
      QVERIFY(took < std::chrono::milliseconds(500));
      QCOMPARE(RunFloat(session.get(), "out", nullptr, {{"x", Tensor::Scalar<float>(3)}}), 7.0F);
    }
  }

  // A product of integers is our own loop.
  void longKernelsLookAtTheFlag() {
    const std::string type = "attr { key: 'T' value { type: DT_INT32 } }";
    const auto session = MakeSession("node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }\n"
                                     "node { name: 'p' op: 'MatMul' input: 'a' input: 'a' " + type + " }\n" + Sum());
    Tensor a(DT_INT32, TensorShape({3000, 3000}));
    for (int32_t& v : a.flat<int32_t>()) v = 3;
    RunOptions options;
    options.set_timeout_in_ms(50);
    const auto start = std::chrono::steady_clock::now();
    const Status status = session->Run(options, {{"a", a}}, {"p"}, {}, nullptr, nullptr, {});
    QCOMPARE(status.code(), Code::kDeadlineExceeded);
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1000));
    QCOMPARE(RunFloat(session.get(), "out", nullptr, {{"x", Tensor::Scalar<float>(3)}}), 7.0F);
  }

  void memoryIsGivenBack() {
    const auto session = MakeSession(Sum() + Loop(1000));
    const auto in_use = [&] { return session->AllocatorSnapshots().at(0).stats.bytes_in_use; };
    const auto run = [&](int times) {
      for (int i = 0; i < times; ++i) {
        QCOMPARE(RunFloat(session.get(), "out", nullptr, {{"x", Tensor::Scalar<float>(1)}}), 3.0F);
        QCOMPARE(RunFloat(session.get(), "exit", nullptr, {{"v", Tensor::Scalar<float>(1)}}), 1024.0F);
      }
    };
    run(3);
    const int64_t before = in_use();
    run(100);
    QCOMPARE(in_use(), before);
  }

  void largeOpsOverlap() {
    std::string text = FloatPlaceholder("a");
    for (const char* name : {"p", "q"}) text += FloatOp(name, "MatMul", {"a", "a"});
    text += FloatOp("sum", "AddV2", {"p", "q"});
    const auto session = MakeSession(text);
    Tensor a(DT_FLOAT, TensorShape({700, 700}));
    for (float& v : a.flat<float>()) v = 0.5F;
    for (int attempt = 0; attempt < 5; ++attempt) {
      RunOptions options;
      options.set_trace_level(RunOptions::FULL_TRACE);
      RunMetadata metadata;
      std::vector<Tensor> outputs;
      QVERIFY(session->Run(options, {{"a", a}}, {"sum"}, {}, &outputs, &metadata, {}).ok());
      QCOMPARE(outputs[0].flat<float>()[0], 350.0F);
      std::vector<NodeExecStats> found;
      for (const auto& device : metadata.step_stats().dev_stats()) {
        for (const auto& stats : device.node_stats()) {
          if (stats.node_name() == "p" || stats.node_name() == "q") found.push_back(stats);
        }
      }
      QCOMPARE(found.size(), size_t{2});
      const auto begin = [](const NodeExecStats& s) { return s.all_start_nanos(); };
      const auto end = [](const NodeExecStats& s) { return s.all_start_nanos() + s.all_end_rel_nanos(); };
      const bool overlap = begin(found[0]) < end(found[1]) && begin(found[1]) < end(found[0]);
      if (overlap && found[0].thread_id() != found[1].thread_id()) return;
    }
    QFAIL("two independent large ops never ran at once");
  }
};

QTEST_GUILESS_MAIN(TstSessionThreads)
#include "tst_session_threads.moc"
