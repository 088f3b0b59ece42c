// Attributes, loops, functions, gradients, lists of ops, through the C API.
#include "tests/engine/c_api/c_sample_graphs.h"

#include <QTest>

class TstCApiGraphs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void attributes_ofEveryKind();
  void attributes_thatAreWrong();
  void edges_areUpdated();
  void while_loopsRun();
  void while_refusesWhatIsMissing();
  void function_isMadeAndCopied();
  void function_refusesWhatIsNotThere();
  void fetchedVariables_areSeenAsTheStepLeavesThem();
  void gradients_areAdded();
  void lists_ofOpsAndKernels();
  void apiDefs_areUpdated();
  void deprecatedSession_runs();
  void unsupported_saysSo();
};

void TstCApiGraphs::attributes_ofEveryKind() {
  CGraph g;
  CStatus& s = g.status();
  TF_OperationDescription* desc = TF_NewOperation(g, "RandomShuffleQueue", "q");
  const TF_DataType types[] = {TF_FLOAT, TF_INT32};
  TF_SetAttrTypeList(desc, "component_types", types, 2);
  const int64_t dims[] = {-1, 3};
  const int64_t* const shapes[] = {nullptr, dims};
  const int ranks[] = {-1, 2};
  TF_SetAttrShapeList(desc, "shapes", shapes, ranks, 2);
  TF_SetAttrString(desc, "shared_name", "abc", 3);
  TF_Operation* q = TF_FinishOperation(desc, s);
  QVERIFY2(s.ok(), qPrintable(s.message()));
  TF_DataType got[2];
  TF_OperationGetAttrTypeList(q, "component_types", got, 2, s);
  QCOMPARE(got[1], TF_INT32);
  TF_AttrMetadata data = TF_OperationGetAttrMetadata(q, "shapes", s);
  QCOMPARE(data.type, TF_ATTR_SHAPE);
  QCOMPARE(data.list_size, int64_t{2});
  QCOMPARE(data.total_size, int64_t{2});
  int64_t* got_dims[2];
  int got_ranks[2];
  int64_t storage[2];
  TF_OperationGetAttrShapeList(q, "shapes", got_dims, got_ranks, 2, storage, 2, s);
  QVERIFY(s.ok());
  QCOMPARE(got_ranks[0], -1);
  QCOMPARE(got_dims[1][1], int64_t{3});
  TF_OperationGetAttrShapeList(q, "shapes", got_dims, got_ranks, 2, storage, 1, s);
  QVERIFY(!s.ok());
  char text[3];
  TF_OperationGetAttrString(q, "shared_name", text, 3, s);
  QCOMPARE(QByteArray(text, 3), QByteArray("abc"));
  QCOMPARE(TF_OperationGetAttrMetadata(q, "container", s).total_size, int64_t{0});
  QVERIFY(TF_OperationGetNumAttrs(q) >= 8);
  QCOMPARE(TF_OperationGetAttrNameLength(q, 0), 8);  // "capacity" is the first by name.
  const TF_Output c = g.Constant("c", 7, TF_INT32);
  TF_Tensor* value = nullptr;
  TF_OperationGetAttrTensor(c.oper, "value", &value, s);
  QCOMPARE(CGraph::Take<int32_t>(value), 7);
  TF_Buffer* proto = TF_NewBuffer();
  TF_OperationGetAttrValueProto(c.oper, "dtype", proto, s);
  QCOMPARE(proto->length, size_t{2});  // Field 6, DT_INT32.
  TF_DeleteBuffer(proto);
}

