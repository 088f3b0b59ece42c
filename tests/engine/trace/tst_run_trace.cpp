#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/trace/chrome_trace.h"
#include "engine/trace/memory_timeline.h"
#include "engine/trace/run_trace_builder.h"
#include "engine/trace/trace_cursor.h"
#include "engine/trace/transfers.h"

using namespace opscope;

namespace {

const char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
const char kCpu1[] = "/job:localhost/replica:0/task:0/device:CPU:1";

/// One node from start to end with one float output and one allocation.
void RunNode(RunTraceBuilder* builder, const std::string& name, int64_t start, float value, int64_t iteration = 0) {
  const ExecutionKey key{name, iteration > 0 ? "loop" : "", iteration};
  builder->NodeStarted(key, kCpu, start);
  const std::vector<Tensor> outputs = {Tensor::Scalar<float>(value)};
  NodeExecution done;
  done.key = key;
  done.op = "Op";
  done.device = kCpu;
  done.scheduled_ns = start - 1;
  done.start_ns = start;
  done.compute_start_ns = start + 1;
  done.compute_end_ns = start + 4;
  done.end_ns = start + 5;
  done.outputs = &outputs;
  done.allocations.push_back({"cpu", 64, start + 2, 64, static_cast<uint64_t>(start)});
  builder->NodeDone(done);
}

tensorflow::RunMetadata Example() {
  tensorflow::RunMetadata metadata;
  QFile file(QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/traces/step_stats_example.runmetadata.binpb"));
  if (file.open(QIODevice::ReadOnly)) metadata.ParseFromString(file.readAll().toStdString());
  return metadata;
}

}  // namespace

class TstRunTrace : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void snapshot_staysAsItWas();
  void stateAt_countsExecutionsAndPhases();
  void cursor_backEqualsFreshForward();
  void budget_keepsSummariesOnly();
  void free_isChargedToTheOwner();
  void failed_isFailed();
  void fromRunMetadata_hasEveryRecord();
  void fromRunMetadata_emptyIsRefused();
  void transfers_areSummedUpToTheMoment();
  void transfers_ofPartitionGraphs();
  void transfers_takeAndGiveBackMemory();
  void chromeTrace_isJson();
};

void TstRunTrace::snapshot_staysAsItWas() {
  RunTraceBuilder builder;
  for (int i = 0; i < 300; ++i) RunNode(&builder, "n" + std::to_string(i), 10 * i + 1, static_cast<float>(i));
  const auto before = builder.Snapshot();
  for (int i = 300; i < 900; ++i) RunNode(&builder, "n" + std::to_string(i), 10 * i + 1, static_cast<float>(i));
  QCOMPARE(before->num_events(), size_t{600});
  QCOMPARE(builder.Snapshot()->num_events(), size_t{1800});
  QCOMPARE(before->output(299).value.scalar<float>(), 299.0f);
  QCOMPARE(before->Order().front(), std::string("n0"));
  QCOMPARE(before->Order().back(), std::string("n299"));
  QCOMPARE(before->PositionAt(1), size_t{1});
  QCOMPARE(before->PositionAt(0), size_t{0});
  QCOMPARE(before->PositionAt(1 << 30), size_t{600});
  QVERIFY(before->SameRun(*builder.Snapshot()));
}

void TstRunTrace::stateAt_countsExecutionsAndPhases() {
  RunTraceBuilder builder;
  RunNode(&builder, "a", 10, 1);
  RunNode(&builder, "b", 20, 2, 1);
  RunNode(&builder, "b", 30, 3, 2);
  const auto trace = builder.Snapshot();
  TraceCursor cursor = StateAt(trace, 3);  // a started, a done, b started
  QCOMPARE(cursor.StateOf("a").phase, NodePhase::kDone);
  QCOMPARE(cursor.StateOf("a").ordinal, 1u);
  QCOMPARE(cursor.StateOf("b").phase, NodePhase::kRunning);
  QCOMPARE(cursor.StateOf("c").phase, NodePhase::kNotRun);
  QCOMPARE(cursor.OutputOf("b", 0), nullptr);
  QCOMPARE(cursor.current_node(), std::string_view("b"));
  cursor.MoveTo(6);
  QCOMPARE(cursor.StateOf("b").executions, 2u);
  QCOMPARE(cursor.StateOf("b").ordinal, 3u);
  QCOMPARE(cursor.StateOf("b").compute_ns, int64_t{6});
  QCOMPARE(cursor.OutputOf("b", 0)->value.scalar<float>(), 3.0f);
  QCOMPARE(cursor.OutputOf("b", 1), nullptr);
  cursor.MoveTo(4);
  QCOMPARE(cursor.OutputOf("b", 0)->value.scalar<float>(), 2.0f);
  QCOMPARE(trace->LastExecution("b", 4)->iteration, int64_t{1});
  QCOMPARE(trace->LastExecution("b", 3), nullptr);
}

