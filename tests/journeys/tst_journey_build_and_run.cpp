// A learner's first minutes, by actions: (15*5)/(15+5) from an empty window to 3.75, stepped, undone and redone.

#include <QFile>
#include <QTest>

#include "tests/support/script_session.h"

using namespace opscope::testing;

class TstJourneyBuildAndRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void buildRunStepUndoRedo();
  void mouseAndKeyboardOnly();
  void oneAnswerForOneAction();
  void wrongTypesAreRefused();
  void exampleShowsItsResult();
  void refusedEditsChangeNothing();
  void failedOpenLeavesTheDocument();
  void hugeZerosAreBuiltAtOnceAndRefusedAtRun();

 private:
  static bool build(ScriptSession& s);
};

#define RUN(session, ...) QVERIFY2((session).run(__VA_ARGS__), qPrintable((session).error()))

namespace {

QJsonObject constant(const char* name, double value, double y) {
  return {{"op", "Const"}, {"name", name}, {"at", QJsonArray{40, y}},
          {"attr", QJsonObject{{"dtype", "float32"}, {"value", value}}}};
}

QJsonObject op(const char* type, const char* name, double x, double y) {
  return {{"op", type}, {"name", name}, {"at", QJsonArray{x, y}}};
}

QJsonObject wire(const char* from, const char* to, int input) { return {{"from", from}, {"to", to}, {"input", input}}; }

QString value(const QJsonObject& dump, const char* node) {
  return find(dump["scene"].toObject()["nodes"].toArray(), "name", node)["value"].toString();
}

QString badge(const QJsonObject& dump, const char* node, const char* name) {
  return find(dump["scene"].toObject()["nodes"].toArray(), "name", node)["badges"].toObject()[name].toString();
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

}  // namespace

bool TstJourneyBuildAndRun::build(ScriptSession& s) {
  return s.run("document.new") && s.run("node.add", constant("a", 15, 40)) && s.run("node.add", constant("b", 5, 140)) &&
         s.run("node.add", op("Mul", "prod", 280, 40)) && s.run("node.add", op("Add", "sum", 280, 140)) &&
         s.run("node.add", op("RealDiv", "result", 520, 90)) && s.run("edge.connect", wire("a:0", "prod", 0)) &&
         s.run("edge.connect", wire("b:0", "prod", 1)) && s.run("edge.connect", wire("a:0", "sum", 0)) &&
         s.run("edge.connect", wire("b:0", "sum", 1)) && s.run("edge.connect", wire("prod:0", "result", 0)) &&
         s.run("edge.connect", wire("sum:0", "result", 1));
}

void TstJourneyBuildAndRun::buildRunStepUndoRedo() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(build(s), qPrintable(s.error()));
  RUN(s, "document.save_as", {{"path", s.path("full.pb")}});
  RUN(s, "run.start");
  QJsonObject dump = s.dump();
  QCOMPARE(value(dump, "result"), QStringLiteral("3.75"));
  QCOMPARE(value(dump, "prod"), QStringLiteral("75"));
  QCOMPARE(dump["run"].toObject()["state"].toString(), QStringLiteral("idle"));
  QCOMPARE(dump["run"].toObject()["outputs"].toObject()["result:0"].toObject()["value"].toDouble(), 3.75);

  RUN(s, "view.overlay", {{"name", "order"}});
  RUN(s, "run.step");
  dump = s.dump();
  QCOMPARE(dump["run"].toObject()["state"].toString(), QStringLiteral("paused"));
  QCOMPARE(dump["run"].toObject()["order"].toArray(), (QJsonArray{"a"}));
  QCOMPARE(badge(dump, "a", "order"), QStringLiteral("1"));
  for (const char* at : {"prod", "sum", "result"}) {
    RUN(s, "run.step");
    QCOMPARE(s.dump()["run"].toObject()["at"].toString(), QString::fromLatin1(at));
  }
  RUN(s, "run.step");
  dump = s.dump();
  QCOMPARE(dump["run"].toObject()["state"].toString(), QStringLiteral("idle"));
  QCOMPARE(dump["run"].toObject()["order"].toArray(), (QJsonArray{"a", "b", "prod", "sum", "result"}));
  QCOMPARE(badge(dump, "result", "topo"), QStringLiteral("5"));

  int undone = 0;
  while (s.dump()["undo"].toObject()["can_undo"].toBool()) {
    RUN(s, "edit.undo");
    ++undone;
  }
  QVERIFY(undone >= 11);
  QVERIFY(s.dump()["document"].toObject()["nodes"].toArray().isEmpty());
  for (int i = 0; i < undone; ++i) RUN(s, "edit.redo");
  RUN(s, "document.save_as", {{"path", s.path("again.pb")}});
  QCOMPARE(bytesOf(s.path("again.pb")), bytesOf(s.path("full.pb")));
  QCOMPARE(s.quit(), 0);
}

