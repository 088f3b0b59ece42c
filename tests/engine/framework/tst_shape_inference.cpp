// InferenceContext by itself: conditions and parts of shapes, values of inputs, the text of errors.

#include "engine/framework/shape_inference.h"

#include <QTest>

namespace opscope {
namespace {

using Context = InferenceContext;

ShapeHandle Shape(std::vector<int64_t> dims) { return ShapeHandle(std::move(dims)); }
QString Text(const ShapeHandle& shape) { return QString::fromStdString(shape.DebugString()); }
QString Text(const Status& status) { return QString::fromStdString(status.message()); }

// Input 0 is a vector of sizes.
class Sizes final : public InputValues {
 public:
  explicit Sizes(std::vector<int64_t> sizes) : sizes_(std::move(sizes)), tensor_(Tensor::Vector<int64_t>(sizes_)) {}
  const Tensor* Value(int) override {
    ++asked;
    return &tensor_;
  }
  StatusOr<ShapeHandle> AsShape(int) override {
    ++asked;
    return ShapeFromValues(sizes_);
  }
  int asked = 0;

 private:
  std::vector<int64_t> sizes_;
  Tensor tensor_;
};

}  // namespace

class TstShapeInference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void conditions();
  void merge();
  void subshape();
  void arithmetic();
  void tooManyDims_areUnknown();
  void values_areAskedForLazily();
  void values_badSizes();
  void errors_haveContext();
};

void TstShapeInference::conditions() {
  ShapeHandle out;
  QVERIFY(Context::WithRank(ShapeHandle(), 2, &out).ok());
  QCOMPARE(Text(out), QStringLiteral("[?,?]"));
  QCOMPARE(Text(Context::WithRank(Shape({1}), 2, &out)), QStringLiteral("Shape must be rank 2 but is rank 1"));
  QCOMPARE(Text(Context::WithRankAtLeast(Shape({1}), 2, &out)), QStringLiteral("Shape must be at least rank 2 but is rank 1"));
  QCOMPARE(Text(Context::WithRankAtMost(Shape({1, 2}), 1, &out)), QStringLiteral("Shape must be at most rank 1 but is rank 2"));
  QCOMPARE(Text(out), QStringLiteral("?"));
  DimensionHandle d;
  QVERIFY(Context::WithValue({}, 3, &d).ok());
  QCOMPARE(d.value(), 3);
  QCOMPARE(Text(Context::WithValue(4, 3, &d)), QStringLiteral("Dimension must be 3 but is 4"));
}

void TstShapeInference::merge() {
  ShapeHandle out = Shape({2, -1});
  QVERIFY(Context::Merge(out, Shape({-1, 3}), &out).ok());  // also into an operand
  QCOMPARE(Text(out), QStringLiteral("[2,3]"));
  QCOMPARE(Text(Context::Merge(out, Shape({2, 4}), &out)),
           QStringLiteral("Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [2,3] and [2,4]."));
  QCOMPARE(Text(Context::Merge(Shape({2}), Shape({2, 4}), &out)), QStringLiteral("Shapes must be equal rank, but are 1 and 2"));
  ShapeHandle prefix;
  QVERIFY(Context::MergePrefix(Shape({-1, 5, 6}), Shape({4, -1}), &out, &prefix).ok());
  QCOMPARE(Text(out), QStringLiteral("[4,5,6]"));
  QCOMPARE(Text(prefix), QStringLiteral("[4,5]"));
  QCOMPARE(Text(Context::Union(Shape({2, 3}), Shape({3, 3}))), QStringLiteral("[?,3]"));
  QCOMPARE(Text(Context::Union(Shape({2, 3}), Shape({3}))), QStringLiteral("?"));
}