void TstRunTrace::cursor_backEqualsFreshForward() {
  RunTraceBuilder builder;
  for (int i = 0; i < 700; ++i) RunNode(&builder, "n" + std::to_string(i % 37), 10 * i + 1, static_cast<float>(i), 1 + i / 37);
  const auto trace = builder.Snapshot();
  TraceCursor moving(trace);
  for (const size_t position : {1400u, 3u, 777u, 776u, 0u, 1399u, 512u}) {
    moving.MoveTo(position);
    const TraceCursor fresh = StateAt(trace, position);
    for (uint32_t name = 0; name < trace->num_names(); ++name) {
      QCOMPARE(moving.StateOf(name).phase, fresh.StateOf(name).phase);
      QCOMPARE(moving.StateOf(name).ordinal, fresh.StateOf(name).ordinal);
      QCOMPARE(moving.StateOf(name).executions, fresh.StateOf(name).executions);
      QCOMPARE(moving.StateOf(name).last_execution, fresh.StateOf(name).last_execution);
      QCOMPARE(moving.StateOf(name).live_bytes, fresh.StateOf(name).live_bytes);
      QCOMPARE(moving.StateOf(name).compute_ns, fresh.StateOf(name).compute_ns);
    }
  }
}

void TstRunTrace::budget_keepsSummariesOnly() {
  TraceOptions options;
  options.value_budget_bytes = 6;  // one float of four bytes fits, a second doesn't
  RunTraceBuilder builder(options);
  RunNode(&builder, "a", 10, 1.5f);
  RunNode(&builder, "b", 20, 2.5f);
  const auto trace = builder.Snapshot();
  QVERIFY(!trace->output(0).dropped);
  QVERIFY(trace->output(1).dropped);
  QVERIFY(!trace->output(1).value.IsInitialized());
  QCOMPARE(SummaryOf(trace->output(0)).mean, 1.5);
  QCOMPARE(SummaryOf(trace->output(1)).mean, 2.5);
}

void TstRunTrace::free_isChargedToTheOwner() {
  RunTraceBuilder builder;
  RunNode(&builder, "a", 10, 1);  // takes 64 bytes at address 10
  NodeExecution done;
  done.key = {"b", "", 0};
  builder.NodeStarted(done.key, kCpu, 20);
  done.device = kCpu;
  done.end_ns = 21;
  done.allocations.push_back({"cpu", -64, 21, 0, 10});
  builder.NodeDone(done);
  const auto trace = builder.Snapshot();
  QCOMPARE(StateAt(trace, 2).StateOf("a").live_bytes, int64_t{64});
  QCOMPARE(StateAt(trace, 4).StateOf("a").live_bytes, int64_t{0});
  QCOMPARE(StateAt(trace, 4).StateOf("b").live_bytes, int64_t{0});
  QCOMPARE(LiveAt(*trace, 2).size(), size_t{1});
  QCOMPARE(LiveAt(*trace, 2)[0].node, std::string("a"));
  QVERIFY(LiveAt(*trace, 4).empty());
  const auto curves = MemoryTimeline(*trace);
  QCOMPARE(curves.size(), size_t{1});
  QCOMPARE(curves[0].peak_bytes, int64_t{64});
  QCOMPARE(curves[0].points.size(), size_t{2});
  QCOMPARE(DeviceOfAllocatorLabel(curves[0].allocator), std::string_view(kCpu));
  QCOMPARE(StateAt(trace, 4).Allocators()[0].peak_bytes, int64_t{64});
  QCOMPARE(trace->PeakBytes()[0].second, int64_t{64});
}

