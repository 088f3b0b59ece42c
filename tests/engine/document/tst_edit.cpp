#include <QtTest>

#include "engine/document/value_text.h"
#include "engine/framework/attr_value_util.h"
#include "tests/engine/document/document_fixture.h"

using namespace opscope;
using namespace opscope::test;

using Strings = std::vector<std::string>;

#define OK(expression)                                        \
  do {                                                        \
    const Status ok_status = (expression);                    \
    QVERIFY2(ok_status.ok(), ok_status.ToString().c_str());   \
  } while (false)

class TstEdit : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void addOp_namesAreUnique();
  void addOp_typesStayAwayUntilWired();
  void addOp_unknownOpIsNotFound();
  void addOp_constantsAreFloats();
  void connect_infersAndSpreadsTypes();
  void connect_refusesOtherType();
  void connect_replacesAndSameIsNothing();
  void connect_refusesCycles();
  void connect_acceptsLoop();
  void connect_refusesConstantReassignment();
  void connect_growsLists();
  void connect_refusesMissingPorts();
  void disconnect_frees();
  void delete_keepsSlots();
  void deleteAndReconnect_bridges();
  void rename_followsReferences();
  void rename_refusesTakenAndBad();
  void variable_isOneThing();
  void variable_valueSetsShape();
  void group_andUngroup();
  void copy_dropsOuterWires();
  void paste_isOneEditWithPlaces();
  void paste_fromText();
  void setValue_checks();
  void setAttr_checks();
  void swapOp_keepsWires();
  void import_refusesBadGraphs();
  void import_goesUnderAScope();
  void moveScope_movesContents();
  void apply_allOrNothing();
  void undo_givesSourceBytesBack();
};

void TstEdit::addOp_namesAreUnique() {
  EditedDocument d;
  OK(d.Add("NoOp", "foo"));
  OK(d.Add("NoOp", "Foo"));
  OK(d.Add("NoOp", "FOO"));
  OK(d.Add("NoOp", ""));
  OK(d.Add("NoOp", ""));
  QCOMPARE(d.names(), (Strings{"foo", "Foo_1", "FOO_2", "NoOp", "NoOp_1"}));
  AddOpRequest in_scope;
  in_scope.op = "NoOp";
  in_scope.scope = "s/t";
  OK(d.Do(d.builder().AddOp(in_scope)));
  QVERIFY(d.id("s/t/NoOp").valid());
  QCOMPARE(d.Add("NoOp", "a b").code(), Code::kInvalidArgument);
}

void TstEdit::addOp_typesStayAwayUntilWired() {
  EditedDocument d;
  OK(d.Add("Mul", "m"));
  QVERIFY(!d.def("m").attr().contains("T"));
  OK(d.Add("Sum", "s"));
  QVERIFY(!d.def("s").attr().contains("Tidx"));
  QCOMPARE(d.def("s").attr().at("keep_dims").b(), false);
  OK(d.Add("Cast", "c"));
  QCOMPARE(d.def("c").attr().at("DstT").type(), tensorflow::DT_FLOAT);
  QVERIFY(!d.def("c").attr().contains("SrcT"));
}

void TstEdit::addOp_unknownOpIsNotFound() {
  EditedDocument d;
  const Status status = d.Add("NoSuchOp", "x");
  QCOMPARE(status.code(), Code::kNotFound);
  QVERIFY(status.message().find("NoSuchOp") != std::string::npos);
  QCOMPARE(d.Add("Mul", "x", {{"nope", "1"}}).code(), Code::kInvalidArgument);
  QCOMPARE(d.Add("Mul", "x", {{"T", "\"string\""}}).code(), Code::kInvalidArgument);
  QCOMPARE(d.document.graph().num_nodes(), size_t{0});
}

