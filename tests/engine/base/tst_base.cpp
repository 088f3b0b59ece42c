#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/file.h"
#include "engine/base/parallel_for.h"
#include "engine/base/status.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"

using namespace opscope;

class TstBase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parallelFor_doesEachPartOnce();
  void parallelFor_insideItsPool();
  void status_keepsCodeMessageAndNodes();
  void statusOr_macrosPassErrorsOn();
  void nodeName_followsGraphImport_data();
  void nodeName_followsGraphImport();
  void human_bytesAndDurations();
  void printable_escapesWhatIsUnsafe();
  void file_roundTripAndErrors();
  void file_keepsModeAndFollowsLinks();
  void file_killedWriterLeavesWholeFile();
  void threadPool_runsEverything();
};

void TstBase::status_keepsCodeMessageAndNodes() {
  Status status = errors::InvalidArgument("bad ", 3);
  status.AddNode("a").AddNode("b");
  QCOMPARE(status.ToString(), std::string("INVALID_ARGUMENT: bad 3"));
  QCOMPARE(status.nodes().size(), size_t{2});
  QCOMPARE(status.Prepend("file: ").message(), std::string("file: bad 3"));
  QCOMPARE(status.Append("!").nodes().front(), std::string("a"));
  QVERIFY(Status::OK().ok());
  QVERIFY(Status(Code::kOk, "ignored").ok());
}

namespace {
StatusOr<int> Half(int value) {
  if (value % 2 != 0) return errors::OutOfRange(value, " is odd");
  return value / 2;
}
StatusOr<int> Quarter(int value) {
  OS_ASSIGN_OR_RETURN(const int half, Half(value));
  return Half(half);
}
}  // namespace

void TstBase::statusOr_macrosPassErrorsOn() {
  QCOMPARE(*Quarter(8), 2);
  QCOMPARE(Quarter(6).status().ToString(), std::string("OUT_OF_RANGE: 3 is odd"));
}

void TstBase::nodeName_followsGraphImport_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::addColumn<bool>("valid");
  for (const char* good : {"9lives", ".dot", "x>y", "a//b", "a/", "a-b_c.d"}) QTest::newRow(good) << QByteArray(good) << true;
  for (const char* bad : {"relu;bn", "out:0", "a b", "gr\xc3\xb6\xc3\x9f" "e", "_hidden", "/a", "-dash", "back\\slash", ""}) {
    QTest::newRow(*bad ? bad : "empty") << QByteArray(bad) << false;
  }
}

void TstBase::nodeName_followsGraphImport() {
  QFETCH(QByteArray, name);
  QTEST(IsValidNodeName(name.toStdString()), "valid");
}

