// BFCAllocator against what TensorFlow's does (goldens/bfc.json), and what the golden doesn't have.
#include <QTest>

#include <algorithm>
#include <map>
#include <thread>

#include "engine/framework/allocation_failure.h"
#include "engine/runtime/bfc_allocator/bfc_allocator.h"
#include "tests/engine/runtime/golden_file.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

// Address space that nobody touches. Pieces lie side by side where they may be joined, else with a gap.
class FakeSubAllocator final : public SubAllocator {
 public:
  struct Piece {
    uint64_t at = 0;
    size_t size = 0;
    bool freed = false;
  };

  FakeSubAllocator(std::optional<size_t> limit, bool coalesces, std::vector<Piece>* pieces)
      : limit_(limit), coalesces_(coalesces), pieces_(pieces) {}

  void* Alloc(size_t, size_t num_bytes, size_t* bytes_received) override {
    if (limit_ && num_bytes > *limit_ - used_) return nullptr;
    used_ += num_bytes;
    const uint64_t at = next_;
    next_ += num_bytes + (coalesces_ ? 0 : 1 << 20);
    pieces_->push_back({at, num_bytes, false});
    *bytes_received = num_bytes;
    return reinterpret_cast<void*>(at);
  }
  void Free(void* ptr, size_t num_bytes) override {
    used_ -= num_bytes;
    const auto at = reinterpret_cast<uint64_t>(ptr);
    for (Piece& piece : *pieces_) {
      if (piece.at >= at && piece.at < at + num_bytes) piece.freed = true;
    }
  }
  bool SupportsCoalescing() const override { return coalesces_; }

 private:
  const std::optional<size_t> limit_;
  const bool coalesces_;
  std::vector<Piece>* const pieces_;
  size_t used_ = 0;
  uint64_t next_ = uint64_t{1} << 40;
};

// Replays one golden case; everything that differs goes to `faults`.
class Replay {
 public:
  explicit Replay(const QJsonObject& test) : id_(test[QLatin1String("id")].toString()) {
    BFCAllocator::Options options;
    options.allow_growth = test[QLatin1String("allow_growth")].toBool();
    options.garbage_collection = test[QLatin1String("garbage_collection")].toBool();
    options.allow_retry_on_failure = false;
    const QJsonValue limit = test[QLatin1String("suballocator_limit")];
    const auto sub_limit = limit.isNull() ? std::nullopt : std::optional<size_t>(limit.toInteger());
    auto sub = std::make_unique<FakeSubAllocator>(sub_limit, test[QLatin1String("suballocator_coalesces")].toBool(), &pieces_);
    allocator_ = std::make_unique<BFCAllocator>(std::move(sub), static_cast<size_t>(test[QLatin1String("total_memory")].toInteger()),
                                                "bfc", options);
    for (const QJsonValue& step : test[QLatin1String("log")].toArray()) Step(step.toObject());
  }
  const QStringList& faults() const { return faults_; }

 private:
  void Expect(const QString& what, const QJsonValue& actual, const QJsonValue& expected) {
    if (actual == expected) return;
    faults_ << id_ + QLatin1String(": ") + cmd_ + QLatin1Char(' ') + what + QLatin1Char(' ') + Text(actual) +
                   QLatin1String(" instead of ") + Text(expected);
  }
  static QString Text(const QJsonValue& value) {
    return QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
  }