void TstEdit::addOp_constantsAreFloats() {
  EditedDocument d;
  OK(d.Add("Const", "a", {{"value", "15"}}));
  OK(d.Add("Constant", "b", {{"value", "5"}, {"dtype", "\"int32\""}}));
  OK(d.Add("Const", "c", {{"value", "9007199254740993"}}));
  OK(d.Add("Const", "d", {{"value", "\"text\""}}));
  OK(d.Add("Const", "e", {{"value", "true"}}));
  OK(d.Add("Const", "f", {{"value", "[[1,2],[3,4]]"}}));
  const auto type = [&](const char* name) { return static_cast<int>(d.def(name).attr().at("dtype").type()); };
  QCOMPARE(type("a"), int{tensorflow::DT_FLOAT});
  QCOMPARE(type("b"), int{tensorflow::DT_INT32});
  QCOMPARE(type("c"), int{tensorflow::DT_INT64});
  QCOMPARE(type("d"), int{tensorflow::DT_STRING});
  QCOMPARE(type("e"), int{tensorflow::DT_BOOL});
  const auto value = Tensor::FromProto(d.def("f").attr().at("value").tensor());
  QCOMPARE(TensorToText(*value), std::string("[[1,2],[3,4]]"));
}

void TstEdit::connect_infersAndSpreadsTypes() {
  EditedDocument d;
  OK(d.Add("Mul", "m"));
  OK(d.Add("Neg", "n"));
  OK(d.Add("Const", "a", {{"value", "1"}, {"dtype", "\"int64\""}}));
  OK(d.Connect("m", 0, "n", 0));
  QVERIFY(!d.def("n").attr().contains("T"));
  OK(d.Connect("a", 0, "m", 1));
  QCOMPARE(d.inputs("m"), (Strings{"", "a"}));
  QCOMPARE(d.def("m").attr().at("T").type(), tensorflow::DT_INT64);
  QCOMPARE(d.def("n").attr().at("T").type(), tensorflow::DT_INT64);
  OK(d.UndoAll());
  QCOMPARE(d.document.graph().num_nodes(), size_t{0});
}

void TstEdit::connect_refusesOtherType() {
  EditedDocument d;
  OK(d.Add("Const", "f", {{"value", "1"}}));
  OK(d.Add("Const", "i", {{"value", "1"}, {"dtype", "\"int32\""}}));
  OK(d.Add("AddV2", "c"));
  OK(d.Connect("f", 0, "c", 0));
  const Status status = d.Connect("i", 0, "c", 1);
  QCOMPARE(status.code(), Code::kInvalidArgument);
  QCOMPARE(FirstLine(status), std::string("Input 1 of node c was passed int32 from i:0 incompatible with expected float."));
  QCOMPARE(d.builder().CheckWire({d.id("i"), 0}, {d.id("c"), 1}).refusal, WireRefusal::kType);
  QCOMPARE(status.nodes().front(), std::string("c"));
  // The only wire that holds the type may be replaced by one of another type.
  OK(d.Connect("i", 0, "c", 0));
  QCOMPARE(d.def("c").attr().at("T").type(), tensorflow::DT_INT32);
}

void TstEdit::connect_replacesAndSameIsNothing() {
  EditedDocument d;
  for (const char* name : {"a", "b", "e"}) OK(d.Add("Const", name, {{"value", "2"}}));
  OK(d.Add("AddV2", "c"));
  OK(d.Connect("a", 0, "c", 0));
  OK(d.Connect("b", 0, "c", 1));
  OK(d.Connect("e", 0, "c", 0));
  QCOMPARE(d.inputs("c"), (Strings{"e", "b"}));
  const auto again = d.builder().Connect({d.id("e"), 0}, {d.id("c"), 0});
  QVERIFY(again.ok());
  QVERIFY(again->empty());
  OK(d.document.Apply(d.inverses.back()).status());
  QCOMPARE(d.inputs("c"), (Strings{"a", "b"}));
}

void TstEdit::connect_refusesCycles() {
  EditedDocument d;
  OK(d.Add("AddV2", "c"));
  OK(d.Add("AddV2", "d"));
  OK(d.Connect("c", 0, "d", 0));
  const Status cycle = d.Connect("d", 0, "c", 0);
  QCOMPARE(cycle.code(), Code::kInvalidArgument);
  QVERIFY(cycle.message().find("would create a cycle") != std::string::npos);
  QVERIFY(std::find(cycle.nodes().begin(), cycle.nodes().end(), "c") != cycle.nodes().end());
  QVERIFY(std::find(cycle.nodes().begin(), cycle.nodes().end(), "d") != cycle.nodes().end());
  QVERIFY(d.Connect("c", 0, "c", 1).message().find("would create a cycle") != std::string::npos);
  QCOMPARE(d.Do(d.builder().ConnectControl(d.id("d"), d.id("c"))).code(), Code::kInvalidArgument);
  QCOMPARE(d.builder().CheckWire({d.id("c"), 0}, {d.id("c"), 1}).refusal, WireRefusal::kSelf);
}

