#include <QtTest>

#include <array>
#include <atomic>
#include <thread>

#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

const std::string kGraph = FloatPlaceholder("x") + FloatPlaceholder("y") + FloatOp("sum", "Add", {"x", "y"}) +
                           FloatOp("product", "Mul", {"x", "y"}) + FloatVariable("v") + FloatOp("read", "Neg", {"v"});

Tensor F(float value) { return Tensor::Scalar(value); }

CallableOptions Options(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches) {
  CallableOptions options;
  for (const auto& feed : feeds) options.add_feed(feed);
  for (const auto& fetch : fetches) options.add_fetch(fetch);
  return options;
}

}  // namespace

class TstCallable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void by_number() {
    const auto session = MakeSession(kGraph);
    Session::CallableHandle handle = -1;
    QVERIFY(session->MakeCallable(Options({"x:0", "y:0"}, {"sum:0", "product:0"}), &handle).ok());
    std::vector<Tensor> fetches;
    for (int i = 0; i < 5; ++i) {
      const auto x = static_cast<float>(i);
      QVERIFY(session->RunCallable(handle, {F(x), F(10)}, &fetches, nullptr).ok());
      QCOMPARE(fetches.size(), size_t{2});
      QCOMPARE(fetches[0].flat<float>()[0], x + 10);
      QCOMPARE(fetches[1].flat<float>()[0], x * 10);
    }
    QVERIFY(session->ReleaseCallable(handle).ok());
    Status status = session->RunCallable(handle, {F(1), F(1)}, &fetches, nullptr);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QCOMPARE(status.message(), "Attempted to run callable after handle was released: " + std::to_string(handle));
    status = session->RunCallable(99, {}, &fetches, nullptr);
    QCOMPARE(status.message(), std::string("No such callable handle: 99"));
    QCOMPARE(session->ReleaseCallable(-1).message(), std::string("No such callable handle: -1"));
  }

  void wrong_calls() {
    const auto session = MakeSession(kGraph);
    Session::CallableHandle handle = -1;
    QCOMPARE(session->MakeCallable(Options({"q:0"}, {"sum:0"}), &handle).code(), Code::kInvalidArgument);
    QVERIFY(session->MakeCallable(Options({"x:0", "y:0"}, {"sum:0"}), &handle).ok());
    std::vector<Tensor> fetches;
    QCOMPARE(session->RunCallable(handle, {F(1)}, &fetches, nullptr).message(),
             std::string("Expected 2 feed tensors, but got 1"));
    const Status status = session->RunCallable(handle, {F(1), Tensor::Scalar(int32_t{1})}, &fetches, nullptr);
    QVERIFY(status.message().starts_with("Expects arg[1] to be float but int32 is provided"));
    QCOMPARE(status.nodes().front(), std::string("y"));
    CallableOptions connected = Options({}, {"sum:0"});
    connected.add_tensor_connection()->set_from_tensor("x:0");
    QCOMPARE(session->MakeCallable(connected, &handle).code(), Code::kUnimplemented);
  }

  void options_of_the_callable_hold() {
    const auto session = MakeSession(kGraph);
    CallableOptions options = Options({"x:0", "y:0"}, {"sum:0"});
    options.mutable_run_options()->set_trace_level(RunOptions::FULL_TRACE);
    Session::CallableHandle handle = -1;
    QVERIFY(session->MakeCallable(options, &handle).ok());
    std::vector<Tensor> fetches;
    RunMetadata metadata;
    QVERIFY(session->RunCallable(handle, {F(1), F(2)}, &fetches, &metadata).ok());
    QCOMPARE(metadata.step_stats().dev_stats_size(), 1);
  }

  void prepared_runs_outlive_extends() {
    const auto session = MakeSession(kGraph);
    const auto run = session->Prepare({"x:0", "y:0"}, {"sum:0"}, {});
    QVERIFY(run.ok());
    QCOMPARE((*run)->num_feeds(), size_t{2});
    QCOMPARE((*run)->num_fetches(), size_t{1});
    QVERIFY(session->Extend(ParseGraph(FloatOp("more", "Neg", {"sum"}))).ok());
    const std::array feeds{F(3), F(4)};
    std::array<Tensor, 1> fetches;
    QVERIFY((*run)->Run(feeds, fetches).ok());
    QCOMPARE(fetches[0].flat<float>()[0], 7.0F);
    const Status status = (*run)->Run(std::span(feeds).first(1), fetches);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(session->Close().ok());
    QCOMPARE((*run)->Run(feeds, fetches).message(), std::string("Session has been closed."));
  }

  void from_many_threads() {
    const auto session = MakeSession(kGraph);
    const auto run = session->Prepare({"x:0", "y:0"}, {"sum:0", "product:0"}, {});
    QVERIFY(run.ok());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 500; ++i) {
          const auto x = static_cast<float>(t), y = static_cast<float>(i);
          const std::array feeds{F(x), F(y)};
          std::array<Tensor, 2> fetches;
          if (!(*run)->Run(feeds, fetches).ok()) ++wrong;
          else wrong += fetches[0].flat<float>()[0] != x + y || fetches[1].flat<float>()[0] != x * y;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
  }
};

QTEST_GUILESS_MAIN(TstCallable)
#include "tst_callable.moc"
