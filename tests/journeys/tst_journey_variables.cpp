// Variables over runs, per document; what fails and what isn't needed.

#include <QTest>

#include "tests/support/script_session.h"

using namespace opscope::testing;

class TstJourneyVariables : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsOverRunsUntilReset();
  void documentsKeepTheirOwn();
  void panelsEqualTheRun();
  void failureThatIsNotNeeded();
  void stepInARunThatGoesOn();
};

#define RUN(session, ...) QVERIFY2((session).run(__VA_ARGS__), qPrintable((session).error()))

namespace {

// v = Variable(0); count = AssignAdd(v, 1)
bool counter(ScriptSession& s) {
  const QJsonObject variable{{"op", "Variable"}, {"name", "v"}, {"at", QJsonArray{40, 40}},
                             {"attr", QJsonObject{{"dtype", "float32"}, {"value", 0}}}};
  const QJsonObject one{{"op", "Const"}, {"name", "one"}, {"at", QJsonArray{40, 200}},
                        {"attr", QJsonObject{{"dtype", "float32"}, {"value", 1}}}};
  const QJsonObject add{{"op", "AssignAdd"}, {"name", "count"}, {"at", QJsonArray{320, 100}}};
  return s.run("document.new") && s.run("node.add", variable) && s.run("node.add", one) && s.run("node.add", add) &&
         s.run("edge.connect", {{"from", "v:0"}, {"to", "count"}, {"input", 0}}) &&
         s.run("edge.connect", {{"from", "one:0"}, {"to", "count"}, {"input", 1}});
}

double output(ScriptSession& s, const char* name) {
  return s.dump()["run"].toObject()["outputs"].toObject()[name].toObject()["value"].toDouble(-1);
}

}  // namespace

void TstJourneyVariables::countsOverRunsUntilReset() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(counter(s), qPrintable(s.error()));
  const QJsonObject fetch{{"fetch", QJsonArray{"count:0"}}};
  QJsonObject error = s.answer("run.start", fetch)["error"].toObject();
  QCOMPARE(error["code"].toString(), QStringLiteral("FAILED_PRECONDITION"));
  RUN(s, "run.init");
  for (const double want : {1.0, 2.0, 3.0}) {
    RUN(s, "run.start", fetch);
    QCOMPARE(output(s, "count:0"), want);
  }
  RUN(s, "run.reset");
  error = s.answer("run.start", fetch)["error"].toObject();
  QCOMPARE(error["code"].toString(), QStringLiteral("FAILED_PRECONDITION"));
  QVERIFY(error["message"].toString().startsWith(QStringLiteral("Attempting to use uninitialized value v")));
  QCOMPARE(error["node"].toString(), QStringLiteral("count"));
  QCOMPARE(s.dump()["run"].toObject()["state"].toString(), QStringLiteral("failed"));
}

// Refused at once, and the run can still be stopped.
void TstJourneyVariables::stepInARunThatGoesOn() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  RUN(s, "document.open", {{"path", OPSCOPE_SOURCE_DIR "/tests/data/graphs/endless_loop.pbtxt"}});
  RUN(s, "run.start", {{"wait", false}});
  RUN(s, "state.wait", {{"until", "running"}, {"timeout_ms", 5000}});
  for (const QJsonObject& step : {QJsonObject{{"do", "run.step"}}, QJsonObject{{"do", "run.to"}, {"node", "a"}}}) {
    QCOMPARE(s.answer(step)["error"].toObject()["code"].toString(), QStringLiteral("FAILED_PRECONDITION"));
  }
  RUN(s, "run.stop");
  RUN(s, "state.wait", {{"until", "idle"}, {"timeout_ms", 5000}});
}

void TstJourneyVariables::documentsKeepTheirOwn() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  const QJsonObject fetch{{"fetch", QJsonArray{"count:0"}}};
  QVERIFY2(counter(s), qPrintable(s.error()));
  RUN(s, "run.init");
  RUN(s, "run.start", fetch);
  QVERIFY2(counter(s), qPrintable(s.error()));
  RUN(s, "run.init");
  RUN(s, "run.start", fetch);
  RUN(s, "run.start", fetch);
  QCOMPARE(output(s, "count:0"), 2.0);
  RUN(s, "document.activate", {{"index", 0}});
  RUN(s, "run.start", fetch);
  QCOMPARE(output(s, "count:0"), 2.0);
  QCOMPARE(s.dump()["documents"].toArray().size(), 2);
}

void TstJourneyVariables::panelsEqualTheRun() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(counter(s), qPrintable(s.error()));
  RUN(s, "run.configure", {{"devices", "CPU=2"}});
  RUN(s, "run.init");
  RUN(s, "run.start", {{"fetch", QJsonArray{"count:0"}}});
  const QJsonObject dump = s.dump();
  QCOMPARE(dump["devices"].toArray().size(), 2);
  const QJsonObject device = dump["devices"].toArray()[0].toObject();
  QCOMPARE(device["name"].toString(), QStringLiteral("/job:localhost/replica:0/task:0/device:CPU:0"));
  QVERIFY(device["ops"].toInt() >= 3);
  const QJsonObject allocator = find(dump["allocators"].toArray(), "device", device["name"].toString());
  QCOMPARE(allocator["bytes_in_use"].toInt(), device["bytes_in_use"].toInt());
  QCOMPARE(allocator["peak_bytes"].toInt(), device["peak_bytes"].toInt());
  QVERIFY(device["bytes_in_use"].toInt() >= 4);  // the variable
  qint64 chunks = 0;
  for (const QJsonValue& chunk : allocator["chunks"].toArray()) {
    if (chunk.toObject()["in_use"].toBool()) chunks += chunk.toObject()["size"].toInteger();
  }
  QCOMPARE(chunks, allocator["bytes_in_use"].toInteger());
}

void TstJourneyVariables::failureThatIsNotNeeded() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  RUN(s, "document.new");
  const auto constant = [](const char* name, int value) {
    return QJsonObject{{"op", "Const"}, {"name", name}, {"attr", QJsonObject{{"dtype", "int32"}, {"value", value}}}};
  };
  RUN(s, "node.add", constant("one", 1));
  RUN(s, "node.add", constant("zero", 0));
  RUN(s, "node.add", {{"op", "FloorDiv"}, {"name", "bad"}});
  RUN(s, "node.add", {{"op", "Add"}, {"name", "good"}});
  for (const char* node : {"bad", "good"}) {
    RUN(s, "edge.connect", {{"from", "one:0"}, {"to", node}, {"input", 0}});
    RUN(s, "edge.connect", {{"from", "zero:0"}, {"to", node}, {"input", 1}});
  }
  RUN(s, "run.start", {{"fetch", QJsonArray{"good:0"}}});
  QCOMPARE(output(s, "good:0"), 1.0);
  QVERIFY(!s.dump()["run"].toObject()["order"].toArray().contains("bad"));
  const QJsonObject error = s.answer("run.start", {{"fetch", QJsonArray{"bad:0"}}})["error"].toObject();
  QCOMPARE(error["code"].toString(), QStringLiteral("INVALID_ARGUMENT"));
  QCOMPARE(error["node"].toString(), QStringLiteral("bad"));
  QVERIFY(error["message"].toString().startsWith(QStringLiteral("Integer division by zero")));
}

QTEST_GUILESS_MAIN(TstJourneyVariables)
#include "tst_journey_variables.moc"