void TstEdit::connect_acceptsLoop() {
  EditedDocument d;
  OK(d.Add("Merge", "m", {{"N", "2"}}));
  OK(d.Add("Neg", "n"));
  OK(d.Add("NextIteration", "next"));
  OK(d.Connect("m", 0, "n", 0));
  OK(d.Connect("n", 0, "next", 0));
  OK(d.Connect("next", 0, "m", 1));
  QCOMPARE(d.inputs("m"), (Strings{"", "next"}));
}

void TstEdit::connect_refusesConstantReassignment() {
  EditedDocument d;
  OK(d.Add("Const", "k", {{"value", "1"}}));
  OK(d.Add("Assign", "s"));
  Status status = d.Connect("k", 0, "s", 0);
  QCOMPARE(status.code(), Code::kFailedPrecondition);
  QVERIFY(status.message().starts_with("Cannot reassign value."));
  QCOMPARE(d.builder().CheckWire({d.id("k"), 0}, {d.id("s"), 0}).refusal, WireRefusal::kReassign);
  OK(d.Add("VariableV2", "v", {{"shape", "[]"}, {"dtype", "\"float32\""}}));
  OK(d.Connect("v", 0, "s", 0));
  OK(d.Connect("k", 0, "s", 1));
  OK(d.Add("Neg", "n"));
  OK(d.Connect("k", 0, "n", 0));
  status = d.Connect("n", 0, "s", 0);
  QCOMPARE(status.code(), Code::kInvalidArgument);
  QCOMPARE(d.builder().CheckWire({d.id("n"), 0}, {d.id("s"), 0}).refusal, WireRefusal::kReference);
}

void TstEdit::connect_growsLists() {
  EditedDocument d;
  OK(d.Add("AddN", "y"));
  for (const char* name : {"a", "b", "c"}) OK(d.Add("Const", name, {{"value", "1"}}));
  OK(d.Connect("a", 0, "y", 0));
  OK(d.Connect("b", 0, "y", 1));
  OK(d.Do(d.builder().ConnectToNode({d.id("c"), 0}, d.id("y"))));
  QCOMPARE(d.inputs("y"), (Strings{"a", "b", "c"}));
  QCOMPARE(d.def("y").attr().at("N").i(), int64_t{3});
  OK(d.Add("IdentityN", "many"));
  OK(d.Add("Const", "s", {{"value", "\"x\""}}));
  OK(d.Connect("a", 0, "many", 0));
  OK(d.Connect("s", 0, "many", 1));
  QCOMPARE(d.def("many").attr().at("T").list().type(1), int{tensorflow::DT_STRING});
}

void TstEdit::connect_refusesMissingPorts() {
  EditedDocument d;
  OK(d.Add("Const", "a"));
  OK(d.Add("Neg", "n"));
  QCOMPARE(d.Connect("a", 1, "n", 0).code(), Code::kOutOfRange);
  QCOMPARE(d.Connect("a", 0, "n", 1).code(), Code::kOutOfRange);
  QCOMPARE(d.Connect("a", 0, "n", -1).code(), Code::kOutOfRange);
}

void TstEdit::disconnect_frees() {
  EditedDocument d;
  OK(d.Add("Const", "a"));
  OK(d.Add("AddV2", "c"));
  OK(d.Connect("a", 0, "c", 0));
  OK(d.Connect("a", 0, "c", 1));
  OK(d.Do(d.builder().Disconnect({d.id("c"), 0})));
  QCOMPARE(d.inputs("c"), (Strings{"", "a"}));
  QVERIFY(d.def("c").attr().contains("T"));
  OK(d.Do(d.builder().Disconnect({d.id("c"), 1})));
  QCOMPARE(d.inputs("c"), Strings{});
  QVERIFY(!d.def("c").attr().contains("T"));
  QCOMPARE(d.Do(d.builder().Disconnect({d.id("c"), 1})).code(), Code::kNotFound);
}