void TstRunTrace::failed_isFailed() {
  RunTraceBuilder builder;
  NodeExecution done;
  done.key = {"x", "", 0};
  builder.NodeStarted(done.key, kCpu, 1);
  done.device = kCpu;
  done.end_ns = 2;
  done.status = errors::InvalidArgument("bad");
  builder.NodeDone(done);
  builder.Finish(done.status);
  const auto trace = builder.Snapshot();
  QCOMPARE(StateAt(trace, 2).StateOf("x").phase, NodePhase::kFailed);
  QVERIFY(trace->finished());
  QCOMPARE(trace->status().code(), Code::kInvalidArgument);
}

void TstRunTrace::fromRunMetadata_hasEveryRecord() {
  const tensorflow::RunMetadata metadata = Example();
  size_t records = 0;
  int64_t records_end = 0;
  for (const auto& device : metadata.step_stats().dev_stats())
    for (const auto& node : device.node_stats()) {
      ++records;
      records_end = std::max(records_end, node.all_start_nanos() + node.all_end_rel_nanos());
    }
  QVERIFY(records > 5);
  const auto trace = RunTraceBuilder::FromRunMetadata(metadata);
  QVERIFY(trace.ok());
  QCOMPARE((*trace)->num_executions(), records);
  QCOMPARE((*trace)->num_events(), 2 * records);
  QCOMPARE((*trace)->TimeRange().second, records_end);
  QCOMPARE((*trace)->Order().front(), std::string("_SOURCE"));
  const TraceExecution* mul = (*trace)->LastExecution("mul", (*trace)->num_events());
  QVERIFY(mul != nullptr);
  QCOMPARE((*trace)->name(mul->op), std::string("Const"));
  QCOMPARE(mul->start_ns, int64_t{1796009324975104743});
  QCOMPARE(mul->end_ns - mul->start_ns, int64_t{932});
  QCOMPARE((*trace)->output(mul->first_output).summary.shape->DebugString(), std::string("[3,5]"));
  QCOMPARE((*trace)->output(mul->first_output).summary.bytes, int64_t{60});
  const TraceCursor end = StateAt(*trace, (*trace)->num_events());
  for (size_t i = 0; i < (*trace)->num_executions(); ++i)
    QCOMPARE(end.StateOf((*trace)->execution(i).node).phase, NodePhase::kDone);
  for (size_t i = 1; i < (*trace)->num_events(); ++i)
    QVERIFY((*trace)->event(i - 1).time_ns <= (*trace)->event(i).time_ns);
}

void TstRunTrace::fromRunMetadata_emptyIsRefused() {
  QCOMPARE(RunTraceBuilder::FromRunMetadata({}).status().code(), Code::kInvalidArgument);
}

void TstRunTrace::transfers_areSummedUpToTheMoment() {
  RunTraceBuilder builder;
  RunNode(&builder, "a", 100, 1);
  builder.TensorTransferred({"a", 0, "", 0, "edge_1_a", kCpu, kCpu1, 4, 106, 107, {}});
  RunNode(&builder, "a", 200, 1, 1);
  builder.TensorTransferred({"a", 0, "loop", 1, "edge_1_a", kCpu, kCpu1, 12, 206, 207, {}});
  builder.TensorTransferred({"a", -1, "", 0, "edge_2_a", kCpu, kCpu1, 0, 206, 206, {}});
  builder.Finish(Status::OK());
  const auto trace = builder.Snapshot();
  QCOMPARE(trace->num_transfers(), size_t{3});
  QVERIFY(TransfersAt(*trace, 0).empty());
  QVERIFY(TransfersAt(*trace, 2).empty());  // at 105 nothing had arrived
  const auto first = TransfersAt(*trace, 3);
  QCOMPARE(first.size(), size_t{1});
  QCOMPARE(first[0].bytes, int64_t{4});
  const auto all = TransfersAt(*trace, trace->num_events());
  QCOMPARE(all.size(), size_t{2});
  QCOMPARE(all[0].output, -1);
  QCOMPARE(all[1].count, int64_t{2});
  QCOMPARE(all[1].bytes, int64_t{16});
  QCOMPARE(all[1].from, std::string(kCpu));
  QCOMPARE(all[1].to, std::string(kCpu1));
}

