#include <QtTest>

#include <mutex>
#include <set>

#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

SessionOptions FourCpus() {
  SessionOptions options;
  (*options.config.mutable_device_count())["CPU"] = 4;
  return options;
}

struct Seen {
  std::string node, tensor_name, from, to;
  int output = 0;
  int64_t bytes = 0, start_ns = 0, end_ns = 0;
};

class Transfers final : public RunObserver {
 public:
  void NodeStarted(const ExecutionKey& key, std::string_view, int64_t) override {
    const std::lock_guard lock(mutex_);
    started.insert(std::string(key.node));
  }
  void NodeDone(const NodeExecution&) override {}
  void TensorTransferred(const TransferEvent& event) override {
    const std::lock_guard lock(mutex_);
    seen.push_back({std::string(event.node), std::string(event.tensor_name), std::string(event.from), std::string(event.to),
                    event.output, event.bytes, event.start_ns, event.end_ns});
  }
  std::vector<Seen> seen;
  std::multiset<std::string> started;

 private:
  std::mutex mutex_;
};

std::string Vector32(const std::string& name, const std::string& device) {
  return "node { name: '" + name + "' op: 'Const' device: '" + device +
         "' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
         "tensor_shape { dim { size: 32 } } float_val: 3 } } } }\n";
}

std::string Cpu(int i) { return "/job:localhost/replica:0/task:0/device:CPU:" + std::to_string(i); }

}  // namespace

class TstGraphPartition : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_transfer_is_an_event() {
    const auto session = MakeSession(Vector32("x", "/cpu:1") + FloatOp("a", "Neg", {"x"}, "/cpu:2") +
                                         FloatOp("b", "Square", {"x"}, "/cpu:2") + FloatOp("c", "Add", {"a", "b"}, "/cpu:2"),
                                     FourCpus());
    Transfers observer;
    RunHooks hooks;
    hooks.observer = &observer;
    std::vector<Tensor> outputs;
    QVERIFY(session->Run(RunOptions(), {}, {"c"}, {}, &outputs, nullptr, hooks).ok());
    QCOMPARE(outputs[0].flat<float>()[31], 6.0F);
    // x once, though two read it there, and the fetch to the first device.
    QCOMPARE(observer.seen.size(), size_t{2});
    QCOMPARE(observer.seen[0].node, std::string("x"));
    QCOMPARE(observer.seen[0].from, Cpu(1));
    QCOMPARE(observer.seen[0].to, Cpu(2));
    QCOMPARE(observer.seen[0].bytes, int64_t{128});
    QVERIFY(observer.seen[0].tensor_name.starts_with("edge_"));
    QVERIFY(observer.seen[0].tensor_name.ends_with("_x"));
    QVERIFY(observer.seen[0].end_ns >= observer.seen[0].start_ns && observer.seen[0].start_ns > 0);
    QCOMPARE(observer.seen[1].node, std::string("c"));
    QCOMPARE(observer.seen[1].to, Cpu(0));
    // The ends of transfers are nobody's nodes.
    QCOMPARE(observer.started, (std::multiset<std::string>{"a", "b", "c", "x"}));
  }

  void the_value_lies_in_the_memory_of_its_device() {
    const auto session = MakeSession(Vector32("x", "/cpu:1") + FloatOp("a", "Identity", {"x"}, "/cpu:2"), FourCpus());
    std::vector<Tensor> outputs;
    QVERIFY(session->Run({}, {"a"}, {}, &outputs).ok());
    const auto snapshots = session->AllocatorSnapshots();
    QCOMPARE(snapshots.size(), size_t{4});
    for (const int device : {0, 2}) {
      const auto& snapshot = snapshots[static_cast<size_t>(device)];
      QVERIFY2(snapshot.stats.num_allocs >= 1, qPrintable(QString::number(device)));
      QCOMPARE(snapshot.stats.peak_bytes_in_use, int64_t{128});
    }
    QCOMPARE(snapshots[3].stats.num_allocs, int64_t{0});
    // The fetched value is the copy that was made on the first device.
    QCOMPARE(snapshots[0].stats.bytes_in_use, int64_t{128});
    outputs.clear();
    QCOMPARE(session->AllocatorSnapshots()[0].stats.bytes_in_use, int64_t{0});
  }

  void a_control_edge_carries_four_bytes() {
    const auto session = MakeSession(FloatConst("x", 1, "/cpu:1") + FloatOp("a", "Neg", {"x"}, "/cpu:1") +
                                         FloatConst("y", 2, "/cpu:0") + FloatOp("b", "Neg", {"y", "^a"}, "/cpu:0"),
                                     FourCpus());
    Transfers observer;
    RunHooks hooks;
    hooks.observer = &observer;
    std::vector<Tensor> outputs;
    RunMetadata metadata;
    RunOptions options;
    options.set_trace_level(RunOptions::FULL_TRACE);
    QVERIFY(session->Run(options, {}, {"b"}, {}, &outputs, &metadata, hooks).ok());
    QCOMPARE(observer.seen.size(), size_t{1});
    QCOMPARE(observer.seen[0].output, -1);
    QCOMPARE(observer.seen[0].bytes, int64_t{4});
    // As TensorFlow: the dummy and what waits for it are recorded, the transfer itself isn't.
    std::set<std::string> recorded;
    for (const auto& device : metadata.step_stats().dev_stats()) {
      for (const auto& node : device.node_stats()) recorded.insert(node.node_name());
    }
    QCOMPARE(recorded, (std::set<std::string>{"_SOURCE", "_retval_b_0_0", "a", "a/ctrl/_0", "a/_3", "b", "x", "y"}));
  }

  void an_uninitialised_variable_is_named() {
    const auto session = MakeSession(FloatVariable("v", "/cpu:1") + FloatOp("a", "Neg", {"v"}, "/cpu:2"), FourCpus());
    Status status;
    RunFloat(session.get(), "a", &status);
    QCOMPARE(status.code(), Code::kFailedPrecondition);
    QVERIFY(status.message().starts_with("Attempting to use uninitialized value v"));
    QCOMPARE(status.nodes().front(), std::string("v"));
  }

  void dead_values_cross() {
    const std::string pred =
        "node { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: DT_BOOL } } }\n";
    const auto session = MakeSession(FloatConst("x", 5, "/cpu:1") + pred + FloatOp("s", "Switch", {"x", "p"}, "/cpu:1") +
                                         FloatOp("f", "Neg", {"s"}, "/cpu:2") + FloatOp("t", "Square", {"s:1"}, "/cpu:3") +
                                         FloatOp("m", "Merge", {"f", "t"}, "/cpu:0", "attr { key: 'N' value { i: 2 } }"),
                                     FourCpus());
    QCOMPARE(RunFloat(session.get(), "m", nullptr, {{"p", Tensor::Scalar(true)}}), 25.0F);
    QCOMPARE(RunFloat(session.get(), "m", nullptr, {{"p", Tensor::Scalar(false)}}), -5.0F);
  }

  // A chain that changes devices at every step: each run gives the right value, whatever runs beside it.
  void long_way_over_devices() {
    std::string graph = FloatConst("n0", 1, "/cpu:0");
    for (int i = 1; i <= 400; ++i) {
      graph += FloatOp("n" + std::to_string(i), "Neg", {"n" + std::to_string(i - 1)}, "/cpu:" + std::to_string(i % 4));
    }
    const auto session = MakeSession(graph, FourCpus());
    for (int run = 0; run < 20; ++run) QCOMPARE(RunFloat(session.get(), "n400"), 1.0F);
  }
};

QTEST_GUILESS_MAIN(TstGraphPartition)
#include "tst_graph_partition.moc"