void TstEdit::delete_keepsSlots() {
  EditedDocument d;
  for (const char* name : {"a", "b"}) OK(d.Add("Const", name));
  OK(d.Add("AddV2", "c"));
  OK(d.Connect("a", 0, "c", 0));
  OK(d.Connect("b", 0, "c", 1));
  OK(d.Do(d.builder().ConnectControl(d.id("a"), d.id("c"))));
  const std::string before = d.bytes();
  OK(d.Do(d.builder().Delete({d.id("a"), d.id("b")})));
  QCOMPARE(d.inputs("c"), Strings{});
  OK(d.document.Apply(d.inverses.back()).status());
  QCOMPARE(d.bytes(), before);
  OK(d.Do(d.builder().Delete({d.id("a")})));
  QCOMPARE(d.inputs("c"), (Strings{"", "b"}));
}

void TstEdit::deleteAndReconnect_bridges() {
  EditedDocument d;
  OK(d.Add("Const", "a"));
  OK(d.Add("Neg", "n"));
  OK(d.Add("Neg", "m"));
  OK(d.Add("AddV2", "c"));
  OK(d.Connect("a", 0, "n", 0));
  OK(d.Connect("n", 0, "m", 0));
  OK(d.Connect("m", 0, "c", 1));
  OK(d.Do(d.builder().DeleteAndReconnect({d.id("n"), d.id("m")})));
  QCOMPARE(d.inputs("c"), (Strings{"", "a"}));
  QCOMPARE(d.names(), (Strings{"a", "c"}));
}

void TstEdit::rename_followsReferences() {
  tensorflow::GraphDef graph;
  QVERIFY(google::protobuf::TextFormat::ParseFromString(
      "node { name: 'sp' op: 'Split' attr { key: 'num_split' value { i: 2 } } }"
      "node { name: 'x' op: 'AddV2' input: 'sp' input: 'sp:1' input: '^sp'"
      "  attr { key: '_class' value { list { s: 'loc:@sp' s: 'loc:@spx' } } } }"
      "node { name: 'sp/y' op: 'NoOp' }",
      &graph));
  EditedDocument d;
  d.document.SetGraph(Graph::FromGraphDef(graph));
  const std::string before = d.bytes();
  RunConfig config;
  config.feeds["sp:1"] = "1";
  config.fetches = {"sp", "x:0"};
  config.breakpoints.push_back({"sp", true, "always", ""});
  OK(d.Do(d.builder().SetRunConfig(config)));
  OK(d.Do(d.builder().Rename(d.id("sp"), "cut")));
  QCOMPARE(d.inputs("x"), (Strings{"cut", "cut:1", "^cut"}));
  QCOMPARE(d.def("x").attr().at("_class").list().s(0), std::string("loc:@cut"));
  QCOMPARE(d.def("x").attr().at("_class").list().s(1), std::string("loc:@spx"));
  QVERIFY(d.id("sp/y").valid());
  QCOMPARE(d.document.run_config().feeds.begin()->first, std::string("cut:1"));
  QCOMPARE(d.document.run_config().fetches, (Strings{"cut", "x:0"}));
  QCOMPARE(d.document.run_config().breakpoints[0].node, std::string("cut"));
  OK(d.UndoAll());
  QCOMPARE(d.bytes(), before);
  QVERIFY(d.document.run_config() == RunConfig());
}

void TstEdit::rename_refusesTakenAndBad() {
  EditedDocument d;
  OK(d.Add("NoOp", "a"));
  OK(d.Add("NoOp", "b"));
  QCOMPARE(d.Do(d.builder().Rename(d.id("a"), "b")).code(), Code::kAlreadyExists);
  QCOMPARE(d.Do(d.builder().Rename(d.id("a"), "x y")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().Rename(d.id("a"), "")).code(), Code::kInvalidArgument);
}

void TstEdit::variable_isOneThing() {
  EditedDocument d;
  OK(d.Add("Variable", "v", {{"value", "0"}}, Point{10, 20}));
  QCOMPARE(d.names(), (Strings{"v/initial_value", "v", "v/Assign", "v/read"}));
  QCOMPARE(d.inputs("v/Assign"), (Strings{"v", "v/initial_value"}));
  QCOMPARE(d.inputs("v/read"), (Strings{"v"}));
  QCOMPARE(d.document.diagram().Composite("v"), std::string("Variable"));
  QVERIFY(d.document.diagram().IsCollapsed("v"));
  QCOMPARE(d.document.diagram().Position("v", true)->x, 10.0);
  QCOMPARE(d.inverses.size(), size_t{1});
  OK(d.Add("Variable", "v"));
  QVERIFY(d.id("v_1/read").valid());
  OK(d.Do(d.builder().Rename(d.id("v"), "w")));
  QCOMPARE(d.inputs("w/Assign"), (Strings{"w", "w/initial_value"}));
  QCOMPARE(d.def("w/read").attr().at("_class").list().s(0), std::string("loc:@w"));
  QCOMPARE(d.document.diagram().Composite("w"), std::string("Variable"));
  QCOMPARE(d.document.diagram().Composite("v"), std::string());
  QCOMPARE(d.document.diagram().Position("w", true)->y, 20.0);
  OK(d.UndoAll());
  QCOMPARE(d.document.graph().num_nodes(), size_t{0});
  QCOMPARE(d.document.diagram().Composite("v"), std::string());
}

