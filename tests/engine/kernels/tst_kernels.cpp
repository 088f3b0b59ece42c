// What the golden cases don't tell: what is registered, buffers taken over, sizes that can't be, and
// attributes that make no sense.

#include <QTest>

#include <array>

#include "tests/engine/kernels/kernel_runner.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

Tensor Floats(const TensorShape& shape, float value) {
  Tensor t(DT_FLOAT, shape);
  for (float& v : t.flat<float>()) v = value;
  return t;
}

Tensor Ints(std::initializer_list<int64_t> values) {
  return Tensor::Vector<int64_t>(std::vector<int64_t>(values));
}

void SetList(NodeDef* node, const char* name, std::initializer_list<int64_t> values) {
  auto* list = (*node->mutable_attr())[name].mutable_list();
  for (const int64_t v : values) list->add_i(v);
}

NodeDef FillNode() {
  NodeDef node = MakeNode("Fill", 2);
  AddNodeAttr("T", DT_FLOAT, &node);
  AddNodeAttr("index_type", DT_INT64, &node);
  return node;
}

NodeDef ConvNode(std::initializer_list<int64_t> strides, const char* padding) {
  NodeDef node = MakeNode("Conv2D", 2);
  AddNodeAttr("T", DT_FLOAT, &node);
  AddNodeAttr("padding", padding, &node);
  SetList(&node, "strides", strides);
  return node;
}

NodeDef PoolNode(std::initializer_list<int64_t> ksize, std::initializer_list<int64_t> strides) {
  NodeDef node = MakeNode("MaxPool", 1);
  AddNodeAttr("T", DT_FLOAT, &node);
  AddNodeAttr("padding", "SAME", &node);
  SetList(&node, "ksize", ksize);
  SetList(&node, "strides", strides);
  return node;
}

// Runs `node` once with inputs that it may take over; answers the output.
Tensor RunMoved(const NodeDef& node, std::vector<TensorValue> inputs, Status* status) {
  TestDevice device;
  auto kernel = CreateKernel(node, &device);
  *status = kernel.status();
  if (!kernel.ok()) return Tensor();
  std::vector<OutputValue> outputs(static_cast<size_t>((*kernel)->num_outputs()));
  OpKernelContext::Params params;
  params.kernel = kernel->get();
  params.device = &device;
  params.inputs.values = inputs.data();
  params.outputs.values = outputs.data();
  OpKernelContext context(&params);
  (*kernel)->Compute(&context);
  *status = context.status();
  return outputs[0].tensor;
}

std::vector<TensorValue> Values(std::vector<Tensor> tensors) {
  std::vector<TensorValue> values(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) values[i].tensor = std::move(tensors[i]);
  return values;
}

}  // namespace

class TstKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void opsOfFirstLightAreRegistered();
  void addTakesOverABuffer();
  void addKeepsASharedBuffer();
  void broadcastOperandIsNotTakenOver();
  void fillOfTooManyElements();
  void fillThatExceedsTheMachine();
  void placeholderAsksForAValue();
  void assignAddLeavesReadersAlone();
  void assignChecksTheDeclaredShape();
  void smallestIntegerDividedByMinusOne();
  void senselessAttributes_data();
  void senselessAttributes();
  void windowFarLargerThanTheImage();
  void castOfWhatIsOutOfRange();
};

void TstKernels::opsOfFirstLightAreRegistered() {
  for (const char* op :
       {"Const",        "Placeholder",  "Add",          "Identity",         "Mul",
        "NoOp",         "VariableV2",   "Assign",       "PlaceholderWithDefault",
        "Conv2D",       "BiasAdd",      "MatMul",       "Relu",             "Variable",
        "Sigmoid",      "ReadVariableOp", "AssignVariableOp", "VarHandleOp", "AddV2",
        "Reshape",      "Softmax",      "MaxPool",      "Neg",              "ConcatV2",
        "Sub",          "Mean",         "StridedSlice", "DepthwiseConv2dNative",
        "Rsqrt",        "Pad",          "AvgPool",      "Sum",              "Square",
        "Squeeze",      "Relu6",        "Shape",        "Pack",             "Cast",
        "AddN",         "Less",         "FusedBatchNormV3", "Conv2DBackpropInput",
        "GatherV2",     "Transpose",    "Prod",         "Range",            "Rank",
        "RandomUniform", "Floor",       "RealDiv",      "Fill",             "ExpandDims",
        "Tanh",         "Split",        "Unpack",       "Gather",           "Div",
        "AssignAdd",    "Exp",          "Sqrt",         "Maximum",          "Equal",
        "Greater"}) {
    QVERIFY2(!KernelRegistry::Global().ForOp(op).empty(), op);
  }
  QVERIFY(KernelRegistry::Global().size() >= 200);
}

