// Status, buffers, strings, tensors, graphs made node by node and their runs, through the C API.
#include "tests/engine/c_api/c_graph.h"

#include <QTest>

#include <cerrno>
#include <thread>

class TstCApi : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void version_isThatOfTensorFlow();
  void status_carriesCodeMessageAndPayloads();
  void status_ofIoErrors();
  void buffers_copyTheirBytes();
  void strings_haveTensorFlowsLayout();
  void tensor_wrapsAlignedMemory();
  void tensor_copiesMisalignedMemory();
  void tensor_refusesWhatDoesNotFit();
  void tensor_isMovedBitcastAndReshaped();
  void graph_runs();
  void graph_growsBetweenRuns();
  void run_sharesTheFedBuffer();
  void run_ofStrings();
  void run_isRepeatedInAnyOrder();
  void run_givesMetadata();
  void partialRun_comesInPieces();
  void run_failsWithTensorFlowsErrors();
  void finish_tellsWhatIsWrong();
  void finish_infersAttributesFromInputs();
  void shapes_areInferredAndSet();
  void operations_canBeLookedAt();
  void constant_isEvaluated();
  void devices_areListed();
  void sessions_outliveTheGraphsDeletion();
  void closed_sessionsRefuse();
  void threads_runOneSession();
  void nullArguments_doNotCrash();
};

void TstCApi::version_isThatOfTensorFlow() {
  QCOMPARE(QByteArray(TF_Version()), QByteArray("2.21.0"));
}

void TstCApi::status_carriesCodeMessageAndPayloads() {
  CStatus s;
  QVERIFY(s.ok());
  TF_SetStatus(s, TF_CANCELLED, "cancel");
  QCOMPARE(s.code(), TF_CANCELLED);
  QCOMPARE(s.message(), QStringLiteral("cancel"));
  TF_SetPayload(s, "key", "value");
  std::string seen;
  TF_ForEachPayload(
      s,
      [](const char* key, const char* value, void* to) {
        *static_cast<std::string*>(to) += std::string(key) + "=" + value;
      },
      &seen);
  QCOMPARE(seen, std::string("key=value"));
  TF_SetStatus(s, TF_OK, "");
  QVERIFY(s.ok());
  QVERIFY(s.message().isEmpty());
}

void TstCApi::status_ofIoErrors() {
  CStatus s;
  TF_SetStatusFromIOError(s, ENOENT, "opening x");
  QCOMPARE(s.code(), TF_NOT_FOUND);
  QCOMPARE(s.message(), QStringLiteral("opening x; No such file or directory"));
  TF_SetStatusFromIOError(s, EACCES, "");
  QCOMPARE(s.code(), TF_PERMISSION_DENIED);
  TF_SetStatusFromIOError(s, 0, "");
  QVERIFY(s.ok());
}

void TstCApi::buffers_copyTheirBytes() {
  const std::string bytes("a\0b", 3);
  TF_Buffer* buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
  QCOMPARE(buffer->length, size_t{3});
  QVERIFY(buffer->data != bytes.data());
  QCOMPARE(std::memcmp(TF_GetBuffer(buffer).data, bytes.data(), 3), 0);
  TF_DeleteBuffer(buffer);
  buffer = TF_NewBuffer();
  QVERIFY(buffer->data == nullptr);
  TF_DeleteBuffer(buffer);
}