void TstRunTrace::transfers_ofPartitionGraphs() {
  tensorflow::RunMetadata metadata;
  auto* device = metadata.mutable_step_stats()->add_dev_stats();
  device->set_device(kCpu);
  for (int run = 0; run < 2; ++run) {
    auto* stats = device->add_node_stats();
    stats->set_node_name("x");
    stats->set_all_start_nanos(1000 * (run + 1));
    stats->set_all_end_rel_nanos(10);
    auto* output = stats->add_output();
    output->mutable_tensor_description()->set_dtype(tensorflow::DT_FLOAT);
    output->mutable_tensor_description()->mutable_allocation_description()->set_requested_bytes(64);
  }
  tensorflow::NodeDef* const send = metadata.add_partition_graphs()->add_node();
  send->set_name("x/_1");
  send->set_op("_Send");
  send->add_input("x");
  (*send->mutable_attr())["send_device"].set_s(kCpu);
  (*send->mutable_attr())["recv_device"].set_s(kCpu1);
  for (const char* input : {"gone", "x:7", "x:-1", "x:z"}) {
    tensorflow::NodeDef* const odd = metadata.mutable_partition_graphs(0)->add_node();
    *odd = *send;
    odd->set_input(0, input);
  }
  const auto trace = RunTraceBuilder::FromRunMetadata(metadata);
  QVERIFY(trace.ok());
  const auto sums = TransfersAt(**trace, (*trace)->num_events());
  QCOMPARE(sums.size(), size_t{1});
  QCOMPARE(sums[0].node, std::string("x"));
  QCOMPARE(sums[0].count, int64_t{2});
  QCOMPARE(sums[0].bytes, int64_t{128});
  QCOMPARE(sums[0].to, std::string(kCpu1));
}

// The copy belongs to the node that it came from; the next node that is done brings it into the trace.
void TstRunTrace::transfers_takeAndGiveBackMemory() {
  RunTraceBuilder builder;
  RunNode(&builder, "a", 100, 1);  // takes 64 bytes of CPU:0 at address 100
  TransferEvent transfer{"a", 0, "", 0, "edge_1_a", kCpu, kCpu1, 64, 106, 107, {}};
  AllocationEvent taken;
  taken.allocator = "cpu";
  taken.bytes = 64;
  taken.time_ns = 106;
  taken.bytes_in_use = 64;
  taken.address = 5000;
  AllocationEvent given = taken;
  given.bytes = -64;
  given.bytes_in_use = 0;
  given.address = 100;
  transfer.allocations = {taken, given};
  builder.TensorTransferred(transfer);
  RunNode(&builder, "b", 200, 1);
  const auto trace = builder.Snapshot();
  QCOMPARE(trace->num_allocations(), size_t{4});
  const TraceAllocation& copy = trace->allocation(1);
  QCOMPARE(trace->name(copy.owner), std::string("a"));
  QCOMPARE(std::string(DeviceOfAllocatorLabel(trace->name(copy.allocator))), std::string(kCpu1));
  const TraceAllocation& freed = trace->allocation(2);
  QCOMPARE(trace->name(freed.owner), std::string("a"));
  QCOMPARE(std::string(DeviceOfAllocatorLabel(trace->name(freed.allocator))), std::string(kCpu));
  TraceCursor cursor(trace);
  cursor.MoveTo(trace->num_events());
  QCOMPARE(cursor.StateOf("a").live_bytes, int64_t{64});
}

void TstRunTrace::chromeTrace_isJson() {
  const auto trace = RunTraceBuilder::FromRunMetadata(Example());
  QVERIFY(trace.ok());
  QJsonParseError error;
  const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(ToChromeTrace(**trace)), &error);
  QCOMPARE(error.error, QJsonParseError::NoError);
  int complete = 0;
  for (const QJsonValue& event : json.object()[QStringLiteral("traceEvents")].toArray())
    complete += event.toObject()[QStringLiteral("ph")].toString() == QStringLiteral("X") ? 1 : 0;
  QCOMPARE(complete, static_cast<int>((*trace)->num_executions()));
}

QTEST_APPLESS_MAIN(TstRunTrace)
#include "tst_run_trace.moc"