void TstJourneyBuildAndRun::mouseAndKeyboardOnly() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  RUN(s, "view.window", {{"size", QJsonArray{1400, 900}}});
  const auto key = [&](const char* name) { return s.run("input.key", {{"key", name}}); };
  const auto click = [&](const QJsonObject& target) { return s.run("input.click", {{"target", target}}); };
  QVERIFY(key("Ctrl+N"));
  struct Placed {
    const char* op;
    int x, y;
  };
  for (const Placed& node : {Placed{"const", 100, 100}, Placed{"const", 100, 250}, Placed{"mul", 350, 100},
                             Placed{"add", 350, 250}, Placed{"realdiv", 560, 170}}) {
    RUN(s, "input.move", {{"target", QJsonObject{{"px", QJsonArray{node.x, node.y}}}}});
    QVERIFY(key("Tab"));
    RUN(s, "input.type", {{"text", node.op}});
    QVERIFY(key("Return"));
  }
  for (const auto& [node, text] : {std::pair("Const", "15"), std::pair("Const_1", "5")}) {
    QVERIFY2(click({{"node", node}}) && click({{"widget", "inspectorValue"}}), qPrintable(s.error()));
    QVERIFY(key("Ctrl+A"));
    RUN(s, "input.type", {{"text", text}});
    QVERIFY(key("Return"));
  }
  struct Wire {
    const char *from, *to;
    int input;
  };
  for (const Wire& w : {Wire{"Const:0", "Mul", 0}, Wire{"Const_1:0", "Mul", 1}, Wire{"Const:0", "Add", 0},
                        Wire{"Const_1:0", "Add", 1}, Wire{"Mul:0", "RealDiv", 0}, Wire{"Add:0", "RealDiv", 1}}) {
    RUN(s, "input.drag", {{"from", QJsonObject{{"port", w.from}}}, {"to", QJsonObject{{"port", w.to}, {"input", w.input}}}});
  }
  RUN(s, "document.save_as", {{"path", s.path("mouse.pb")}});
  QVERIFY(click({{"px", QJsonArray{300, 420}}}));
  QVERIFY(key("F5"));
  RUN(s, "state.wait", {{"until", "idle"}});
  QCOMPARE(value(s.dump(), "RealDiv"), QStringLiteral("3.75"));
  QVERIFY(key("Alt+2"));
  for (int steps = 1; steps <= 5; ++steps) {
    QVERIFY(key("F10"));
    RUN(s, "state.wait", {{"until", steps < 5 ? "paused" : "idle"}});
    QCOMPARE(s.dump()["run"].toObject()["order"].toArray().size(), steps);
  }
  int undone = 0;
  for (; s.dump()["undo"].toObject()["can_undo"].toBool(); ++undone) QVERIFY(key("Ctrl+Z"));
  QVERIFY(s.dump()["document"].toObject()["nodes"].toArray().isEmpty());
  for (int i = 0; i < undone; ++i) QVERIFY(key("Ctrl+Shift+Z"));
  RUN(s, "document.save_as", {{"path", s.path("again.pb")}});
  QCOMPARE(bytesOf(s.path("again.pb")), bytesOf(s.path("mouse.pb")));
}

void TstJourneyBuildAndRun::oneAnswerForOneAction() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  for (int round = 0; round < 10; ++round) {
    RUN(s, "document.new");
    RUN(s, "node.add", constant("a", 1, 40));
    RUN(s, "input.key", {{"key", "F5"}});
    RUN(s, "state.wait", {{"until", "idle"}});
    QVERIFY(s.dump().contains("document"));
    RUN(s, "document.close", {{"discard", true}});
  }
}

void TstJourneyBuildAndRun::wrongTypesAreRefused() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(build(s), qPrintable(s.error()));
  const QJsonObject before = s.dump()["document"].toObject();
  const std::pair<const char*, QJsonObject> lines[] = {
      {"document.open", {{"path", -1}}},       {"document.save_as", {{"path", ""}}},
      {"node.add", {{"op", 5}}},               {"node.add", {{"op", "Const"}, {"name", true}}},
      {"scope.group", {{"name", QJsonArray{1}}}}, {"select.upstream", {{"hops", "far"}}},
      {"node.set_device", {{"node", true}}},   {"view.pan", {{"by", QJsonArray{1e300, 0}}}},
      {"view.zoom", {{"factor", 1e30}}},       {"state.dump", {{"path", QString(QChar(0))}}},
      {"run.configure", {{"target", true}}},   {"node.pin", {{"pinned", "yes"}}}};
  for (const auto& [action, arguments] : lines) {
    const QJsonObject error = s.answer(action, arguments)["error"].toObject();
    QVERIFY2(error["code"].toString() == QStringLiteral("INVALID_ARGUMENT"), action);
  }
  QCOMPARE(s.dump()["document"].toObject(), before);
}