void TstCApi::strings_haveTensorFlowsLayout() {
  QCOMPARE(sizeof(TF_TString), size_t{24});
  TF_TString s;
  TF_StringInit(&s);
  QCOMPARE(TF_StringGetSize(&s), size_t{0});
  const std::string small(22, 'x');
  TF_StringCopy(&s, small.data(), small.size());
  QCOMPARE(TF_StringGetType(&s), TF_TSTR_SMALL);
  QCOMPARE(int{s.u.raw[0]}, 22 << 2);
  QCOMPARE(TF_StringGetCapacity(&s), size_t{22});
  const std::string large(100, 'y');
  TF_StringCopy(&s, large.data(), large.size());
  QCOMPARE(TF_StringGetType(&s), TF_TSTR_LARGE);
  QCOMPARE(s.u.large.size, size_t{100 << 2 | 1});
  QCOMPARE(std::string(TF_StringGetDataPointer(&s), TF_StringGetSize(&s)), large);
  QCOMPARE(TF_StringGetDataPointer(&s)[100], '\0');
  // A part of itself.
  TF_StringCopy(&s, TF_StringGetDataPointer(&s) + 70, 30);
  QCOMPARE(TF_StringGetSize(&s), size_t{30});
  TF_StringAssignView(&s, small.data(), 5);
  QCOMPARE(TF_StringGetType(&s), TF_TSTR_VIEW);
  QVERIFY(TF_StringGetDataPointer(&s) == small.data());
  QCOMPARE(TF_StringGetSize(&s), size_t{5});
  TF_StringDealloc(&s);
  // An offset points from the element itself.
  struct {
    TF_TString s;
    char text[4] = {'a', 'b', 'c', '\0'};
  } with_text;
  with_text.s.u.offset.size = 3 << 2 | TF_TSTR_OFFSET;
  with_text.s.u.offset.offset = sizeof(TF_TString);
  QCOMPARE(std::string(TF_StringGetDataPointer(&with_text.s), TF_StringGetSize(&with_text.s)),
           std::string("abc"));
}

void TstCApi::tensor_wrapsAlignedMemory() {
  alignas(64) static float values[6] = {1, 2, 3, 4, 5, 6};
  int freed = 0;
  const int64_t dims[] = {2, 3};
  TF_Tensor* tensor = TF_NewTensor(
      TF_FLOAT, dims, 2, values, sizeof values,
      [](void*, size_t, void* arg) { ++*static_cast<int*>(arg); }, &freed);
  QVERIFY(TF_TensorData(tensor) == values);
  QVERIFY(TF_TensorIsAligned(tensor));
  QCOMPARE(TF_TensorType(tensor), TF_FLOAT);
  QCOMPARE(TF_NumDims(tensor), 2);
  QCOMPARE(TF_Dim(tensor, 1), int64_t{3});
  QCOMPARE(TF_TensorByteSize(tensor), size_t{24});
  QCOMPARE(TF_TensorElementCount(tensor), int64_t{6});
  QCOMPARE(freed, 0);
  TF_DeleteTensor(tensor);
  QCOMPARE(freed, 1);
}

void TstCApi::tensor_copiesMisalignedMemory() {
  alignas(64) static char bytes[64] = {};
  int freed = 0;
  const int64_t dims[] = {2};
  std::memcpy(bytes + 4, "\1\0\0\0\2\0\0\0", 8);
  TF_Tensor* tensor = TF_NewTensor(
      TF_INT32, dims, 1, bytes + 4, 8, [](void*, size_t, void* arg) { ++*static_cast<int*>(arg); },
      &freed);
  QCOMPARE(freed, 1);
  QVERIFY(TF_TensorIsAligned(tensor));
  QCOMPARE(static_cast<int32_t*>(TF_TensorData(tensor))[1], 2);
  TF_DeleteTensor(tensor);
}

void TstCApi::tensor_refusesWhatDoesNotFit() {
  int freed = 0;
  alignas(64) static float values[2] = {};
  const int64_t dims[] = {3};
  const int64_t negative[] = {-1};
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  const auto free = [](void*, size_t, void* arg) { ++*static_cast<int*>(arg); };
  QVERIFY(TF_NewTensor(TF_FLOAT, dims, 1, values, sizeof values, free, &freed) == nullptr);
  QVERIFY(TF_NewTensor(TF_FLOAT, negative, 1, values, sizeof values, free, &freed) == nullptr);
  QVERIFY(TF_NewTensor(TF_FLOAT, huge, 2, values, sizeof values, free, &freed) == nullptr);
  QCOMPARE(freed, 3);
  QVERIFY(TF_AllocateTensor(TF_FLOAT, dims, 1, 8) == nullptr);
  QVERIFY(TF_AllocateTensor(TF_FLOAT, negative, 1, 8) == nullptr);
}

