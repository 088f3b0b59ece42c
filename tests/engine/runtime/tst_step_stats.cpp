#include <QtTest>

#include <map>
#include <set>

#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

const std::string kDevice = "/job:localhost/replica:0/task:0/device:CPU:0";

const std::string kGraph = FloatPlaceholder("x") + FloatConst("c", 3) + FloatOp("mul", "Mul", {"x", "c"}) +
                           FloatOp("same", "Identity", {"mul", "^c"}) + FloatConst("unused", 1);

RunMetadata RunTraced(Session* session, const std::vector<std::string>& fetches, const Session::NamedTensors& feeds,
                      RunOptions::TraceLevel level = RunOptions::FULL_TRACE) {
  RunOptions options;
  options.set_trace_level(level);
  options.set_output_partition_graphs(true);
  RunMetadata metadata;
  std::vector<Tensor> outputs;
  const Status status = session->Run(options, feeds, fetches, {}, &outputs, &metadata, RunHooks());
  if (!status.ok()) qWarning("%s", status.message().c_str());
  return metadata;
}

std::map<std::string, NodeExecStats> ByName(const RunMetadata& metadata) {
  std::map<std::string, NodeExecStats> nodes;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) nodes[node.node_name()] = node;
  }
  return nodes;
}

Tensor Vector(int64_t size) {
  Tensor tensor(DT_FLOAT, TensorShape({size}));
  std::fill(tensor.flat<float>().begin(), tensor.flat<float>().end(), 2.0F);
  return tensor;
}

}  // namespace