void TstShapeInference::subshape() {
  ShapeHandle out;
  QVERIFY(Context::Subshape(Shape({1, 2, 3, 4}), -3, -1, &out).ok());
  QCOMPARE(Text(out), QStringLiteral("[2,3]"));
  QVERIFY(Context::Subshape(Shape({1, 2, 3, 4}), 1, &out).ok());
  QCOMPARE(Text(out), QStringLiteral("[2,3,4]"));
  QVERIFY(!Context::Subshape(Shape({1, 2}), -3, &out).ok());
  QVERIFY(Context::Concatenate(Shape({1, -1}), Shape({3}), &out).ok());
  QCOMPARE(Text(out), QStringLiteral("[1,?,3]"));
  QCOMPARE(Text(Context::ReplaceDim(out, 3, 7, &out)), QStringLiteral("Out of range dim_index 3 for shape with 3 dimensions"));
}

void TstShapeInference::arithmetic() {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  DimensionHandle d;
  QCOMPARE(Text(Context::Subtract(2, 3, &d)), QStringLiteral("Negative dimension size caused by subtracting 3 from 2"));
  QVERIFY(!Context::Add(kLargest, 1, &d).ok());
  QVERIFY(!Context::Multiply(kLargest, 2, &d).ok());
  QVERIFY(Context::Multiply({}, 0, &d).ok());
  QCOMPARE(d.value(), 0);
  QVERIFY(Context::Multiply({}, 5, &d).ok());
  QVERIFY(!d.known());
  QCOMPARE(Text(Context::Divide(5, 2, true, &d)), QStringLiteral("Dimension size must be evenly divisible by 2 but is 5"));
  QVERIFY(Context::Divide(5, 2, false, &d).ok());
  QCOMPARE(d.value(), 2);
  QVERIFY(!Context::NumElements(Shape({kLargest, 3})).known());
  QCOMPARE(Context::NumElements(Shape({-1, 0})).value(), 0);
}

void TstShapeInference::tooManyDims_areUnknown() {
  ShapeHandle shape = Shape(std::vector<int64_t>(254, 1));
  QCOMPARE(shape.rank(), 254);
  QVERIFY(Context::Concatenate(shape, Shape({1}), &shape).ok());
  QVERIFY(!shape.rank_known());
}

void TstShapeInference::values_areAskedForLazily() {
  const NodeDef node;
  const OpDef op;
  Sizes values({2, -1});
  Context context(node, op, {Shape({2})}, 1, &values);
  int rounds = 0;
  QVERIFY(context.Run([&](Context* c) {
    ShapeHandle shape;
    OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
    c->set_output(0, shape);
    ++rounds;
    return Status::OK();
  }).ok());
  QCOMPARE(rounds, 2);
  QCOMPARE(values.asked, 1);
  QCOMPARE(Text(context.output(0)), QStringLiteral("[2,?]"));
  Context unasked(node, op, {Shape({2})}, 1, &values);
  QVERIFY(unasked.Run([](Context*) { return Status::OK(); }).ok());
  QCOMPARE(values.asked, 1);
}

void TstShapeInference::values_badSizes() {
  const NodeDef node;
  const OpDef op;
  Sizes values({2, -2});
  Context context(node, op, {Shape({2})}, 1, &values);
  ShapeHandle shape;
  const Status status = context.Run([&](Context* c) { return c->MakeShapeFromShapeTensor(0, &shape); });
  QCOMPARE(Text(status), QStringLiteral("Invalid value in tensor used for shape: -2"));
}

void TstShapeInference::errors_haveContext() {
  NodeDef node;
  node.set_name("n");
  node.set_op("Own");
  node.add_input("a");
  OpDef op;
  op.set_name("Own");
  Sizes values({7, 8});
  Context context(node, op, {Shape({2}), ShapeHandle()}, 1, &values);
  const Status status = context.Run([](Context* c) {
    return c->input_tensor(0) ? errors::InvalidArgument("No good") : Status::OK();
  });
  QCOMPARE(Text(status), QStringLiteral("No good for '{{node n}} = Own[](a)' with input shapes: [2], ? and with computed input "
                                        "tensors: input[0] = <7 8>."));
  QCOMPARE(status.nodes(), std::vector<std::string>{"n"});
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstShapeInference)
#include "tst_shape_inference.moc"