void TstCApi::tensor_isMovedBitcastAndReshaped() {
  const int64_t dims[] = {4};
  const int64_t square[] = {2, 2};
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, dims, 1, 16);
  TF_SetShape(tensor, square, 2);
  QCOMPARE(TF_NumDims(tensor), 2);
  CStatus s;
  TF_Tensor* other = TF_AllocateTensor(TF_INT32, nullptr, 0, 4);
  TF_TensorBitcastFrom(tensor, TF_INT32, other, dims, 1, s);
  QVERIFY(s.ok());
  QVERIFY(TF_TensorData(other) == TF_TensorData(tensor));
  QCOMPARE(TF_TensorType(other), TF_INT32);
  const int64_t wrong[] = {3};
  TF_TensorBitcastFrom(tensor, TF_INT32, other, wrong, 1, s);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  QVERIFY(TF_TensorMaybeMove(tensor) == nullptr);  // Two share the memory.
  TF_DeleteTensor(other);
  void* data = TF_TensorData(tensor);
  TF_Tensor* moved = TF_TensorMaybeMove(tensor);
  QVERIFY(TF_TensorData(moved) == data);
  TF_DeleteTensor(moved);
  TF_DeleteTensor(tensor);
}

void TstCApi::graph_runs() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output b = g.Constant("b", 4.0F, TF_FLOAT);
  const TF_Output sum = g.Add("AddV2", "sum", {a, b});
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  TF_Tensor* fed = CGraph::Scalar(38.0F, TF_FLOAT);
  TF_Tensor* out = g.Run({a}, {fed}, sum);
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(CGraph::Take<float>(out), 42.0F);
  // The same run again, and one with another feed in between.
  TF_Tensor* other = CGraph::Scalar(1.0F, TF_FLOAT);
  QCOMPARE(CGraph::Take<float>(g.Run({b}, {other}, b)),
           0.0F);  // Fed and fetched at once is an error.
  QVERIFY(!g.status().ok());
  QCOMPARE(CGraph::Take<float>(g.Run({a, b}, {fed, other}, sum)), 39.0F);
  QCOMPARE(CGraph::Take<float>(g.Run({a}, {other}, sum)), 5.0F);
  TF_DeleteTensor(other);
  TF_DeleteTensor(fed);
}

void TstCApi::graph_growsBetweenRuns() {
  CGraph g;
  TF_Output last = g.Constant("c0", 1, TF_INT32);
  for (int i = 1; i <= 20; ++i) {
    const std::string name = "c" + std::to_string(i);
    last = g.Add("AddV2", name.c_str(), {last, last});
    QVERIFY(g.status().ok());
    QCOMPARE(CGraph::Take<int32_t>(g.Run({}, {}, last)), 1 << i);
  }
  TF_Operation* const first = TF_GraphOperationByName(g, "c1");
  QCOMPARE(QByteArray(TF_OperationName(first)), QByteArray("c1"));
}

void TstCApi::run_sharesTheFedBuffer() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output same = g.Add("Identity", "same", {a});
  TF_Tensor* fed = CGraph::Scalar(2.5F, TF_FLOAT);
  TF_Tensor* out = g.Run({a}, {fed}, same);
  QVERIFY(g.status().ok());
  QVERIFY(TF_TensorData(out) == TF_TensorData(fed));
  TF_DeleteTensor(fed);
  QCOMPARE(CGraph::Take<float>(out), 2.5F);
}