class TstStepStats : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nodesAndLabels() {
    const auto session = MakeSession(kGraph);
    const RunMetadata metadata = RunTraced(session.get(), {"same"}, {{"x", Vector(5)}});
    QCOMPARE(metadata.step_stats().dev_stats_size(), 1);
    QCOMPARE(metadata.step_stats().dev_stats(0).device(), kDevice);
    QCOMPARE(metadata.step_stats().dev_stats(0).node_stats(0).node_name(), std::string("_SOURCE"));
    auto nodes = ByName(metadata);
    std::set<std::string> names;
    for (const auto& [name, stats] : nodes) names.insert(name);
    QCOMPARE(names, (std::set<std::string>{"_SOURCE", "_arg_x_0_0", "_retval_same_0_0", "c", "mul", "same"}));
    QCOMPARE(nodes["_SOURCE"].timeline_label(), std::string("_SOURCE = NoOp()"));
    QCOMPARE(nodes["_arg_x_0_0"].timeline_label(), std::string("_arg_x_0_0 = _Arg()"));
    QCOMPARE(nodes["mul"].timeline_label(), std::string("mul = Mul(_arg_x_0_0, c)"));
    QCOMPARE(nodes["same"].timeline_label(), std::string("same = Identity(mul, ^c)"));
    QCOMPARE(nodes["_retval_same_0_0"].timeline_label(), std::string("_retval_same_0_0 = _Retval(same)"));
  }

  void times() {
    const auto session = MakeSession(kGraph);
    for (const auto& [name, stats] : ByName(RunTraced(session.get(), {"same"}, {{"x", Vector(5)}}))) {
      QVERIFY(stats.scheduled_nanos() > 0);
      QVERIFY(stats.all_start_nanos() >= stats.scheduled_nanos());
      QVERIFY(stats.op_start_rel_nanos() >= 0);
      QVERIFY(stats.op_end_rel_nanos() >= stats.op_start_rel_nanos());
      QVERIFY(stats.all_end_rel_nanos() >= stats.op_end_rel_nanos());
      QCOMPARE(stats.all_start_micros(), stats.all_start_nanos() / 1000);
      QCOMPARE(stats.scheduled_micros(), stats.scheduled_nanos() / 1000);
    }
  }

  void memoryEqualsTheAllocators() {
    const auto session = MakeSession(kGraph);
    const int64_t before = session->AllocatorSnapshots()[0].stats.num_allocs;
    auto nodes = ByName(RunTraced(session.get(), {"same"}, {{"x", Vector(1000)}}));
    // Feeds lie in the caller's memory: only mul takes memory of the device. It is gone after the run.
    QCOMPARE(nodes["mul"].memory_size(), 1);
    const auto& memory = nodes["mul"].memory(0);
    QCOMPARE(memory.allocator_name(), std::string("cpu"));
    QCOMPARE(memory.total_bytes(), int64_t{4000});
    QCOMPARE(memory.peak_bytes(), int64_t{4000});
    QCOMPARE(memory.live_bytes(), int64_t{4000});
    QCOMPARE(memory.allocation_records(0).alloc_bytes(), int64_t{4000});
    QCOMPARE(nodes["same"].memory_size(), 0);
    int64_t taken = 0;
    for (const auto& [name, stats] : nodes) {
      for (const auto& used : stats.memory()) taken += used.allocation_records_size();
    }
    const AllocatorStats stats = session->AllocatorSnapshots()[0].stats;
    QCOMPARE(taken, int64_t{1});
    // A constant's value is made with its kernel, before the step.
    QVERIFY(stats.num_allocs - before >= taken);
    QVERIFY(stats.peak_bytes_in_use >= 4000);
    QVERIFY(stats.bytes_in_use < 4000);
  }

  void outputs() {
    const auto session = MakeSession(kGraph);
    auto nodes = ByName(RunTraced(session.get(), {"same"}, {{"x", Vector(1000)}}));
    const auto& description = nodes["mul"].output(0).tensor_description();
    QCOMPARE(description.dtype(), DT_FLOAT);
    QCOMPARE(description.shape().dim(0).size(), int64_t{1000});
    QCOMPARE(description.allocation_description().requested_bytes(), int64_t{4000});
    QCOMPARE(description.allocation_description().allocator_name(), std::string("cpu"));
    QVERIFY(description.allocation_description().allocation_id() > 0);
    QCOMPARE(description.allocation_description().has_single_reference(), true);
    QVERIFY(nodes["mul"].has_memory_stats());
    QCOMPARE(nodes["c"].memory_stats().persistent_memory_size(), int64_t{4});
    QCOMPARE(nodes["_retval_same_0_0"].output_size(), 0);
    // Handed on, not copied.
    QCOMPARE(nodes["same"].output(0).tensor_description().allocation_description().ptr(),
             description.allocation_description().ptr());
  }

  void levels() {
    const auto session = MakeSession(kGraph);
    const RunMetadata none = RunTraced(session.get(), {"same"}, {{"x", Vector(5)}}, RunOptions::NO_TRACE);
    QVERIFY(!none.has_step_stats());
    QCOMPARE(none.partition_graphs_size(), 1);
    QCOMPARE(none.partition_graphs(0).node_size(), 5);
    const RunMetadata software = RunTraced(session.get(), {"same"}, {{"x", Vector(5)}}, RunOptions::SOFTWARE_TRACE);
    QCOMPARE(software.step_stats().dev_stats(0).node_stats_size(), 6);
  }

  void partitionGraphs() {
    const auto session = MakeSession(kGraph);
    const RunMetadata metadata = RunTraced(session.get(), {"same"}, {{"x", Vector(5)}});
    std::map<std::string, NodeDef> nodes;
    for (const NodeDef& node : metadata.partition_graphs(0).node()) nodes[node.name()] = node;
    QCOMPARE(nodes.size(), size_t{5});
    QCOMPARE(nodes["mul"].input(0), std::string("_arg_x_0_0"));
    QCOMPARE(nodes["mul"].device(), kDevice);
    QCOMPARE(nodes["same"].input(1), std::string("^c"));
    QCOMPARE(nodes["_retval_same_0_0"].attr().at("T").type(), DT_FLOAT);
  }

  void severalDevices() {
    SessionOptions options;
    (*options.config.mutable_device_count())["CPU"] = 2;
    const auto session = MakeSession(FloatConst("a", 2) + FloatOp("b", "Mul", {"a", "a"}, "/cpu:1") +
                                         FloatOp("c", "Mul", {"b", "b"}, "/cpu:0"),
                                     options);
    const RunMetadata metadata = RunTraced(session.get(), {"c"}, {});
    QCOMPARE(metadata.step_stats().dev_stats_size(), 2);
    QCOMPARE(metadata.partition_graphs_size(), 2);
    std::set<std::string> second;
    for (const auto& node : metadata.step_stats().dev_stats(1).node_stats()) second.insert(node.node_name());
    QCOMPARE(second, (std::set<std::string>{"_SOURCE", "a", "b"}));
    // b's output is of the other device: c may not write into it.
    auto nodes = ByName(metadata);
    QCOMPARE(nodes["b"].memory(0).total_bytes(), int64_t{4});
    QCOMPARE(nodes["c"].memory(0).total_bytes(), int64_t{4});
  }

  void buffersAreReused() {
    const auto session = MakeSession(FloatPlaceholder("x") + FloatOp("a", "Mul", {"x", "x"}) +
                                     FloatOp("b", "Add", {"a", "x"}) + FloatOp("c", "Sub", {"b", "x"}));
    auto nodes = ByName(RunTraced(session.get(), {"c"}, {{"x", Vector(100)}}));
    QCOMPARE(nodes["a"].memory_size(), 1);
    QCOMPARE(nodes["b"].memory_size(), 0);
    QCOMPARE(nodes["c"].memory_size(), 0);
    QCOMPARE(session->AllocatorSnapshots()[0].stats.peak_bytes_in_use, int64_t{400});
    // The feed belongs to the caller and is never written to.
    std::vector<Tensor> outputs;
    const Tensor feed = Vector(100);
    QVERIFY(session->Run({{"x", feed}}, {"c"}, {}, &outputs).ok());
    QCOMPARE(feed.flat<float>()[0], 2.0F);
    QCOMPARE(outputs[0].flat<float>()[99], 4.0F);
  }
};

QTEST_GUILESS_MAIN(TstStepStats)
#include "tst_step_stats.moc"