  // "r1+256": in which piece of the sub-allocator, and where in it.
  QString PlaceOf(uint64_t address) const {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const auto& piece = pieces_[i];
      if (!piece.freed && address >= piece.at && address < piece.at + piece.size) {
        return QStringLiteral("r%1+%2").arg(i).arg(address - piece.at);
      }
    }
    return QStringLiteral("?");
  }

  void Step(const QJsonObject& step) {
    cmd_ = step[QLatin1String("cmd")].toString();
    const QStringList words = cmd_.split(QLatin1Char(' '));
    if (words[0] == QLatin1String("a")) {
      Allocate(words, step);
    } else if (words[0] == QLatin1String("f")) {
      allocator_->DeallocateRaw(live_[words[1]]);
      live_.erase(words[1]);
    } else if (words[0] == QLatin1String("map")) {
      CheckMap(step);
    } else {
      CheckStats(step[QLatin1String("stats")].toObject());
    }
  }

  void Allocate(const QStringList& words, const QJsonObject& step) {
    const size_t pieces_before = pieces_.size();
    const auto freed = [this] { return std::count_if(pieces_.begin(), pieces_.end(), [](const auto& p) { return p.freed; }); };
    const auto freed_before = freed();
    const size_t alignment = words.size() > 3 ? words[3].toULongLong() : 64;
    void* const ptr = allocator_->AllocateRaw(alignment, words[2].toULongLong(), {});
    Expect(QStringLiteral("failed"), ptr == nullptr, step[QLatin1String("failed")].toBool());
    QJsonArray regions;
    for (size_t i = pieces_before; i < pieces_.size(); ++i) {
      regions.append(QJsonArray{static_cast<qint64>(i), static_cast<qint64>(pieces_[i].size)});
    }
    Expect(QStringLiteral("new_regions"), regions, step[QLatin1String("new_regions")].toArray());
    Expect(QStringLiteral("any region freed"), freed() != freed_before, !step[QLatin1String("regions_freed")].isUndefined());
    if (!ptr) return;
    live_[words[1]] = ptr;
    Expect(QStringLiteral("at"), PlaceOf(reinterpret_cast<uint64_t>(ptr)), step[QLatin1String("at")]);
    Expect(QStringLiteral("requested"), static_cast<qint64>(allocator_->RequestedSize(ptr)), step[QLatin1String("requested")]);
    Expect(QStringLiteral("allocated"), static_cast<qint64>(allocator_->AllocatedSize(ptr)), step[QLatin1String("allocated")]);
    Expect(QStringLiteral("alloc_id"), static_cast<qint64>(allocator_->AllocationId(ptr)), step[QLatin1String("alloc_id")]);
  }

  void CheckMap(const QJsonObject& step) {
    const tensorflow::MemoryDump dump = allocator_->RecordMemoryMap();
    QJsonArray chunks, bins;
    for (const auto& chunk : dump.chunk()) {
      chunks.append(QJsonObject{{QStringLiteral("at"), PlaceOf(chunk.address())},
                                {QStringLiteral("size"), static_cast<qint64>(chunk.size())},
                                {QStringLiteral("requested"), static_cast<qint64>(chunk.requested_size())},
                                {QStringLiteral("bin"), chunk.bin()},
                                {QStringLiteral("used"), chunk.in_use()}});
    }
    for (const auto& bin : dump.bin_summary()) {
      if (bin.total_chunks_in_bin() == 0) continue;
      bins.append(QJsonObject{{QStringLiteral("bin"), bin.bin()},
                              {QStringLiteral("bytes_in_use"), static_cast<qint64>(bin.total_bytes_in_use())},
                              {QStringLiteral("bytes"), static_cast<qint64>(bin.total_bytes_in_bin())},
                              {QStringLiteral("chunks_in_use"), static_cast<qint64>(bin.total_chunks_in_use())},
                              {QStringLiteral("chunks"), static_cast<qint64>(bin.total_chunks_in_bin())}});
    }
    Expect(QStringLiteral("chunks"), chunks, step[QLatin1String("chunks")]);
    Expect(QStringLiteral("bins"), bins, step[QLatin1String("bins")]);
  }

  void CheckStats(const QJsonObject& expected) {
    const AllocatorStats stats = *allocator_->GetStats();
    const auto expect = [&](const char* key, int64_t value) {
      Expect(QLatin1String(key), static_cast<qint64>(value), expected[QLatin1String(key)]);
    };
    expect("num_allocs", stats.num_allocs);
    expect("in_use", stats.bytes_in_use);
    expect("peak", stats.peak_bytes_in_use);
    expect("largest_alloc", stats.largest_alloc_size);
    expect("limit", *stats.bytes_limit);
    expect("pool", *stats.pool_bytes);
    expect("peak_pool", *stats.peak_pool_bytes);
  }

  const QString id_;
  QString cmd_;
  QStringList faults_;
  std::vector<FakeSubAllocator::Piece> pieces_;
  std::unique_ptr<BFCAllocator> allocator_;
  std::map<QString, void*> live_;
};

struct Fixture {
  std::vector<FakeSubAllocator::Piece> pieces;
  std::unique_ptr<BFCAllocator> allocator;

