#include <array>
#include <cmath>

#include <QtTest>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/framework/tensor.h"

using namespace opscope;

class TstTensor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void dtype_namesRoundTrip();
  void shape_overflowIsAnError();
  void shape_partial();
  void proto_shortListRepeatsLast();
  void proto_hostileShapesAllocateNothing();
  void proto_contentOfWrongSize();
  void proto_roundTripsEveryType_data();
  void proto_roundTripsEveryType();
  void text_isExact();
  void limit_isResourceExhausted();
  void attrs_typedAccess();
  void summaries_readAsTensorFlows();
};

void TstTensor::dtype_namesRoundTrip() {
  for (int i = DataType_MIN; i <= DataType_MAX; ++i) {
    if (!IsKnownType(i)) continue;
    const auto dtype = static_cast<DataType>(i);
    if (NumpyName(dtype).starts_with("unknown")) continue;  // types newer than ours
    QVERIFY2(*ParseDataType(NumpyName(dtype)) == dtype, NumpyName(dtype).c_str());
    QVERIFY(*ParseDataType(DataTypeString(dtype)) == dtype);
    QVERIFY(*ParseDataType(DataType_Name(dtype)) == dtype);
  }
  QCOMPARE(NumpyName(DT_FLOAT_REF), std::string("float32_ref"));
  QVERIFY(!ParseDataType("float31").ok());
  QCOMPARE(DataTypeSize(DT_COMPLEX128), size_t{16});
}

void TstTensor::shape_overflowIsAnError() {
  const std::array<int64_t, 2> huge = {1'000'000'000'000, 1'000'000'000'000};
  QCOMPARE(TensorShape::Make(huge).status().ToString(),
           std::string("INVALID_ARGUMENT: Shape [1000000000000,1000000000000] would have more than 2**63 - 1 elements"));
  const std::array<int64_t, 2> negative = {2, -1};
  QCOMPARE(TensorShape::Make(negative).status().message(), std::string("Dimension -1 must be >= 0"));
  TensorShape shape({2, 3});
  QVERIFY(!shape.SetDim(0, int64_t{1} << 62).ok());
  QCOMPARE(shape.DebugString(), std::string("[2,3]"));
}

void TstTensor::shape_partial() {
  const PartialTensorShape any;
  const PartialTensorShape rows(std::vector<int64_t>{-1, 3});
  QVERIFY(any.IsCompatibleWith(TensorShape({4, 5})));
  QVERIFY(rows.IsCompatibleWith(TensorShape({7, 3})));
  QVERIFY(!rows.IsCompatibleWith(TensorShape({7, 4})));
  QVERIFY(!rows.IsCompatibleWith(TensorShape({3})));
  QCOMPARE(rows.DebugString(), std::string("[?,3]"));
  QCOMPARE(any.DebugString(), std::string("<unknown>"));
}

void TstTensor::proto_shortListRepeatsLast() {
  TensorProto proto;
  proto.set_dtype(DT_INT32);
  proto.mutable_tensor_shape()->add_dim()->set_size(5);
  for (const int v : {0, 1, 2}) proto.add_int_val(v);
  const auto tensor = Tensor::FromProto(proto);
  const std::array<int32_t, 5> want = {0, 1, 2, 2, 2};
  QVERIFY(std::equal(want.begin(), want.end(), tensor->flat<int32_t>().begin()));
  proto.clear_int_val();
  QCOMPARE(Tensor::FromProto(proto)->flat<int32_t>()[4], 0);
  for (int v = 10; v < 20; ++v) proto.add_int_val(v);
  QCOMPARE(Tensor::FromProto(proto)->flat<int32_t>()[4], 14);
}

void TstTensor::proto_hostileShapesAllocateNothing() {
  TensorProto proto;
  proto.set_dtype(DT_FLOAT);
  proto.mutable_tensor_shape()->add_dim()->set_size(int64_t{1} << 40);
  proto.add_float_val(1);
  QVERIFY(Tensor::FromProto(proto).status().code() == Code::kResourceExhausted);
  proto.mutable_tensor_shape()->add_dim()->set_size(int64_t{1} << 40);
  QVERIFY(Tensor::FromProto(proto).status().code() == Code::kInvalidArgument);
  proto.clear_tensor_shape();
  proto.set_dtype(static_cast<DataType>(77));
  QVERIFY(Tensor::FromProto(proto).status().code() == Code::kInvalidArgument);
}

