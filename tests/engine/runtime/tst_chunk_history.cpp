// The chunks of an allocator at any moment of a traced run, against what the allocator itself said at that moment.
#include <QTest>

#include <random>

#include "engine/runtime/bfc_allocator/bfc_allocator.h"
#include "engine/trace/memory_timeline.h"
#include "engine/trace/run_trace_builder.h"
#include "engine/trace/trace_cursor.h"

using namespace opscope;

namespace {

constexpr const char* kDevice = "/device:CPU:0";

// Address space that nobody touches: 256 KiB pieces with gaps.
class FakeSubAllocator final : public SubAllocator {
 public:
  void* Alloc(size_t, size_t num_bytes, size_t* bytes_received) override {
    *bytes_received = num_bytes;
    const uint64_t at = next_;
    next_ += num_bytes + (1 << 20);
    return reinterpret_cast<void*>(at);
  }
  void Free(void*, size_t) override {}
  bool SupportsCoalescing() const override { return false; }

 private:
  uint64_t next_ = uint64_t{1} << 40;
};

// A run whose nodes take and give back memory at random.
class Run {
 public:
  explicit Run(bool growth) {
    BFCAllocator::Options options;
    options.allow_growth = growth;
    options.allow_retry_on_failure = false;
    allocator_ = std::make_unique<BFCAllocator>(std::make_unique<FakeSubAllocator>(), 64 << 20, "bfc", options);
  }

  // A node takes or gives back one piece.
  void Step(int node, std::mt19937* random) {
    const std::string name = "n" + std::to_string(node);
    NodeExecution execution;
    execution.key.node = name;
    execution.device = kDevice;
    execution.start_ns = now_++;
    if (live_.size() < 3 || (*random)() % 3 != 0) {
      void* const ptr = allocator_->AllocateRaw(64, 1 + (*random)() % 300000, {.node = name});
      QVERIFY(ptr);
      live_.push_back(ptr);
      Note(ptr, static_cast<int64_t>(allocator_->AllocatedSize(ptr)), &execution);
    } else {
      const size_t at = (*random)() % live_.size();
      void* const ptr = live_[at];
      const auto bytes = static_cast<int64_t>(allocator_->AllocatedSize(ptr));
      allocator_->DeallocateRaw(ptr);
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
      Note(ptr, -bytes, &execution);
    }
    execution.end_ns = now_++;
    if (builder_) {
      builder_->NodeStarted(execution.key, kDevice, execution.start_ns);
      builder_->NodeDone(execution);
      said_.push_back(allocator_->Snapshot());
    }
  }

  void Begin() {
    builder_ = std::make_unique<RunTraceBuilder>();
    builder_->SetMemoryAtStart(kDevice, "bfc", allocator_->Snapshot(), true);
    said_.push_back(allocator_->Snapshot());
  }
  std::shared_ptr<const RunTrace> End() {
    builder_->SetMemoryAtEnd(kDevice, "bfc", allocator_->Snapshot());
    builder_->Finish(Status::OK());
    return builder_->Snapshot();
  }
  const std::vector<std::vector<AllocatorChunk>>& said() const { return said_; }

 private:
  void Note(void* ptr, int64_t bytes, NodeExecution* execution) {
    AllocationEvent event;
    event.allocator = "bfc";
    event.bytes = bytes;
    event.time_ns = now_++;
    event.address = reinterpret_cast<uintptr_t>(ptr);
    if (bytes > 0) event.requested = static_cast<int64_t>(allocator_->RequestedSize(ptr));
    execution->allocations.push_back(event);
  }

  std::unique_ptr<BFCAllocator> allocator_;
  std::unique_ptr<RunTraceBuilder> builder_;
  std::vector<void*> live_;
  std::vector<std::vector<AllocatorChunk>> said_;
  int64_t now_ = 1000;
};

QByteArray Text(const std::vector<AllocatorChunk>& chunks) {
  QByteArray text;
  for (const AllocatorChunk& chunk : chunks) {
    text += QByteArray::number(static_cast<qlonglong>(chunk.offset)) + '+' + QByteArray::number(static_cast<qlonglong>(chunk.size));
    if (chunk.in_use) text += " " + QByteArray::fromStdString(chunk.node) + " asked " + QByteArray::number(static_cast<qlonglong>(chunk.requested));
    text += '\n';
  }
  return text;
}

}  // namespace

class TstChunkHistory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyMomentEqualsTheAllocator_data() {
    QTest::addColumn<bool>("growth");
    QTest::addColumn<int>("before");
    QTest::newRow("one region") << false << 0;
    QTest::newRow("regions that come") << true << 0;
    QTest::newRow("memory of runs before") << true << 40;
  }

  void everyMomentEqualsTheAllocator() {
    QFETCH(bool, growth);
    QFETCH(int, before);
    std::mt19937 random(7);
    Run run(growth);
    for (int i = 0; i < before; ++i) run.Step(i, &random);
    run.Begin();
    for (int i = 0; i < 200; ++i) run.Step(1000 + i, &random);
    const auto trace = run.End();
    QCOMPARE(trace->num_events(), size_t{400});
    const std::string label = AllocatorLabel(kDevice, "bfc");
    for (size_t step = 0; step < run.said().size(); ++step) {
      QCOMPARE(Text(ChunksAt(*trace, step * 2, label)), Text(run.said()[step]));
    }
  }

  // Paused in a second run, a variable of the first still holds its memory.
  void nodesHoldWhatRunsBeforeLeft() {
    RunTraceBuilder builder;
    AllocatorChunk chunk;
    chunk.address = 4096;
    chunk.size = 512;
    chunk.requested = 400;
    chunk.in_use = true;
    chunk.node = "w";
    builder.SetMemoryAtStart(kDevice, "cpu", {chunk}, false);
    const TraceCursor cursor = StateAt(builder.Snapshot(), 0);
    QCOMPARE(cursor.StateOf("w").live_bytes, int64_t{512});
    QCOMPARE(cursor.StateOf("w").phase, NodePhase::kNotRun);
    const auto live = LiveAt(cursor.trace(), 0);
    QCOMPARE(live.size(), size_t{1});
    QCOMPARE(live[0].node, std::string("w"));

    NodeExecution execution;
    execution.key.node = "assign";
    execution.device = kDevice;
    AllocationEvent freed;
    freed.allocator = "cpu";
    freed.bytes = -512;
    freed.address = 4096;
    execution.allocations.push_back(freed);
    builder.NodeStarted(execution.key, kDevice, 1);
    builder.NodeDone(execution);
    QCOMPARE(StateAt(builder.Snapshot(), 2).StateOf("w").live_bytes, int64_t{0});
    QVERIFY(ChunksAt(*builder.Snapshot(), 2, AllocatorLabel(kDevice, "cpu")).empty());
    QCOMPARE(ChunksAt(*builder.Snapshot(), 0, AllocatorLabel(kDevice, "cpu")).size(), size_t{1});
  }
};

QTEST_APPLESS_MAIN(TstChunkHistory)
#include "tst_chunk_history.moc"