void TstJourneyBuildAndRun::exampleShowsItsResult() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  RUN(s, "document.open", {{"path", OPSCOPE_SOURCE_DIR "/resources/examples/first_steps.pbtxt"}});
  RUN(s, "input.key", {{"key", "F5"}});
  RUN(s, "state.wait", {{"until", "idle"}});
  const QJsonArray nodes = s.dump()["scene"].toObject()["nodes"].toArray();
  int results = 0;
  for (const QJsonValue& node : nodes) results += node.toObject()["value"].toString() == QStringLiteral("3.75");
  QCOMPARE(results, 1);
}

void TstJourneyBuildAndRun::refusedEditsChangeNothing() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(build(s), qPrintable(s.error()));
  RUN(s, "node.add", op("VariableV2", "v", 40, 300));
  RUN(s, "node.add", op("Assign", "assign", 280, 300));
  const QJsonObject before = s.dump()["document"].toObject();
  const QJsonObject refused = s.answer("edge.connect", wire("a:0", "assign", 0));
  QCOMPARE(refused["ok"].toBool(), false);
  QVERIFY(refused["error"].toObject()["message"].toString().startsWith(QStringLiteral("Cannot reassign value.")));
  QCOMPARE(s.answer("edge.connect", wire("result:0", "prod", 0))["ok"].toBool(), false);   // a cycle
  QCOMPARE(s.answer("node.rename", {{"node", "a"}, {"to", "a b"}})["ok"].toBool(), false);
  QCOMPARE(s.answer("node.add", {{"op", "NoSuchOp"}})["ok"].toBool(), false);
  QCOMPARE(s.answer("no.such.action")["error"].toObject()["code"].toString(), QStringLiteral("UNIMPLEMENTED"));
  QCOMPARE(s.dump()["document"].toObject(), before);
}

void TstJourneyBuildAndRun::failedOpenLeavesTheDocument() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  QVERIFY2(build(s), qPrintable(s.error()));
  QFile bad(s.path("bad.pb"));
  QVERIFY(bad.open(QIODevice::WriteOnly));
  bad.write("this is no graph");
  bad.close();
  const QJsonObject before = s.dump()["document"].toObject();
  const QJsonObject answer = s.answer("document.open", {{"path", s.path("bad.pb")}});
  QCOMPARE(answer["ok"].toBool(), false);
  QVERIFY(answer["error"].toObject()["message"].toString().contains(QStringLiteral("bad.pb")));
  QCOMPARE(s.answer("document.open", {{"path", s.path("absent.pb")}})["error"].toObject()["code"].toString(), QStringLiteral("NOT_FOUND"));
  QCOMPARE(s.dump()["document"].toObject(), before);
  QCOMPARE(s.dump()["documents"].toArray().size(), 1);
}

void TstJourneyBuildAndRun::hugeZerosAreBuiltAtOnceAndRefusedAtRun() {
  ScriptSession s(OPSCOPE_BIN_DIR "/opscope");
  RUN(s, "document.new");
  const auto dims = [](const QJsonArray& value) {
    return QJsonObject{{"op", "Const"}, {"name", "dims"}, {"attr", QJsonObject{{"dtype", "int64"}, {"value", value}}}};
  };
  RUN(s, "node.add", dims({1e12, 1e12}));
  RUN(s, "node.add", constant("zero", 0, 200));
  RUN(s, "node.add", op("Fill", "zeros", 300, 100));
  RUN(s, "edge.connect", wire("dims:0", "zeros", 0));
  RUN(s, "edge.connect", wire("zero:0", "zeros", 1));
  QJsonObject error = s.answer("run.start")["error"].toObject();
  QCOMPARE(error["code"].toString(), QStringLiteral("INVALID_ARGUMENT"));
  QCOMPARE(error["node"].toString(), QStringLiteral("zeros"));
  QVERIFY2(error["message"].toString().contains(QStringLiteral(
               "Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements")), qPrintable(error["message"].toString()));
  RUN(s, "node.set_value", {{"node", "dims"}, {"value", QJsonArray{1'000'000, 10'000'000}}});
  error = s.answer("run.start")["error"].toObject();
  QCOMPARE(error["code"].toString(), QStringLiteral("RESOURCE_EXHAUSTED"));
  QCOMPARE(error["node"].toString(), QStringLiteral("zeros"));
  RUN(s, "node.set_value", {{"node", "dims"}, {"value", QJsonArray{2, 2}}});
  RUN(s, "run.start");
}

QTEST_GUILESS_MAIN(TstJourneyBuildAndRun)
#include "tst_journey_build_and_run.moc"