void TstBase::human_bytesAndDurations() {
  QCOMPARE(HumanBytes(0), std::string("0 B"));
  QCOMPARE(HumanBytes(1023), std::string("1023 B"));
  QCOMPARE(HumanBytes(1536), std::string("1.5 KiB"));
  QCOMPARE(HumanBytes(int64_t{256} << 20), std::string("256 MiB"));
  QCOMPARE(HumanBytes(-2048), std::string("-2 KiB"));
  QCOMPARE(HumanDuration(310), std::string("310 ns"));
  QCOMPARE(HumanDuration(12'900), std::string("12.9 \u00B5s"));
  QCOMPARE(HumanDuration(1'284'000), std::string("1.28 ms"));
  QCOMPARE(HumanDuration(2'400'000'000), std::string("2.4 s"));
}

void TstBase::printable_escapesWhatIsUnsafe() {
  QCOMPARE(Printable("plain \xc3\xa9"), std::string("plain \xc3\xa9"));
  QCOMPARE(Printable("a\nb\x1b[2J"), std::string("a b\\x1b[2J"));
  QCOMPARE(Printable("\xe2\x80\xae" "evil"), std::string("\\u202eevil"));
  QCOMPARE(Printable("\xff\xc0\x80"), std::string("\\xff\\xc0\\x80"));
  QCOMPARE(Printable(std::string(100, 'x'), 10), std::string(10, 'x') + "...");
}

void TstBase::file_roundTripAndErrors() {
  QTemporaryDir dir;
  const std::string path = dir.filePath(QStringLiteral("a.bin")).toStdString();
  const std::string bytes("\0\1zwei", 6);
  QVERIFY(WriteFileAtomic(path, bytes).ok());
  QCOMPARE(*ReadFile(path), bytes);
  QVERIFY(ReadFile(path, 5).status().code() == Code::kResourceExhausted);
  QVERIFY(ReadFile(path + ".no").status().code() == Code::kNotFound);
  QVERIFY(ReadFile(dir.path().toStdString()).status().code() == Code::kInvalidArgument);
  QVERIFY(ReadFile("/dev/zero").status().code() == Code::kInvalidArgument);
  const Status status = WriteFileAtomic(dir.filePath(QStringLiteral("no/such/a")).toStdString(), bytes);
  QVERIFY(status.code() == Code::kNotFound);
  QVERIFY(status.message().find("no/such/a") != std::string::npos);
  QVERIFY(WriteFileAtomic(dir.path().toStdString(), bytes).code() == Code::kInvalidArgument);
  QVERIFY(WriteFileAtomic("/dev/null", bytes).code() == Code::kInvalidArgument);
  QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 1);
}

void TstBase::file_keepsModeAndFollowsLinks() {
  QTemporaryDir dir;
  const std::string path = dir.filePath(QStringLiteral("target")).toStdString();
  const std::string link = dir.filePath(QStringLiteral("link")).toStdString();
  QVERIFY(WriteFileAtomic(path, "one").ok());
  QCOMPARE(::chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink(path, link);
  QVERIFY(WriteFileAtomic(link, "two").ok());
  QVERIFY(std::filesystem::is_symlink(link));
  QCOMPARE(*ReadFile(path), std::string("two"));
  struct stat info {};
  QCOMPARE(::stat(path.c_str(), &info), 0);
  QCOMPARE(info.st_mode & 07777u, 0640u);
}

void TstBase::file_killedWriterLeavesWholeFile() {
  QTemporaryDir dir;
  const std::string path = dir.filePath(QStringLiteral("victim")).toStdString();
  const std::string one(3 << 20, '1');
  const std::string two(3 << 20, '2');
  QVERIFY(WriteFileAtomic(path, one).ok());
  for (int round = 0; round < 8; ++round) {
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      while (true) {
        (void)WriteFileAtomic(path, two);
        (void)WriteFileAtomic(path, one);
      }
    }
    ::usleep(3'000u + 1'700u * static_cast<unsigned>(round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto bytes = ReadFile(path);
    QVERIFY(bytes.ok());
    QVERIFY(*bytes == one || *bytes == two);
  }
}

void TstBase::threadPool_runsEverything() {
  std::atomic<int> sum{0};
  ThreadPool pool("test", 3);
  for (int i = 1; i <= 1000; ++i) {
    pool.Schedule([&, i] {
      sum += i;
      if (i == 1000) pool.Schedule([&] { sum += pool.CurrentThreadIndex() >= 0 ? 1 : 0; });
    });
  }
  pool.WaitIdle();
  QCOMPARE(sum.load(), 500501);
  QCOMPARE(pool.CurrentThreadIndex(), -1);
}

void TstBase::parallelFor_doesEachPartOnce() {
  ThreadPool pool("test", 3);
  for (ThreadPool* const threads : {&pool, static_cast<ThreadPool*>(nullptr)}) {
    for (const int count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      ParallelFor(threads, count, [&](int i) { ++calls[static_cast<size_t>(i)]; });
      for (const auto& n : calls) QCOMPARE(n.load(), 1);
    }
  }
}

// All threads of the pool wait for parts at the same time: the callers do them themselves.
void TstBase::parallelFor_insideItsPool() {
  ThreadPool pool("test", 2);
  std::atomic<int> calls{0};
  for (int i = 0; i < 8; ++i) {
    pool.Schedule([&] { ParallelFor(&pool, 5, [&](int) { ++calls; }); });
  }
  pool.WaitIdle();
  QCOMPARE(calls.load(), 40);
}

QTEST_APPLESS_MAIN(TstBase)
#include "tst_base.moc"