  explicit Fixture(size_t total, bool growth, bool gc = false, bool coalesces = false) {
    BFCAllocator::Options options;
    options.allow_growth = growth;
    options.garbage_collection = gc;
    options.allow_retry_on_failure = false;
    allocator = std::make_unique<BFCAllocator>(std::make_unique<FakeSubAllocator>(std::nullopt, coalesces, &pieces), total,
                                               "bfc", options);
  }
  void* Take(size_t bytes, const char* node = "") { return allocator->AllocateRaw(64, bytes, {.node = node}); }
};

}  // namespace

class TstBfcAllocator : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGoldenCase() {
    const QJsonArray cases = readGoldenCases("bfc.json");
    QVERIFY(cases.size() >= 38);
    int passed = 0;
    QStringList faults;
    for (const QJsonValue& test : cases) {
      const Replay replay(test.toObject());
      if (replay.faults().isEmpty()) ++passed;
      faults << replay.faults();
    }
    for (const QString& fault : faults.mid(0, 10)) qWarning().noquote() << fault;
    qInfo() << passed << "of" << cases.size();
    QCOMPARE(passed, static_cast<int>(cases.size()));
  }

  void garbageCollectionGivesFreeRegionsBack() {
    Fixture with(8 << 20, true, true);
    void* const a = with.Take(2 << 20);
    void* const b = with.Take(3000000);
    QVERIFY(a && b);
    with.allocator->DeallocateRaw(a);
    with.allocator->DeallocateRaw(b);
    QVERIFY(with.Take(7 << 20));
    QVERIFY(with.pieces[0].freed && with.pieces[1].freed);
    QCOMPARE(*with.allocator->GetStats()->pool_bytes, int64_t{8} << 20);

    Fixture without(8 << 20, true, false);
    without.allocator->DeallocateRaw(without.Take(2 << 20));
    QVERIFY(!without.Take(7 << 20));
  }

  void neighbouringRegionsJoin() {
    Fixture f(64 << 20, true, false, true);
    void* const a = f.Take(2 << 20);
    void* const b = f.Take(4 << 20);
    QVERIFY(a && b);
    f.allocator->DeallocateRaw(a);
    f.allocator->DeallocateRaw(b);
    QCOMPARE(f.allocator->Snapshot().size(), size_t{1});
    QCOMPARE(f.Take(6 << 20), a);
    QCOMPARE(f.pieces.size(), size_t{2});
  }

  void snapshotTellsOwnersAndEqualsTheDump() {
    Fixture f(1 << 20, false);
    void* const a = f.Take(1000, "scope/a");
    f.Take(300, "scope/b");
    f.allocator->DeallocateRaw(a);
    f.Take(2000, "c");
    const auto chunks = f.allocator->Snapshot();
    const auto dump = f.allocator->RecordMemoryMap();
    QCOMPARE(chunks.size(), size_t{4});
    QCOMPARE(dump.chunk_size(), 4);
    QCOMPARE(chunks[0].node, std::string());
    QCOMPARE(chunks[0].size, int64_t{1024});
    QVERIFY(!chunks[0].in_use);
    QCOMPARE(chunks[1].node, std::string("scope/b"));
    QCOMPARE(chunks[2].node, std::string("c"));
    QCOMPARE(chunks[2].requested, int64_t{2000});
    for (int i = 0; i < 4; ++i) {
      const auto& chunk = chunks[static_cast<size_t>(i)];
      QCOMPARE(dump.chunk(i).address(), chunk.address);
      QCOMPARE(dump.chunk(i).size(), chunk.size);
      QCOMPARE(dump.chunk(i).requested_size(), chunk.requested);
      QCOMPARE(dump.chunk(i).op_name(), chunk.node);
      QCOMPARE(dump.chunk(i).in_use(), chunk.in_use);
    }
    QCOMPARE(dump.allocator_name(), std::string("bfc"));
    QCOMPARE(dump.bin_summary_size(), 21);
    QCOMPARE(MakeMemoryDump("bfc", *f.allocator->GetStats(), chunks).SerializeAsString(), dump.SerializeAsString());
  }

  void largestFreeChunkIsWhatCanBeHad() {
    Fixture f(1 << 20, false);
    QCOMPARE(f.allocator->GetStats()->largest_free_block_bytes, int64_t{1} << 20);
    std::vector<void*> taken;
    for (int i = 0; i < 4; ++i) taken.push_back(f.Take(1 << 18));
    QCOMPARE(f.allocator->GetStats()->largest_free_block_bytes, int64_t{0});
    f.allocator->DeallocateRaw(taken[0]);
    f.allocator->DeallocateRaw(taken[2]);
    QCOMPARE(f.allocator->GetStats()->largest_free_block_bytes, int64_t{1} << 18);
    QVERIFY(!f.Take(1 << 19));
    const std::string text = DescribeAllocationFailure(*f.allocator, 1 << 19, "n");
    QCOMPARE(text.substr(0, text.find("\n\t In use")),
             std::string("\n\t Node 'n': requested 512.0KiB (524288 bytes), free 512.0KiB, largest free 256.0KiB, in use "
                         "512.0KiB (524288 bytes), limit 1.00MiB (1048576 bytes). The memory is fragmented: enough is free, but "
                         "not in one piece."));
    QVERIFY(DescribeAllocationFailure(*f.allocator, 1 << 20, "n").find("used up") != std::string::npos);
    QVERIFY(DescribeAllocationFailure(*f.allocator, 2 << 20, "n").find("more than the limit") != std::string::npos);
  }

  void anOomReportSumsUp() {
    Fixture f((5 << 20) + 5 * 1024, false);
    for (const char* small : {"n1", "n2", "n3", "n4", "n5"}) QVERIFY(f.Take(1024, small));
    for (int i = 0; i < 3; ++i) QVERIFY(f.Take(1 << 20, "p"));
    QVERIFY(f.Take(2 << 20, "q"));
    const Status status = AllocationFailure(DT_FLOAT, TensorShape({10, 20}), *f.allocator, 800, "x");
    QCOMPARE(status.code(), Code::kResourceExhausted);
    const std::string& text = status.message();
    QVERIFY2(text.starts_with("OOM when allocating tensor with shape[10,20] and type float by allocator bfc\n"), text.c_str());
    QCOMPARE(text.substr(text.find("\n\t In use")),
             std::string("\n\t In use by:\n\t p 3.00MiB (3 tensors)\n\t q 2.00MiB\n\t 5 more nodes, 5.0KiB in total"));
  }

  void foreignPointersAreIgnored() {
    Fixture f(1 << 20, false);
    char* const a = static_cast<char*>(f.Take(1000));
    f.allocator->DeallocateRaw(a + 256);
    f.allocator->DeallocateRaw(reinterpret_cast<void*>(uintptr_t{4096}));
    f.allocator->DeallocateRaw(a);
    f.allocator->DeallocateRaw(a);
    QCOMPARE(f.allocator->GetStats()->bytes_in_use, int64_t{0});
    QVERIFY(!f.Take(SIZE_MAX));
    QVERIFY(!f.Take(SIZE_MAX - 100));
  }

  void aRetryGetsWhatAnotherThreadGivesBack() {
    std::vector<FakeSubAllocator::Piece> pieces;
    BFCAllocator allocator(std::make_unique<FakeSubAllocator>(std::nullopt, false, &pieces), 1 << 20, "bfc", {});
    void* const all = allocator.AllocateRaw(64, 1 << 20, {});
    QVERIFY(all);
    QVERIFY(!allocator.AllocateRaw(64, 256, {.node = "n", .retry_on_failure = false}));
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      allocator.DeallocateRaw(all);
    });
    QVERIFY(allocator.AllocateRaw(64, 256, {}));
    other.join();
  }

  void manyThreads() {
    BFCAllocator::Options options;
    options.allow_retry_on_failure = false;
    BFCAllocator allocator(NewSubAllocator(cpu_allocator()), 64 << 20, "bfc", options);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&allocator, t] {
        std::vector<void*> mine;
        for (unsigned i = 0; i < 2000; ++i) {
          if (auto* const p = static_cast<char*>(allocator.AllocateRaw(64, 1 + (i * 7919 + t) % 9000, {}))) {
            *p = 1;
            mine.push_back(p);
          }
          if (i % 3 == 2) {
            allocator.DeallocateRaw(mine.back());
            mine.pop_back();
          }
        }
        for (void* p : mine) allocator.DeallocateRaw(p);
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(allocator.GetStats()->bytes_in_use, int64_t{0});
    QCOMPARE(allocator.GetStats()->num_allocs, int64_t{8000});
  }
};

QTEST_APPLESS_MAIN(TstBfcAllocator)
#include "tst_bfc_allocator.moc"