void TstKernels::addTakesOverABuffer() {
  const NodeDef node = With(MakeNode("AddV2", 2), "T", DT_FLOAT);
  std::vector<TensorValue> inputs = Values({Floats({3}, 1), Floats({3}, 2)});
  const void* memory = inputs[0].tensor.raw_data();
  Status status;
  const Tensor sum = RunMoved(node, std::move(inputs), &status);
  QVERIFY(status.ok());
  QCOMPARE(sum.flat<float>()[2], 3.0F);
  QCOMPARE(sum.raw_data(), memory);
}

void TstKernels::addKeepsASharedBuffer() {
  const NodeDef node = With(MakeNode("AddV2", 2), "T", DT_FLOAT);
  const Tensor x = Floats({3}, 1);
  const Tensor y = Floats({3}, 2);
  Status status;
  const Tensor sum = RunMoved(node, Values({x, y}), &status);
  QVERIFY(status.ok());
  QCOMPARE(sum.flat<float>()[0], 3.0F);
  QCOMPARE(x.flat<float>()[0], 1.0F);
  QCOMPARE(y.flat<float>()[0], 2.0F);
}

void TstKernels::broadcastOperandIsNotTakenOver() {
  const NodeDef node = With(MakeNode("Sub", 2), "T", DT_FLOAT);
  Status status;
  const Tensor d = RunMoved(node, Values({Floats({1, 3}, 5), Floats({2, 1}, 2)}), &status);
  QVERIFY(status.ok());
  QCOMPARE(d.shape(), TensorShape({2, 3}));
  for (const float v : d.flat<float>()) QCOMPARE(v, 3.0F);
}

void TstKernels::fillOfTooManyElements() {
  KernelCall call;
  call.node = FillNode();
  call.inputs = {Ints({1000000000000, 1000000000000}), Tensor::Scalar(0.0F)};
  const Status status = RunKernel(call).status;
  QCOMPARE(status.code(), Code::kInvalidArgument);
  QCOMPARE(status.message(),
           std::string("Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements"));
}

void TstKernels::fillThatExceedsTheMachine() {
  KernelCall call;
  call.node = FillNode();
  call.inputs = {Ints({1000000, 10000000}), Tensor::Scalar(0.0F)};
  const Status status = RunKernel(call).status;
  QCOMPARE(status.code(), Code::kResourceExhausted);
  QVERIFY(status.message().find("[1000000,10000000] and type float") != std::string::npos);
}

void TstKernels::placeholderAsksForAValue() {
  KernelCall call;
  call.node = With(MakeNode("Placeholder", 0), "dtype", DT_FLOAT);
  call.node.set_name("x");
  QCOMPARE(RunKernel(call).status.message(),
           std::string("You must feed a value for placeholder tensor 'x' with dtype float"));
  AddNodeAttr("shape", PartialTensorShape(std::vector<int64_t>{2, -1}), &call.node);
  QCOMPARE(RunKernel(call).status.message(),
           std::string("You must feed a value for placeholder tensor 'x' with dtype float and shape "
                       "[2,?]"));
}

void TstKernels::assignAddLeavesReadersAlone() {
  KernelCall call;
  call.node = With(MakeNode("AssignAdd", 2), "T", DT_FLOAT);
  call.inputs = {Floats({2}, 1), Floats({2}, 10)};
  call.ref_inputs = {0};
  call.runs = 2;
  const KernelAnswer answer = RunKernel(call);
  QVERIFY(answer.status.ok());
  QCOMPARE(answer.outputs[0][0].flat<float>()[0], 11.0F);  // still what the first run read
  QCOMPARE(answer.outputs[1][0].flat<float>()[0], 21.0F);
}