void TstTensor::proto_contentOfWrongSize() {
  TensorProto proto;
  proto.set_dtype(DT_FLOAT);
  proto.mutable_tensor_shape()->add_dim()->set_size(2);
  for (const size_t bytes : {4u, 12u}) {
    proto.set_tensor_content(std::string(bytes, '\0'));
    QVERIFY(Tensor::FromProto(proto).status().code() == Code::kInvalidArgument);
  }
  proto.set_tensor_content(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  QCOMPARE(Tensor::FromProto(proto)->flat<float>()[1], 2.0f);
}

void TstTensor::proto_roundTripsEveryType_data() {
  QTest::addColumn<int>("dtype");
  for (const DataType t : {DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_UINT32,
                           DT_UINT64, DT_BOOL, DT_HALF, DT_BFLOAT16, DT_COMPLEX64, DT_COMPLEX128}) {
    QTest::newRow(NumpyName(t).c_str()) << static_cast<int>(t);
  }
}

void TstTensor::proto_roundTripsEveryType() {
  QFETCH(int, dtype);
  Tensor tensor(static_cast<DataType>(dtype), TensorShape({2, 2}));
  auto* bytes = static_cast<uint8_t*>(tensor.raw_data());
  for (size_t i = 0; i < tensor.tensor_data().size(); ++i) bytes[i] = dtype == DT_BOOL ? i % 2 : static_cast<uint8_t>(i);
  TensorProto fields;
  TensorProto content;
  tensor.AsProtoField(&fields);
  tensor.AsProtoTensorContent(&content);
  for (const TensorProto& proto : {fields, content}) {
    const auto back = Tensor::FromProto(proto);
    QVERIFY(back.ok());
    QCOMPARE(back->tensor_data(), tensor.tensor_data());
    QVERIFY(back->shape() == tensor.shape());
  }
}

void TstTensor::text_isExact() {
  QCOMPARE(Tensor::Scalar<int64_t>(9007199254740993).ElementText(0), std::string("9007199254740993"));
  QCOMPARE(Tensor::Scalar(3.75f).ElementText(0), std::string("3.75"));
  QCOMPARE(Tensor::Scalar(0.1f).ElementText(0), std::string("0.1"));
  QCOMPARE(Tensor::Scalar(-0.0).ElementText(0), std::string("-0"));
  QCOMPARE(Tensor::Scalar(std::nan("")).ElementText(0), std::string("nan"));
  QCOMPARE(Tensor::Scalar(-INFINITY).ElementText(0), std::string("-inf"));
  QCOMPARE(Tensor::Scalar(true).ElementText(0), std::string("true"));
  TensorProto half;
  half.set_dtype(DT_HALF);
  half.add_half_val(0x2E66);  // the half nearest to 0.1
  QCOMPARE(Tensor::FromProto(half)->ElementText(0), std::string("0.099975586"));
  half.set_dtype(DT_BFLOAT16);
  half.set_half_val(0, 0x3DCD);
  QCOMPARE(Tensor::FromProto(half)->ElementText(0), std::string("0.100097656"));
}

void TstTensor::limit_isResourceExhausted() {
  const auto allocator = NewTrackingAllocator("cpu", cpu_allocator(), 1000);
  {
    const auto small = Tensor::Make(DT_FLOAT, TensorShape({100}), allocator.get(), "a");
    QVERIFY(small.ok());
    QCOMPARE(allocator->GetStats()->bytes_in_use, int64_t{400});
    QCOMPARE(allocator->Snapshot().front().node, std::string("a"));
    const auto large = Tensor::Make(DT_FLOAT, TensorShape({151}), allocator.get());
    QCOMPARE(large.status().ToString(),
             std::string("RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[151] and type float by allocator cpu\n\t "
                         "requested 604B (604 bytes), free 600B, largest free 600B, in use 400B (400 bytes), limit 1000B (1000 "
                         "bytes). The memory is used up.\n\t In use by:\n\t a 400B"));
    QVERIFY(Tensor::Make(DT_FLOAT, TensorShape({150}), allocator.get()).ok());
  }
  QCOMPARE(allocator->GetStats()->bytes_in_use, int64_t{0});
  QCOMPARE(allocator->GetStats()->peak_bytes_in_use, int64_t{1000});
  QVERIFY(Tensor::Make(DT_DOUBLE, TensorShape({1'000'000, 10'000'000})).status().code() == Code::kResourceExhausted);
}

void TstTensor::attrs_typedAccess() {
  NodeDef node;
  node.set_name("n");
  AddNodeAttr("T", DT_FLOAT, &node);
  AddNodeAttr("N", int64_t{1} << 40, &node);
  DataType dtype = DT_INVALID;
  QVERIFY(GetNodeAttr(node, "T", &dtype).ok());
  QVERIFY(dtype == DT_FLOAT);
  int32_t narrow = 0;
  QVERIFY(GetNodeAttr(node, "N", &narrow).code() == Code::kInvalidArgument);
  bool flag = false;
  QVERIFY(GetNodeAttr(node, "T", &flag).message().starts_with("AttrValue had value with type 'type' when 'bool' expected"));
  QVERIFY(GetNodeAttr(node, "no", &flag).code() == Code::kNotFound);
}

void TstTensor::summaries_readAsTensorFlows() {
  NodeDef node;
  node.set_name("AddV2");
  node.set_op("AddV2");
  node.add_input("Placeholder");
  node.add_input("Placeholder_1");
  AddNodeAttr("T", DT_FLOAT, &node);
  QCOMPARE(SummarizeNodeDef(node), std::string("{{node AddV2}} = AddV2[T=DT_FLOAT](Placeholder, Placeholder_1)"));
  OpDef op;
  op.set_name("Neg");
  auto* in = op.add_input_arg();
  in->set_name("x");
  in->set_type_attr("T");
  auto* out = op.add_output_arg();
  out->set_name("y");
  out->set_type_attr("T");
  auto* attr = op.add_attr();
  attr->set_name("T");
  attr->set_type("type");
  QCOMPARE(SummarizeOpDef(op), std::string("Op<name=Neg; signature=x:T -> y:T; attr=T:type>"));
  NodeDef neg;
  neg.set_name("y");
  neg.set_op("Neg");
  neg.add_input("x");
  QVERIFY(ValidateNodeDef(neg, op).message().starts_with("NodeDef missing attr 'T' from Op<name=Neg"));
}

QTEST_APPLESS_MAIN(TstTensor)
#include "tst_tensor.moc"