void TstCApi::run_ofStrings() {
  CGraph g;
  const TF_Output a = g.Placeholder("a", TF_STRING);
  const TF_Output same = g.Add("Identity", "same", {a});
  const int64_t dims[] = {2};
  TF_Tensor* fed = TF_AllocateTensor(TF_STRING, dims, 1, 2 * sizeof(TF_TString));
  auto* const strings = static_cast<TF_TString*>(TF_TensorData(fed));
  const std::string large = std::string(50, 'z') + std::string("\0!", 2);
  TF_StringInit(&strings[0]);
  TF_StringInit(&strings[1]);
  TF_StringCopy(&strings[1], large.data(), large.size());
  TF_Tensor* out = g.Run({a}, {fed}, same);
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(TF_TensorByteSize(out), size_t{48});
  const auto* const got = static_cast<const TF_TString*>(TF_TensorData(out));
  QCOMPARE(TF_StringGetSize(&got[0]), size_t{0});
  QCOMPARE(std::string(TF_StringGetDataPointer(&got[1]), TF_StringGetSize(&got[1])), large);
  TF_DeleteTensor(out);
  TF_StringDealloc(&strings[1]);
  TF_DeleteTensor(fed);
  // Too short for its shape.
  fed = TF_AllocateTensor(TF_STRING, dims, 1, sizeof(TF_TString));
  QVERIFY(g.Run({a}, {fed}, same) == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_DeleteTensor(fed);
}

// Runs are kept by what they ask for; one must not be taken for another.
void TstCApi::run_isRepeatedInAnyOrder() {
  CGraph g;
  const TF_Output a = g.Placeholder("a", TF_INT32);
  const TF_Output b = g.Placeholder("b", TF_INT32);
  const TF_Output difference = g.Add("Sub", "difference", {a, b});
  const TF_Output product = g.Add("Mul", "product", {a, b});
  TF_Tensor* seven = CGraph::Scalar(7, TF_INT32);
  TF_Tensor* two = CGraph::Scalar(2, TF_INT32);
  for (int round = 0; round < 3; ++round) {
    QCOMPARE(CGraph::Take<int32_t>(g.Run({a, b}, {seven, two}, difference)), 5);
    QCOMPARE(CGraph::Take<int32_t>(g.Run({b, a}, {seven, two}, difference)), -5);
    QCOMPARE(CGraph::Take<int32_t>(g.Run({a, b}, {seven, two}, product)), 14);
    QCOMPARE(CGraph::Take<int32_t>(g.Run({a, difference}, {seven, two}, difference)), 0);
    QVERIFY(!g.status().ok());
  }
  TF_DeleteTensor(seven);
  TF_DeleteTensor(two);
}

void TstCApi::run_givesMetadata() {
  CGraph g;
  const TF_Output one = g.Constant("one", 1, TF_INT32);
  const TF_Output sum = g.Add("AddV2", "sum", {one, one});
  QCOMPARE(CGraph::Take<int32_t>(g.Run({}, {}, sum)), 2);
  TF_Buffer* options = TF_NewBufferFromString("\x08\x03", 2);  // trace_level: FULL_TRACE
  TF_Buffer* metadata = TF_NewBuffer();
  TF_Tensor* out = nullptr;
  TF_SessionRun(g.session(), options, nullptr, nullptr, 0, &sum, &out, 1, nullptr, 0, metadata,
                g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(CGraph::Take<int32_t>(out), 2);
  const QByteArray bytes(static_cast<const char*>(metadata->data),
                         static_cast<qsizetype>(metadata->length));
  QVERIFY(bytes.contains("device:CPU:0"));
  TF_SessionRun(g.session(), options, nullptr, nullptr, 0, &sum, &out, 1, nullptr, 0, metadata,
                g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Passing non-empty run_metadata is invalid."));
  TF_DeleteBuffer(metadata);
  TF_DeleteBuffer(options);
}

void TstCApi::partialRun_comesInPieces() {
  CGraph g;
  const TF_Output a = g.Placeholder("a", TF_INT32);
  const TF_Output b = g.Placeholder("b", TF_INT32);
  const TF_Output twice = g.Add("AddV2", "twice", {a, a});
  const TF_Output all = g.Add("AddV2", "all", {twice, b});
  const TF_Output feeds[] = {a, b};
  const TF_Output fetches[] = {twice, all};
  TF_Session* session = TF_NewSession(g, nullptr, g.status());
  const char* handle = nullptr;
  TF_SessionPRunSetup(session, feeds, 2, fetches, 2, nullptr, 0, &handle, g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  TF_Tensor* value = CGraph::Scalar(3, TF_INT32);
  TF_Tensor* out = nullptr;
  TF_SessionPRun(session, handle, &a, &value, 1, &twice, &out, 1, nullptr, 0, g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(CGraph::Take<int32_t>(out), 6);
  TF_SessionPRun(session, handle, &b, &value, 1, &all, &out, 1, nullptr, 0, g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  QCOMPARE(CGraph::Take<int32_t>(out), 9);
  TF_SessionPRun(session, "no such handle", &b, &value, 1, &all, &out, 1, nullptr, 0, g.status());
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  QVERIFY(out == nullptr);
  TF_DeletePRunHandle(handle);
  TF_DeleteTensor(value);
  TF_CloseSession(session, g.status());
  TF_DeleteSession(session, g.status());
}

void TstCApi::run_failsWithTensorFlowsErrors() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output sum = g.Add("AddV2", "sum", {a, a});
  QVERIFY(g.Run({}, {}, sum) == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  QVERIFY(g.status().message().startsWith(
      QStringLiteral("You must feed a value for placeholder tensor 'a' with dtype float")));
  TF_Tensor* wrong = CGraph::Scalar(1, TF_INT32);
  QVERIFY(g.Run({a}, {wrong}, sum) == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_DeleteTensor(wrong);
  CStatus s;
  TF_SessionRun(g.session(), nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr,
                s);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  TF_Buffer* bad = TF_NewBufferFromString("\xff\xff", 2);
  TF_SessionRun(g.session(), bad, nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, s);
  QCOMPARE(s.message(), QStringLiteral("Unparseable RunOptions proto"));
  TF_DeleteBuffer(bad);
}

void TstCApi::finish_tellsWhatIsWrong() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output i = g.Placeholder("i", TF_INT32);
  QVERIFY(g.Add("AddV2", "bad", {a, i}).oper == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  QVERIFY(g.status().message().startsWith(
      QStringLiteral("Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while building "
                     "NodeDef 'bad' using Op<name=AddV2;")));
  QVERIFY(g.Add("AddV2", "few", {a}).oper == nullptr);
  QVERIFY(g.status().message().startsWith(
      QStringLiteral("1 inputs specified of 2 inputs in Op while building NodeDef 'few'")));
  QVERIFY(g.Add("AddV2", "many", {a, a, a}).oper == nullptr);
  QVERIFY(
      g.status().message().startsWith(QStringLiteral("More Input() calls than the 2 input_args")));
  QVERIFY(g.Add("NoSuchOp", "x", {}).oper == nullptr);
  QVERIFY(g.status().message().startsWith(QStringLiteral("Op type not registered 'NoSuchOp'")));
  QVERIFY(g.Add("Identity", "a", {a}).oper == nullptr);
  QCOMPARE(g.status().message(), QStringLiteral("Duplicate node name in graph: 'a'"));
  QVERIFY(g.Add("Identity", "port", {{a.oper, 3}}).oper == nullptr);
  QVERIFY(g.status().message().startsWith(
      QStringLiteral("Attempt to add output 3 of a not in range [0, 1)")));
  QVERIFY(g.Add("Identity", "null", {{nullptr, 0}}).oper == nullptr);
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  // What was refused is not there.
  QVERIFY(TF_GraphOperationByName(g, "bad") == nullptr);
  QVERIFY(g.Add("AddV2", "bad", {a, a}).oper != nullptr);
}

void TstCApi::finish_infersAttributesFromInputs() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output axis = g.Constant("axis", 0, TF_INT32);
  TF_OperationDescription* desc = TF_NewOperation(g, "ConcatV2", "cat");
  const TF_Output parts[] = {a, a, a};
  TF_AddInputList(desc, parts, 3);
  TF_AddInput(desc, axis);
  TF_SetDevice(desc, "/cpu:0");
  TF_AddControlInput(desc, axis.oper);
  TF_ColocateWith(desc, a.oper);
  TF_Operation* cat = TF_FinishOperation(desc, g.status());
  QVERIFY2(g.status().ok(), qPrintable(g.status().message()));
  int64_t n = 0;
  TF_OperationGetAttrInt(cat, "N", &n, g.status());
  QCOMPARE(n, int64_t{3});
  TF_DataType type = TF_INT32;
  TF_OperationGetAttrType(cat, "T", &type, g.status());
  QCOMPARE(type, TF_FLOAT);
  QCOMPARE(TF_OperationInputListLength(cat, "values", g.status()), 3);
  QCOMPARE(TF_OperationInputListLength(cat, "nothing", g.status()), -1);
  QCOMPARE(g.status().message(), QStringLiteral("Input arg 'nothing' not found"));
  QCOMPARE(QByteArray(TF_OperationDevice(cat)), QByteArray("/cpu:0"));
  const TF_AttrMetadata data = TF_OperationGetAttrMetadata(cat, "_class", g.status());
  QCOMPARE(int{data.is_list}, 1);
  QCOMPARE(data.list_size, int64_t{1});
  QCOMPARE(data.total_size, int64_t{6});  // "loc:@a"
}

void TstCApi::shapes_areInferredAndSet() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output neg = g.Add("Neg", "neg", {a});
  QCOMPARE(TF_GraphGetTensorNumDims(g, neg, g.status()), -1);
  const int64_t dims[] = {2, -1};
  TF_GraphSetTensorShape(g, a, dims, 2, g.status());
  QVERIFY(g.status().ok());
  const TF_Output later = g.Add("Neg", "later", {a});
  QCOMPARE(TF_GraphGetTensorNumDims(g, later, g.status()), 2);
  int64_t got[2] = {};
  TF_GraphGetTensorShape(g, later, got, 2, g.status());
  QVERIFY(g.status().ok());
  QCOMPARE(got[0], int64_t{2});
  QCOMPARE(got[1], int64_t{-1});
  TF_GraphGetTensorShape(g, later, got, 1, g.status());
  QCOMPARE(g.status().message(), QStringLiteral("Expected rank is 1 but actual rank is 2"));
  const int64_t other[] = {3, 3};
  TF_GraphSetTensorShape(g, a, other, 2, g.status());
  QCOMPARE(g.status().code(), TF_INVALID_ARGUMENT);
  TF_GraphGetTensorNumDims(g, {a.oper, 1}, g.status());
  QVERIFY(!g.status().ok());
}

void TstCApi::operations_canBeLookedAt() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output sum = g.Add("AddV2", "sum", {a, a});
  QCOMPARE(TF_OperationNumInputs(sum.oper), 2);
  QCOMPARE(TF_OperationNumOutputs(sum.oper), 1);
  QCOMPARE(TF_OperationOutputType(sum), TF_FLOAT);
  QCOMPARE(TF_OperationInputType({sum.oper, 1}), TF_FLOAT);
  QVERIFY(TF_OperationInput({sum.oper, 1}).oper == a.oper);
  QCOMPARE(TF_OperationOutputNumConsumers(a), 2);
  TF_Input consumers[2];
  QCOMPARE(TF_OperationOutputConsumers(a, consumers, 2), 2);
  QVERIFY(consumers[0].oper == sum.oper);
  size_t pos = 0;
  QVERIFY(TF_GraphNextOperation(g, &pos) == a.oper);
  QVERIFY(TF_GraphNextOperation(g, &pos) == sum.oper);
  QVERIFY(TF_GraphNextOperation(g, &pos) == nullptr);
  TF_OperationDescription* desc = TF_NewOperation(g, "NoOp", "all");
  TF_AddControlInput(desc, sum.oper);
  TF_Operation* all = TF_FinishOperation(desc, g.status());
  QCOMPARE(TF_OperationNumControlInputs(all), 1);
  QCOMPARE(TF_OperationNumControlOutputs(sum.oper), 1);
  TF_Operation* other = nullptr;
  QCOMPARE(TF_OperationGetControlInputs(all, &other, 1), 1);
  QVERIFY(other == sum.oper);
}

void TstCApi::constant_isEvaluated() {
  CGraph g;
  const TF_Output two = g.Constant("two", 2.0F, TF_FLOAT);
  const TF_Output four = g.Add("Mul", "four", {two, two});
  TF_Tensor* value = nullptr;
  QCOMPARE(int{TF_TryEvaluateConstant(g, four, &value, g.status())}, 1);
  QCOMPARE(CGraph::Take<float>(value), 4.0F);
  const TF_Output fed = g.Add("Mul", "fed", {two, g.Placeholder("a")});
  QCOMPARE(int{TF_TryEvaluateConstant(g, fed, &value, g.status())}, 0);
  QVERIFY(g.status().ok());
  QVERIFY(value == nullptr);
}

void TstCApi::devices_areListed() {
  CGraph g;
  const TF_Output one = g.Constant("one", 1, TF_INT32);
  QCOMPARE(CGraph::Take<int32_t>(g.Run({}, {}, one)), 1);
  TF_DeviceList* list = TF_SessionListDevices(g.session(), g.status());
  QVERIFY(TF_DeviceListCount(list) >= 1);
  QCOMPARE(QByteArray(TF_DeviceListName(list, 0, g.status())),
           QByteArray("/job:localhost/replica:0/task:0/device:CPU:0"));
  QCOMPARE(QByteArray(TF_DeviceListType(list, 0, g.status())), QByteArray("CPU"));
  QVERIFY(TF_DeviceListMemoryBytes(list, 0, g.status()) > 0);
  QVERIFY(TF_DeviceListName(list, 99, g.status()) == nullptr);
  QCOMPARE(g.status().message(), QStringLiteral("index out of bounds"));
  TF_DeleteDeviceList(list);
}

void TstCApi::sessions_outliveTheGraphsDeletion() {
  CStatus s;
  TF_Graph* graph = TF_NewGraph();
  TF_OperationDescription* desc = TF_NewOperation(graph, "NoOp", "n");
  const TF_Operation* op = TF_FinishOperation(desc, s);
  TF_Session* session = TF_NewSession(graph, nullptr, s);
  TF_DeleteGraph(graph);
  TF_SessionRun(session, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, &op, 1, nullptr, s);
  QVERIFY2(s.ok(), qPrintable(s.message()));
  TF_DeleteSession(session, s);
}

void TstCApi::closed_sessionsRefuse() {
  CGraph g;
  const TF_Output one = g.Constant("one", 1, TF_INT32);
  QCOMPARE(CGraph::Take<int32_t>(g.Run({}, {}, one)), 1);
  TF_CloseSession(g.session(), g.status());
  QVERIFY(g.status().ok());
  QVERIFY(g.Run({}, {}, one) == nullptr);
  QCOMPARE(g.status().code(), TF_CANCELLED);
}

void TstCApi::threads_runOneSession() {
  CGraph g;
  const TF_Output a = g.Placeholder("a", TF_INT32);
  const TF_Output twice = g.Add("AddV2", "twice", {a, a});
  TF_Tensor* first = CGraph::Scalar(1, TF_INT32);
  TF_DeleteTensor(g.Run({a}, {first}, twice));
  TF_DeleteTensor(first);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      CStatus s;
      for (int i = 0; i < 200; ++i) {
        TF_Tensor* fed = CGraph::Scalar(t * 1000 + i, TF_INT32);
        TF_Tensor* out = nullptr;
        TF_SessionRun(g.session(), nullptr, &a, &fed, 1, &twice, &out, 1, nullptr, 0, nullptr, s);
        if (CGraph::Take<int32_t>(out) != 2 * (t * 1000 + i)) ++wrong;
        TF_DeleteTensor(fed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(wrong.load(), 0);
}

void TstCApi::nullArguments_doNotCrash() {
  CStatus s;
  QVERIFY(TF_GraphOperationByName(nullptr, "a") == nullptr);
  CGraph g;
  QVERIFY(TF_GraphOperationByName(g, nullptr) == nullptr);
  TF_DeleteTensor(nullptr);
  TF_DeleteBuffer(nullptr);
  TF_DeleteGraph(nullptr);
  TF_DeleteSession(nullptr, s);
  QVERIFY(TF_NewSession(nullptr, nullptr, s) == nullptr);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  TF_OperationDescription* desc = TF_NewOperation(g, nullptr, nullptr);
  QVERIFY(TF_FinishOperation(desc, s) == nullptr);
  QVERIFY(!s.ok());
  TF_GraphImportGraphDef(g, nullptr, nullptr, s);
  QCOMPARE(s.code(), TF_INVALID_ARGUMENT);
  // Nobody needs to listen.
  QVERIFY(TF_NewSession(nullptr, nullptr, nullptr) == nullptr);
}

QTEST_GUILESS_MAIN(TstCApi)
#include "tst_c_api.moc"