void TstKernels::assignChecksTheDeclaredShape() {
  KernelCall call;
  call.node = With(MakeNode("Assign", 2), "T", DT_FLOAT);
  call.inputs = {Floats({2}, 1), Floats({3}, 10)};
  call.ref_inputs = {0};
  const Status status = RunKernel(call).status;
  QCOMPARE(status.code(), Code::kInvalidArgument);
  QCOMPARE(status.message(), std::string("Assign requires shapes of both tensors to match. lhs "
                                         "shape= [2] rhs shape= [3]"));
}

void TstKernels::smallestIntegerDividedByMinusOne() {
  for (const char* op : {"Div", "FloorDiv", "TruncateDiv", "FloorMod", "TruncateMod"}) {
    KernelCall call;
    call.node = With(MakeNode(op, 2), "T", DT_INT32);
    call.inputs = {Tensor::Scalar<int32_t>(INT32_MIN), Tensor::Scalar<int32_t>(-1)};
    const KernelAnswer answer = RunKernel(call);
    QVERIFY2(answer.status.ok(), op);
    const bool is_mod = std::string_view(op).ends_with("Mod");
    QCOMPARE(answer.outputs[0][0].scalar<int32_t>(), is_mod ? 0 : INT32_MIN);
  }
}

void TstKernels::senselessAttributes_data() {
  QTest::addColumn<int>("which");
  const char* names[] = {"stride 0",        "negative stride",  "three strides", "huge strides",
                         "explicit without list", "pool of 0", "pool of three",  "huge dilation"};
  for (int i = 0; i < 8; ++i) QTest::newRow(names[i]) << i;
}

void TstKernels::senselessAttributes() {
  QFETCH(int, which);
  KernelCall call;
  call.inputs = {Floats({1, 4, 4, 1}, 1), Floats({2, 2, 1, 1}, 1)};
  switch (which) {
    case 0:
      call.node = ConvNode({1, 0, 1, 1}, "SAME");
      break;
    case 1:
      call.node = ConvNode({1, -1, 1, 1}, "SAME");
      break;
    case 2:
      call.node = ConvNode({1, 1, 1}, "VALID");
      break;
    case 3:
      call.node = ConvNode({1, int64_t{1} << 40, 1, 1}, "VALID");
      break;
    case 4:
      call.node = ConvNode({1, 1, 1, 1}, "EXPLICIT");
      break;
    case 5:
      call.node = PoolNode({1, 0, 2, 1}, {1, 1, 1, 1});
      break;
    case 6:
      call.node = PoolNode({1, 2, 2}, {1, 1, 1, 1});
      break;
    default:
      call.node = ConvNode({1, 1, 1, 1}, "VALID");
      SetList(&call.node, "dilations", {1, INT32_MAX, INT32_MAX, 1});
  }
  if (call.node.op() == "MaxPool") call.inputs.resize(1);
  const Status status = RunKernel(call).status;
  QCOMPARE(status.code(), Code::kInvalidArgument);
}

void TstKernels::windowFarLargerThanTheImage() {
  KernelCall call;
  call.node = PoolNode({1, INT32_MAX, INT32_MAX, 1}, {1, 1, 1, 1});
  call.inputs = {Floats({1, 2, 2, 1}, 7)};
  const KernelAnswer answer = RunKernel(call);
  QVERIFY2(answer.status.ok(), answer.status.ToString().c_str());
  QCOMPARE(answer.outputs[0][0].shape(), TensorShape({1, 2, 2, 1}));
  for (const float v : answer.outputs[0][0].flat<float>()) QCOMPARE(v, 7.0F);
}

void TstKernels::castOfWhatIsOutOfRange() {
  KernelCall call;
  call.node = With(With(MakeNode("Cast", 1), "SrcT", DT_FLOAT), "DstT", DT_INT32);
  call.inputs = {Tensor::Vector<float>(std::array{1e20F, -1e20F, std::nanf(""), 2.9F})};
  const KernelAnswer answer = RunKernel(call);
  QVERIFY(answer.status.ok());
  const auto out = answer.outputs[0][0].flat<int32_t>();
  QCOMPARE(out[0], INT32_MIN);
  QCOMPARE(out[1], INT32_MIN);
  QCOMPARE(out[2], INT32_MIN);
  QCOMPARE(out[3], 2);
}

QTEST_APPLESS_MAIN(TstKernels)
#include "tst_kernels.moc"