void TstCApiGraphs::attributes_thatAreWrong() {
  CGraph g;
  const TF_Output c = g.Constant("c", 7, TF_INT32);
  int64_t number = 0;
  TF_OperationGetAttrInt(c.oper, "none", &number, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Operation 'c' has no attr named 'none'."));
  TF_OperationGetAttrInt(c.oper, "dtype", &number, g.status());
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_OperationGetAttrIntList(c.oper, "dtype", &number, 1, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Value for 'dtype' is not a list"));
  TF_OperationGetAttrString(c.oper, "dtype", nullptr, 0, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Attribute 'dtype' is not a string"));
  TF_OperationDescription* desc = TF_NewOperation(g, "Placeholder", "p");
  TF_SetAttrValueProto(desc, "dtype", "\xff", 1, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Unparseable AttrValue proto"));
  TF_SetAttrType(desc, "dtype", static_cast<TF_DataType>(12345));
  QVERIFY(TF_FinishOperation(desc, g.status()) == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  desc = TF_NewOperation(g, "Placeholder", "q");
  TF_SetAttrInt(desc, "dtype", 3);
  QVERIFY(TF_FinishOperation(desc, g.status()) == nullptr);
  QVERIFY2(g.status().message().startsWith(
               QStringLiteral("AttrValue had value with type 'int' when 'type' expected")),
           qPrintable(g.status().message()));
  desc = TF_NewOperation(g, "Bucketize", "b");
  TF_AddInput(desc, c);
  QVERIFY(TF_FinishOperation(desc, g.status()) == nullptr);
  QVERIFY(g.status().message().startsWith(
      QStringLiteral("NodeDef missing attr 'boundaries' from Op<name=Bucketize")));
}

void TstCApiGraphs::edges_areUpdated() {
  CGraph g;
  const TF_Output a = g.Constant("a", 1.0F, TF_FLOAT);
  const TF_Output b = g.Constant("b", 10.0F, TF_FLOAT);
  const TF_Output i = g.Constant("i", 10, TF_INT32);
  const TF_Output sum = g.Add("AddV2", "sum", {a, a});
  TF_UpdateEdge(g, b, {sum.oper, 1}, g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QVERIFY(TF_OperationInput({sum.oper, 1}).oper == b.oper);
  QCOMPARE(CGraph::Take<float>(g.Run({}, {}, sum)), 11.0F);
  TF_UpdateEdge(g, i, {sum.oper, 1}, g.status());
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_UpdateEdge(g, a, {sum.oper, 7}, g.status());
  QCOMPARE(g.status().code(), TF_OUT_OF_RANGE);
  // The session has the old node.
  TF_UpdateEdge(g, a, {sum.oper, 1}, g.status());
  QVERIFY(g.status().ok());
  QVERIFY(g.Run({}, {}, sum) == nullptr);
  QCOMPARE(g.status().code(), TF_FAILED_PRECONDITION);
}

void TstCApiGraphs::while_loopsRun() {
  CGraph g;
  TF_Output inputs[] = {g.Placeholder("i", TF_INT32), g.Constant("x", 3, TF_INT32)};
  for (int round = 0; round < 2; ++round) {  // The second one has the same name.
    TF_WhileParams params = StartLoop(g, inputs);
    QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
    TF_Output outputs[2];
    TF_FinishWhile(&params, g.status(), outputs);
    QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
    TF_Tensor* fed = CGraph::Scalar(2, TF_INT32);
    QCOMPARE(CGraph::Take<int32_t>(g.Run({inputs[0]}, {fed}, outputs[1])), 24);
    QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
    QCOMPARE(CGraph::Take<int32_t>(g.Run({inputs[0]}, {fed}, outputs[0])), 5);
    TF_DeleteTensor(fed);
  }
}

void TstCApiGraphs::while_refusesWhatIsMissing() {
  CGraph g;
  TF_Output inputs[] = {g.Placeholder("i", TF_INT32), g.Constant("x", 3, TF_INT32)};
  TF_Output outputs[2];
  {
    TF_WhileParams params = StartLoop(g, inputs);
    params.body_outputs[1].oper = nullptr;
    TF_FinishWhile(&params, g.status(), outputs);
    QCOMPARE(g.status().message(),
             QStringLiteral("TF_WhileParams `body_outputs[1]` field isn't set"));
  }
  {
    TF_WhileParams params = StartLoop(g, inputs);
    params.name = nullptr;
    TF_FinishWhile(&params, g.status(), outputs);
    QCOMPARE(g.status().message(), QStringLiteral("TF_WhileParams `name` field is null"));
  }
  {
    TF_WhileParams params = StartLoop(g, inputs);
    params.cond_output = params.cond_inputs[0];
    TF_FinishWhile(&params, g.status(), outputs);
    QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  }
  {
    const TF_WhileParams params = StartLoop(g, inputs);
    TF_AbortWhile(&params);
  }
  TF_NewWhile(g, inputs, 0, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("TF_NewWhile() must be passed at least one input"));
  size_t pos = 0;
  int count = 0;
  while (TF_GraphNextOperation(g, &pos) != nullptr) ++count;
  QCOMPARE(count, 2);
}

void TstCApiGraphs::function_isMadeAndCopied() {
  CGraph body;
  const TF_Output a = body.Placeholder("A");
  const TF_Output sum = body.Add("AddV2", "Sum", {a, body.Constant("one", 1.0F, TF_FLOAT)});
  TF_Function* f = TF_GraphToFunction(body, "F", 0, -1, nullptr, 1, &a, 1, &sum, nullptr, nullptr,
                                      "adds one", body.status());
  QVERIFY2(body.status().ok(), qPrintable(body.status().message()));
  QCOMPARE(QByteArray(TF_FunctionName(f)), QByteArray("F"));
  CGraph g;
  TF_GraphCopyFunction(g, f, nullptr, g.status());
  QVERIFY(g.status().ok());
  TF_GraphCopyFunction(g, f, nullptr, g.status());  // The same once more is fine.
  QVERIFY(g.status().ok());
  QCOMPARE(TF_GraphNumFunctions(g), 1);
  // It is an op of the graph now, with the argument and result that it has.
  const TF_Output x = g.Placeholder("x");
  const TF_Output call = g.Add("F", "call", {x});
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(TF_OperationNumOutputs(call.oper), 1);
  QCOMPARE(TF_OperationOutputListLength(call.oper, "sum", g.status()), 1);
  TF_Buffer* buffer = TF_NewBuffer();
  TF_FunctionToFunctionDef(f, buffer, g.status());
  TF_Function* again = TF_FunctionImportFunctionDef(buffer->data, buffer->length, g.status());
  QCOMPARE(QByteArray(TF_FunctionName(again)), QByteArray("F"));
  TF_DeleteBuffer(buffer);
  TF_Function* got[2];
  QCOMPARE(TF_GraphGetFunctions(g, got, 2, g.status()), 1);
  TF_DeleteFunction(got[0]);
  TF_DeleteFunction(again);
  TF_DeleteFunction(f);
}

void TstCApiGraphs::function_refusesWhatIsNotThere() {
  CGraph body;
  const TF_Output a = body.Placeholder("a");
  const TF_Output sum = body.Add("AddV2", "sum", {a, a});
  const TF_Operation* opers[] = {sum.oper};
  QVERIFY(TF_GraphToFunction(body, "F", 0, 1, opers, 0, nullptr, 1, &sum, nullptr, nullptr, nullptr,
                             body.status()) == nullptr);
  QCOMPARE(body.status().message(),
           QStringLiteral("Input 0, 'a:0', of node 'sum' in function 'F' is not available. You "
                          "might need to include it "
                          "in inputs or include its source node in the body"));
  // A node may wait for an input: it waits for the argument then.
  TF_OperationDescription* desc = TF_NewOperation(body, "Neg", "waits");
  TF_AddInput(desc, sum);
  TF_AddControlInput(desc, a.oper);
  const TF_Output waits{TF_FinishOperation(desc, body.status()), 0};
  TF_Function* f = TF_GraphToFunction(body, "F", 0, -1, nullptr, 1, &a, 1, &waits, nullptr, nullptr,
                                      nullptr, body.status());
  QVERIFY2(f != nullptr, qPrintable(body.status().message()));
  TF_DeleteFunction(f);
  const TF_Operation* only[] = {waits.oper};
  QVERIFY(TF_GraphToFunction(body, "F", 0, 1, only, 1, &sum, 1, &waits, nullptr, nullptr, nullptr,
                             body.status()) == nullptr);
  QVERIFY(body.status().message().startsWith(
      QStringLiteral("The source of control edge a -> waits is not in the body.")));
  const TF_Output twice[] = {a, a};
  QVERIFY(TF_GraphToFunction(body, "F", 0, -1, nullptr, 2, twice, 1, &sum, nullptr, nullptr,
                             nullptr, body.status()) == nullptr);
  QCOMPARE(body.status().message(),
           QStringLiteral("TF_Output a:0 appears more than once in the input list"));
  TF_GraphCopyFunction(body, nullptr, nullptr, body.status());
  QCOMPARE(body.status().code(), TF_INVALID_ARGUMENT);
  QVERIFY(TF_FunctionImportFunctionDef("\xff", 1, body.status()) == nullptr);
}

// One step fetches a variable and updates it: its memory is updated in place in TensorFlow, so the
// new value is seen.
void TstCApiGraphs::fetchedVariables_areSeenAsTheStepLeavesThem() {
  CGraph g;
  TF_OperationDescription* desc = TF_NewOperation(g, "VariableV2", "v");
  TF_SetAttrType(desc, "dtype", TF_FLOAT);
  TF_SetAttrShape(desc, "shape", nullptr, 0);
  const TF_Output v{TF_FinishOperation(desc, g.status()), 0};
  const TF_Output init = g.Add("Assign", "init", {v, g.Constant("three", 3.0F, TF_FLOAT)});
  const TF_Output rate = g.Constant("rate", 0.5F, TF_FLOAT);
  const TF_Output train =
      g.Add("ApplyGradientDescent", "train", {v, rate, g.Constant("slope", 2.0F, TF_FLOAT)});
  QCOMPARE(CGraph::Take<float>(g.Run({}, {}, init)), 3.0F);
  const TF_Operation* target = train.oper;
  TF_Tensor* out = nullptr;
  TF_SessionRun(g.session(), nullptr, nullptr, nullptr, 0, &v, &out, 1, &target, 1, nullptr,
                g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  TF_Tensor* again = g.Run({}, {}, train);
  QCOMPARE(CGraph::Take<float>(again), 1.0F);
  QCOMPARE(CGraph::Take<float>(out), 2.0F);  // And it stays as it was fetched.
}

void TstCApiGraphs::gradients_areAdded() {
  CGraph g;
  TF_Output x = g.Placeholder("x");
  TF_Output y = g.Add("Tanh", "y", {x});
  TF_Output dy{nullptr, 0};
  TF_AddGradients(g, &y, 1, &x, 1, nullptr, g.status(), &dy);
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  TF_Tensor* fed = CGraph::Scalar(0.0F, TF_FLOAT);
  QCOMPARE(CGraph::Take<float>(g.Run({x}, {fed}, dy)), 1.0F);
  TF_DeleteTensor(fed);
  QByteArray name(TF_OperationName(dy.oper));
  QVERIFY2(name.startsWith("gradients/"), name.constData());
  TF_AddGradientsWithPrefix(g, "mine", &y, 1, &x, 1, nullptr, g.status(), &dy);
  QVERIFY(QByteArray(TF_OperationName(dy.oper)).startsWith("mine/"));
  TF_AddGradientsWithPrefix(g, "mine", &y, 1, &x, 1, nullptr, g.status(), &dy);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_Output apart = g.Placeholder("apart");
  TF_AddGradients(g, &y, 1, &apart, 1, nullptr, g.status(), &dy);
  QVERIFY(g.status().ok());
  QVERIFY(dy.oper == nullptr);
}

void TstCApiGraphs::lists_ofOpsAndKernels() {
  CStatus s;
  TF_Buffer* ops = TF_GetAllOpList();
  QVERIFY(ops->length > 50000);
  TF_ApiDefMap* map = TF_NewApiDefMap(ops, s);
  QVERIFY(s.ok());
  TF_DeleteApiDefMap(map);
  TF_DeleteBuffer(ops);
  TF_Buffer* kernels = TF_GetRegisteredKernelsForOp("MatMul", s);
  QVERIFY(s.ok() && kernels->length > 0);
  TF_DeleteBuffer(kernels);
  TF_Buffer* all = TF_GetAllRegisteredKernels(s);
  QVERIFY(all->length > 1000);
  TF_DeleteBuffer(all);
}

void TstCApiGraphs::apiDefs_areUpdated() {
  CStatus s;
  TF_Buffer* ops = TF_GetAllOpList();
  TF_ApiDefMap* map = TF_NewApiDefMap(ops, s);
  TF_DeleteBuffer(ops);
  const std::string text =
      "op: <\n graph_op_name: \"Add\"\n summary: \"Sums.\"\n description: <<END\ntwo \"lines\"\nof "
      "text\nEND\n"
      " in_arg { name: \"x\" description: \"left\" } >";
  TF_ApiDefMapPut(map, text.data(), text.size(), s);
  QVERIFY2(s.ok(), qPrintable(s.message()));
  TF_Buffer* got = TF_ApiDefMapGet(map, "Add", 3, s);
  QVERIFY(s.ok());
  const QByteArray bytes(static_cast<const char*>(got->data), static_cast<qsizetype>(got->length));
  QVERIFY(bytes.contains("Sums."));
  QVERIFY(bytes.contains("two \"lines\"\nof text"));
  QVERIFY(bytes.contains("left"));
  TF_DeleteBuffer(got);
  TF_ApiDefMapPut(map, "nonsense", 8, s);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  const std::string unknown = "op { graph_op_name: \"Add\" in_arg { name: \"no\" } }";
  TF_ApiDefMapPut(map, unknown.data(), unknown.size(), s);
  QCOMPARE(s.code(), TF_FAILED_PRECONDITION);
  TF_DeleteApiDefMap(map);
}

void TstCApiGraphs::deprecatedSession_runs() {
  CStatus s;
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_DeprecatedSession* session = TF_NewDeprecatedSession(options, s);
  TF_DeleteSessionOptions(options);
  const std::string bytes = SmallGraph();
  TF_ExtendGraph(session, bytes.data(), bytes.size(), s);
  QVERIFY2(s.ok(), qPrintable(s.message()));
  const char* feed = "a";
  const char* fetch = "sum:0";
  TF_Tensor* fed = CGraph::Scalar(2.0F, TF_FLOAT);
  TF_Tensor* out = nullptr;
  TF_Run(session, nullptr, &feed, &fed, 1, &fetch, &out, 1, nullptr, 0, nullptr, s);
  QVERIFY2(s.ok(), qPrintable(s.message()));
  QCOMPARE(CGraph::Take<float>(out), 3.0F);
  const char* nothing = "nothing:0";
  TF_Run(session, nullptr, &feed, &fed, 1, &nothing, &out, 1, nullptr, 0, nullptr, s);
  QCOMPARE(
      s.message(),
      QStringLiteral("Tensor nothing:0, specified in either feed_devices or fetch_devices was not "
                     "found in the Graph"));
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  QVERIFY(out == nullptr);
  TF_DeleteTensor(fed);
  TF_ExtendGraph(session, "\xff", 1, s);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  TF_CloseDeprecatedSession(session, s);
  TF_DeleteDeprecatedSession(session, s);
}

void TstCApiGraphs::unsupported_saysSo() {
  CStatus s;
  QVERIFY(TF_LoadLibrary("x.so", s) == nullptr);
  QCOMPARE(s.code(), TF_UNIMPLEMENTED);
  QVERIFY(s.message().startsWith(QStringLiteral("TF_LoadLibrary")));
  QVERIFY(TF_NewServer(nullptr, 0, s) == nullptr);
  QVERIFY(s.message().startsWith(QStringLiteral("TF_NewServer")));
  TF_RegisterFilesystemPlugin("x", s);
  QCOMPARE(s.code(), TF_UNIMPLEMENTED);
}

QTEST_GUILESS_MAIN(TstCApiGraphs)
#include "tst_c_api_graphs.moc"