void TstEdit::variable_valueSetsShape() {
  EditedDocument d;
  OK(d.Add("Variable", "v", {{"value", "0"}}));
  OK(d.Do(d.builder().SetValue(d.id("v"), "[1,2,3]")));
  const auto shape = TensorShape::FromProto(d.def("v").attr().at("shape").shape());
  QCOMPARE(shape->DebugString(), std::string("[3]"));
  QCOMPARE(TensorToText(*Tensor::FromProto(d.def("v/initial_value").attr().at("value").tensor())), std::string("[1,2,3]"));
}

void TstEdit::group_andUngroup() {
  EditedDocument d;
  OK(d.Add("Const", "a", {}, Point{100, 100}));
  OK(d.Add("Neg", "b", {}, Point{300, 60}));
  OK(d.Add("Neg", "c"));
  OK(d.Connect("a", 0, "b", 0));
  OK(d.Connect("b", 0, "c", 0));
  const std::string before = d.bytes();
  OK(d.Do(d.builder().Group({d.id("a"), d.id("b")}, "g")));
  QCOMPARE(d.names(), (Strings{"g/a", "g/b", "c"}));
  QCOMPARE(d.inputs("c"), (Strings{"g/b"}));
  QCOMPARE(d.inputs("g/b"), (Strings{"g/a"}));
  QCOMPARE(d.document.diagram().Position("g/a", false)->x, 100.0);
  QVERIFY(d.document.diagram().Position("g", true).has_value());
  OK(d.Do(d.builder().Ungroup("g")));
  QCOMPARE(d.bytes(), before);
  QCOMPARE(d.document.diagram().Position("b", false)->y, 60.0);
  OK(d.Add("NoOp", "g"));
  OK(d.Do(d.builder().Group({d.id("a")}, "g")));
  QVERIFY(d.id("g_1/a").valid());
  QCOMPARE(d.Do(d.builder().Ungroup("nope")).code(), Code::kNotFound);
  QCOMPARE(d.Do(d.builder().Group({}, "x")).code(), Code::kInvalidArgument);
}

void TstEdit::copy_dropsOuterWires() {
  EditedDocument d;
  OK(d.Add("Const", "a", {{"value", "2"}}, Point{0, 0}));
  OK(d.Add("Const", "b", {{"value", "3"}}, Point{0, 120}));
  OK(d.Add("AddV2", "c", {}, Point{240, 60}));
  OK(d.Connect("a", 0, "c", 0));
  OK(d.Connect("b", 0, "c", 1));
  OK(d.Do(d.builder().Duplicate({d.id("b"), d.id("c")}, {24, 24})));
  QCOMPARE(d.names(), (Strings{"a", "b", "c", "b_1", "c_1"}));
  QCOMPARE(d.inputs("c_1"), (Strings{"", "b_1"}));
  QCOMPARE(d.inputs("c"), (Strings{"a", "b"}));
  const Point b = *d.document.diagram().Position("b_1", false);
  const Point c = *d.document.diagram().Position("c_1", false);
  QCOMPARE((c - b), (Point{240, -60}));
  OK(d.Do(d.builder().Duplicate({d.id("c")}, {24, 24}, true)));
  QCOMPARE(d.inputs("c_2"), (Strings{"a", "b"}));
}

void TstEdit::paste_isOneEditWithPlaces() {
  EditedDocument d;
  OK(d.Add("Variable", "v", {}, Point{0, 0}));
  std::vector<NodeId> all = d.document.graph().NodeIds();
  OK(d.Do(d.builder().Duplicate(all, {50, 0})));
  QCOMPARE(d.inputs("v_1/Assign"), (Strings{"v_1", "v_1/initial_value"}));
  QCOMPARE(d.def("v_1/read").attr().at("_class").list().s(0), std::string("loc:@v_1"));
  QCOMPARE(d.document.diagram().Composite("v_1"), std::string("Variable"));
  QCOMPARE(d.document.diagram().Position("v_1", true)->x, 50.0);
}

