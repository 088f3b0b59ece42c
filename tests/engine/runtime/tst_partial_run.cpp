#include <QtTest>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

/// s1 = u - v; s2 = s1 * w; "counted" adds 1 to a variable each time that s1 is computed.
const std::string kGraph = FloatPlaceholder("u") + FloatPlaceholder("v") + FloatPlaceholder("w") +
                           FloatOp("s1", "Sub", {"u", "v"}) + FloatOp("s2", "Mul", {"s1", "w"}) + FloatVariable("n") +
                           FloatConst("zero", 0) + FloatConst("one", 1) + FloatOp("init", "Assign", {"n", "zero"}) +
                           FloatOp("counted", "AssignAdd", {"n", "one", "^s1"});

Tensor F(float value) { return Tensor::Scalar(value); }
float At(const std::vector<Tensor>& tensors, size_t i) { return tensors[i].flat<float>()[0]; }

}  // namespace

class TstPartialRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void in_pieces() {
    const auto session = MakeSession(kGraph);
    for (int time = 0; time < 2; ++time) {
      std::string handle;
      QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok());
      std::vector<Tensor> outputs;
      QVERIFY(session->PRun(handle, {{"u:0", F(9)}, {"v:0", F(4)}}, {"s1:0"}, &outputs).ok());
      QCOMPARE(At(outputs, 0), 5.0F);
      QVERIFY(session->PRun(handle, {{"w:0", outputs[0]}}, {"s2:0"}, &outputs).ok());
      QCOMPARE(At(outputs, 0), 25.0F);
      // The handle ended with its last fetch.
      const Status status = session->PRun(handle, {}, {"s2:0"}, &outputs);
      QCOMPARE(status.code(), Code::kInvalidArgument);
      QCOMPARE(status.message(), std::string("Must run 'setup' before performing partial runs!"));
    }
  }

  void wrong_pieces() {
    const auto session = MakeSession(kGraph);
    std::string handle;
    std::vector<Tensor> outputs;
    QVERIFY(session->PRunSetup({"u:0", "v:0"}, {"s1:0"}, {}, &handle).ok());
    const auto message = [&](const Session::NamedTensors& feeds, const std::vector<std::string>& fetches) {
      const Status status = session->PRun(handle, feeds, fetches, &outputs);
      return std::string(CodeName(status.code())) + " " + status.message();
    };
    QCOMPARE(message({{"u:0", F(1)}}, {}), std::string("OK "));
    QCOMPARE(message({{"u:0", F(1)}}, {}), std::string("INVALID_ARGUMENT The feed u:0 has already been fed."));
    QCOMPARE(message({{"w:0", F(1)}}, {}), std::string("INVALID_ARGUMENT The feed w:0 was not specified in partial_run_setup."));
    QCOMPARE(message({}, {"s2:0"}), std::string("INVALID_ARGUMENT The fetch s2:0 was not specified in partial_run_setup."));
    QCOMPARE(message({}, {"s1:0"}),
             std::string("INVALID_ARGUMENT Fetch s1:0 can't be computed from the feeds that have been fed so far."));
    QCOMPARE(message({{"v:0", Tensor::Scalar(int32_t{1})}}, {}),
             std::string("INVALID_ARGUMENT Expects arg[1] to be float but int32 is provided"));
    QCOMPARE(message({{"v:0", F(1)}}, {"s1:0"}), std::string("OK "));
    QCOMPARE(session->PRun("no such", {}, {}, &outputs).message(),
             std::string("Must run 'setup' before performing partial runs!"));
    QCOMPARE(session->PRunSetup({"q:0"}, {"s1:0"}, {}, &handle).code(), Code::kInvalidArgument);
  }

  void a_fetch_is_taken_once() {
    const auto session = MakeSession(kGraph);
    std::string handle;
    std::vector<Tensor> outputs;
    QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok());
    QVERIFY(session->PRun(handle, {{"u:0", F(9)}, {"v:0", F(4)}}, {"s1:0"}, &outputs).ok());
    QCOMPARE(session->PRun(handle, {}, {"s1:0"}, &outputs).message(), std::string("The fetch s1:0 has already been fetched."));
  }

  void every_node_runs_once() {
    const auto session = MakeSession(kGraph);
    QVERIFY(session->Run({}, {}, {"init"}, nullptr).ok());
    std::string handle;
    std::vector<Tensor> outputs;
    QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {"counted"}, &handle).ok());
    QVERIFY(session->PRun(handle, {{"u:0", F(9)}, {"v:0", F(4)}}, {"s1:0"}, &outputs).ok());
    QVERIFY(session->PRun(handle, {{"w:0", F(2)}}, {"s2:0"}, &outputs).ok());
    QCOMPARE(At(outputs, 0), 10.0F);
    QCOMPARE(RunFloat(session.get(), "n"), 1.0F);
  }

  void failures_come_with_the_piece() {
    const auto session = MakeSession(FloatPlaceholder("u") + FloatPlaceholder("w") + FloatVariable("v") +
                                     FloatOp("a", "Neg", {"u"}) + FloatOp("b", "Add", {"v", "u"}));
    std::string handle;
    std::vector<Tensor> outputs;
    QVERIFY(session->PRunSetup({"u:0"}, {"b:0"}, {}, &handle).ok());
    const Status status = session->PRun(handle, {{"u:0", F(1)}}, {"b:0"}, &outputs);
    QCOMPARE(status.code(), Code::kFailedPrecondition);
    QVERIFY(status.message().starts_with("Attempting to use uninitialized value v"));
    // The session goes on.
    QCOMPARE(RunFloat(session.get(), "a", nullptr, {{"u", F(3)}}), -3.0F);
  }

  void closing_ends_what_waits() {
    const auto session = MakeSession(kGraph);
    std::string handle;
    QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok());
    QVERIFY(session->Close().ok());
    std::vector<Tensor> outputs;
    QCOMPARE(session->PRun(handle, {{"u:0", F(9)}}, {}, &outputs).code(), Code::kCancelled);
  }

  void an_abandoned_handle_holds_nothing_up() {
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 20; ++i) {
      const auto session = MakeSession(kGraph);
      std::string handle;
      QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok());
    }
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
  }

  void many_at_once() {
    const auto session = MakeSession(kGraph);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          std::string handle;
          std::vector<Tensor> outputs;
          const auto u = static_cast<float>(t * 100 + i);
          wrong += !session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok();
          wrong += !session->PRun(handle, {{"u:0", F(u)}, {"v:0", F(1)}}, {"s1:0"}, &outputs).ok();
          wrong += At(outputs, 0) != u - 1;
          wrong += !session->PRun(handle, {{"w:0", F(2)}}, {"s2:0"}, &outputs).ok();
          wrong += At(outputs, 0) != (u - 1) * 2;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
  }
};

QTEST_GUILESS_MAIN(TstPartialRun)
#include "tst_partial_run.moc"