void TstEdit::paste_fromText() {
  EditedDocument d;
  OK(d.Add("Const", "s/a", {{"value", "2"}}, Point{1.5, -1e5}));
  OK(d.Add("Neg", "s/b"));
  OK(d.Connect("s/a", 0, "s/b", 0));
  const std::string text = d.builder().Copy(d.document.graph().NodeIds()).ToText();
  const auto clip = Clip::FromText(text);
  QVERIFY(clip.ok());
  QCOMPARE(clip->positions.at("s/a"), (Point{1.5, -1e5}));
  EditedDocument other;
  OK(other.Do(other.builder().Paste(*clip, "", {})));
  QCOMPARE(other.names(), (Strings{"a", "b"}));
  QCOMPARE(other.inputs("b"), (Strings{"a"}));
  QCOMPARE(Clip::FromText("hello").status().code(), Code::kInvalidArgument);
  QCOMPARE(Clip::FromText("").status().code(), Code::kInvalidArgument);
  QVERIFY(Clip::FromText("node { name: 'x' op: 'NoOp' }").ok());
}

void TstEdit::setValue_checks() {
  EditedDocument d;
  OK(d.Add("Const", "k", {{"value", "1"}}));
  OK(d.Add("Placeholder", "p", {{"shape", "[2]"}}));
  OK(d.Add("Neg", "n"));
  OK(d.Do(d.builder().SetValue(d.id("k"), "[5,6]")));
  QCOMPARE(d.def("k").attr().at("dtype").type(), tensorflow::DT_FLOAT);
  OK(d.Do(d.builder().SetValue(d.id("p"), "[1,2]")));
  QCOMPARE(d.document.run_config().feeds.at("p:0"), std::string("[1,2]"));
  QCOMPARE(d.Do(d.builder().SetValue(d.id("p"), "[1,2,3]")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().SetValue(d.id("n"), "1")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().SetValue(d.id("k"), "[1,")).code(), Code::kInvalidArgument);
  OK(d.Do(d.builder().SetValue(d.id("p"), "")));
  QVERIFY(d.document.run_config().feeds.empty());
  // A constant that others read keeps its type.
  OK(d.Connect("k", 0, "n", 0));
  QCOMPARE(d.Do(d.builder().SetValue(d.id("k"), "{\"dtype\":\"int32\",\"value\":1}")).code(), Code::kInvalidArgument);
}

void TstEdit::setAttr_checks() {
  EditedDocument d;
  OK(d.Add("MatMul", "m"));
  OK(d.Do(d.builder().SetAttr(d.id("m"), "transpose_a", "true")));
  QCOMPARE(d.def("m").attr().at("transpose_a").b(), true);
  QCOMPARE(d.Do(d.builder().SetAttr(d.id("m"), "transpose_a", "7")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().SetAttr(d.id("m"), "T", "\"string\"")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().SetAttr(d.id("m"), "nope", "1")).code(), Code::kInvalidArgument);
  OK(d.Add("Const", "k", {{"value", "[1,2]"}}));
  OK(d.Connect("k", 0, "m", 0));
  QCOMPARE(d.Do(d.builder().SetAttr(d.id("m"), "T", "\"int32\"")).code(), Code::kInvalidArgument);
  QCOMPARE(d.Do(d.builder().SetAttr(d.id("k"), "dtype", "\"int32\"")).code(), Code::kInvalidArgument);
  OK(d.Do(d.builder().Disconnect({d.id("m"), 0})));
  OK(d.Do(d.builder().SetAttr(d.id("k"), "dtype", "\"int32\"")));
  QCOMPARE(Tensor::FromProto(d.def("k").attr().at("value").tensor())->dtype(), DT_INT32);
}

void TstEdit::swapOp_keepsWires() {
  EditedDocument d;
  OK(d.Add("Const", "a"));
  OK(d.Add("Mul", "m"));
  OK(d.Connect("a", 0, "m", 0));
  OK(d.Connect("a", 0, "m", 1));
  OK(d.Do(d.builder().SwapOp(d.id("m"), "Sub")));
  QCOMPARE(d.def("m").op(), std::string("Sub"));
  QCOMPARE(d.inputs("m"), (Strings{"a", "a"}));
  QCOMPARE(d.def("m").attr().at("T").type(), tensorflow::DT_FLOAT);
  OK(d.Do(d.builder().SwapOp(d.id("m"), "Neg")));
  QCOMPARE(d.inputs("m"), (Strings{"a"}));
  QCOMPARE(d.Do(d.builder().SwapOp(d.id("m"), "Nope")).code(), Code::kNotFound);
}

void TstEdit::import_refusesBadGraphs() {
  EditedDocument d;
  OK(d.Add("NoOp", "a"));
  const std::string before = d.bytes();
  tensorflow::GraphDef graph;
  QVERIFY(google::protobuf::TextFormat::ParseFromString("node { name: 'x' op: 'Neg' input: 'missing' }", &graph));
  QVERIFY(!d.Do(d.builder().Import(graph, "s")).ok());
  QVERIFY(!d.Do(d.builder().Import(tensorflow::GraphDef(), "s")).ok());
  QCOMPARE(d.bytes(), before);
}

void TstEdit::import_goesUnderAScope() {
  EditedDocument d;
  OK(d.Add("NoOp", "s/a"));
  tensorflow::GraphDef graph;
  QVERIFY(google::protobuf::TextFormat::ParseFromString(
      "node { name: 'a' op: 'NoOp' } node { name: 'b/c' op: 'NoOp' input: '^a' }", &graph));
  OK(d.Do(d.builder().Import(graph, "s")));
  QCOMPARE(d.names(), (Strings{"s/a", "s_1/a", "s_1/b/c"}));
  QCOMPARE(d.inputs("s_1/b/c"), (Strings{"^s_1/a"}));
  OK(d.Do(d.builder().Import(graph, "")));
  QCOMPARE(d.inputs("b/c"), (Strings{"^a"}));
}

void TstEdit::moveScope_movesContents() {
  EditedDocument d;
  OK(d.Add("NoOp", "s/a", {}, Point{10, 10}));
  OK(d.Add("NoOp", "s/t/b", {}, Point{20, 20}));
  OK(d.Do(d.builder().MoveItems({{"s", true, {0, 0}}})));
  OK(d.Do(d.builder().MoveItems({{"s", true, {5, 7}}, {"s/a", false, {100, 100}}})));
  QCOMPARE(*d.document.diagram().Position("s/t/b", false), (Point{25, 27}));
  QCOMPARE(*d.document.diagram().Position("s/a", false), (Point{100, 100}));
  QVERIFY(d.builder().MoveItems({{"s", true, {5, 7}}})->empty());
}

void TstEdit::apply_allOrNothing() {
  EditedDocument d;
  OK(d.Add("NoOp", "a", {}, Point{1, 1}));
  const std::string before = d.bytes();
  Edit edit;
  edit.changes.emplace_back(PlaceChange{"a", false, Point{9, 9}, true});
  edit.changes.emplace_back(RemoveNodeChange{d.id("a")});
  edit.changes.emplace_back(RemoveNodeChange{NodeId(77u)});
  QCOMPARE(d.document.Apply(edit).status().code(), Code::kNotFound);
  QCOMPARE(d.bytes(), before);
  QCOMPARE(d.document.diagram().Position("a", false)->x, 1.0);
}

void TstEdit::undo_givesSourceBytesBack() {
  EditedDocument d;
  OK(d.Add("NoOp", "a"));
  Graph graph = d.document.graph();
  const auto file = std::make_shared<const std::string>("bytes of the file");
  graph.SetSource(d.id("a"), file, std::string_view(*file).substr(0, 5));
  d.document.SetGraph(std::move(graph));
  OK(d.Do(d.builder().Rename(d.id("a"), "b")));
  QVERIFY(d.document.graph().node(d.id("b")).source_bytes.empty());
  OK(d.document.Apply(d.inverses.back()).status());
  QCOMPARE(d.document.graph().node(d.id("a")).source_bytes, std::string_view("bytes"));
  OK(d.Do(d.builder().Delete({d.id("a")})));
  OK(d.document.Apply(d.inverses.back()).status());
  QCOMPARE(d.document.graph().node(d.id("a")).source_bytes, std::string_view("bytes"));
}

QTEST_APPLESS_MAIN(TstEdit)
#include "tst_edit.moc"
