// Which ops have shape functions, and cases that goldens don't hold.

#include "engine/graph/shape_refiner.h"

#include <QFile>
#include <QSet>
#include <QTest>

#include "engine/framework/attr_value_util.h"

namespace opscope {
namespace {

NodeDef MakeNode(const std::string& name, const std::string& op, const std::vector<std::string>& inputs) {
  NodeDef node;
  node.set_name(name);
  node.set_op(op);
  for (const std::string& input : inputs) node.add_input(input);
  return node;
}

NodeDef MakePlaceholder(const std::string& name, DataType dtype, const PartialTensorShape& shape) {
  NodeDef node = MakeNode(name, "Placeholder", {});
  AddNodeAttr("dtype", dtype, &node);
  AddNodeAttr("shape", shape, &node);
  return node;
}

PartialTensorShape Dims(std::vector<int64_t> dims) { return PartialTensorShape(std::move(dims)); }

}  // namespace

class TstShapeFunctions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void catalogue_hasShapeFunctions();
  void firstOps_haveShapeFunctions();
  void broadcast_data();
  void broadcast();
  void huge_isShownNotOverflown();
  void einsum_wrongEquations();
};

void TstShapeFunctions::catalogue_hasShapeFunctions() {
  QSet<QString> missing;
  for (const OpRegistrationData* op : OpRegistry::Global().All()) {
    if (!op->shape_function) missing.insert(QString::fromStdString(op->op_def.name()));
  }
  QCOMPARE(missing, QSet<QString>());
}

void TstShapeFunctions::firstOps_haveShapeFunctions() {
  for (const char* op : {"Const", "Placeholder", "Add", "Identity", "Mul", "NoOp", "VariableV2", "Assign", "Conv2D", "BiasAdd",
                         "MatMul", "Relu", "Reshape", "ConcatV2", "StridedSlice", "FusedBatchNormV3", "GatherV2", "Div",
                         "AssignAdd", "Exp", "Sqrt", "Maximum", "Equal", "Greater"}) {
    const OpRegistrationData* data = OpRegistry::Global().Find(op);
    QVERIFY2(data && data->shape_function, op);
  }
}

void TstShapeFunctions::broadcast_data() {
  QTest::addColumn<QString>("x");
  QTest::addColumn<QString>("y");
  QTest::addColumn<QString>("result");
  QTest::newRow("rows") << "2,1" << "1,3" << "[2,3]";
  QTest::newRow("longer right") << "3" << "4,2,3" << "[4,2,3]";
  QTest::newRow("scalar") << "" << "2" << "[2]";
  QTest::newRow("unknown and one") << "-1" << "1" << "[?]";
  QTest::newRow("unknown and five") << "-1" << "5" << "[5]";
  QTest::newRow("empty") << "0" << "1" << "[0]";
  QTest::newRow("misfit") << "2" << "3" << "INVALID_ARGUMENT";
}

void TstShapeFunctions::broadcast() {
  QFETCH(QString, x);
  QFETCH(QString, y);
  QFETCH(QString, result);
  const auto dims = [](const QString& text) {
    std::vector<int64_t> sizes;
    for (const QString& d : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) sizes.push_back(d.toLongLong());
    return PartialTensorShape(std::move(sizes));
  };
  GraphDef def;
  def.mutable_versions()->set_producer(2474);
  *def.add_node() = MakePlaceholder("x", DT_FLOAT, dims(x));
  *def.add_node() = MakePlaceholder("y", DT_FLOAT, dims(y));
  NodeDef add = MakeNode("add", "Add", {"x", "y"});
  AddNodeAttr("T", DT_FLOAT, &add);
  *def.add_node() = add;
  const Graph graph = Graph::FromGraphDef(def);
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const NodeId id = graph.Find("add");
  const QString got = refiner.status(id).ok()
                          ? QString::fromStdString(refiner.shape(id, 0).DebugString())
                          : QString::fromStdString(std::string(CodeName(refiner.status(id).code())));
  QCOMPARE(got, result);
}

// 10^12 x 10^12 zeros are drawn with their shape; only running them fails.
void TstShapeFunctions::huge_isShownNotOverflown() {
  GraphDef def;
  NodeDef dims = MakeNode("dims", "Const", {});
  AddNodeAttr("dtype", DT_INT64, &dims);
  const std::vector<int64_t> sizes = {1000000000000, 1000000000000};
  AddNodeAttr("value", Tensor::Vector<int64_t>(sizes), &dims);
  *def.add_node() = dims;
  NodeDef zero = MakeNode("zero", "Const", {});
  AddNodeAttr("dtype", DT_FLOAT, &zero);
  AddNodeAttr("value", Tensor::Scalar<float>(0), &zero);
  *def.add_node() = zero;
  NodeDef fill = MakeNode("fill", "Fill", {"dims", "zero"});
  AddNodeAttr("T", DT_FLOAT, &fill);
  AddNodeAttr("index_type", DT_INT64, &fill);
  *def.add_node() = fill;
  NodeDef size = MakeNode("size", "Size", {"fill"});
  AddNodeAttr("T", DT_FLOAT, &size);
  AddNodeAttr("out_type", DT_INT64, &size);
  *def.add_node() = size;
  const Graph graph = Graph::FromGraphDef(def);
  ShapeRefiner refiner;
  refiner.Refine(graph);
  QVERIFY(refiner.diagnostics().empty());
  QCOMPARE(refiner.shape(graph.Find("fill"), 0), Dims({1000000000000, 1000000000000}));
  QVERIFY(!refiner.constant(graph.Find("size"), 0).has_value());
}

void TstShapeFunctions::einsum_wrongEquations() {
  for (const char* equation : {"", "ij", "ij,jk->ik", "i1->i", "...i...->i", "->", "i->ii"}) {
    GraphDef def;
    *def.add_node() = MakePlaceholder("x", DT_FLOAT, Dims({2, 3}));
    NodeDef einsum = MakeNode("e", "Einsum", {"x"});
    AddNodeAttr("equation", equation, &einsum);
    AddNodeAttr("N", 1, &einsum);
    AddNodeAttr("T", DT_FLOAT, &einsum);
    *def.add_node() = einsum;
    const Graph graph = Graph::FromGraphDef(def);
    ShapeRefiner refiner;
    refiner.Refine(graph);
    QVERIFY2(!refiner.status(graph.Find("e")).ok(), equation);
    QCOMPARE(static_cast<int>(refiner.status(graph.Find("e")).code()), static_cast<int>(Code::kInvalidArgument));
  }
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstShapeFunctions)
#include "tst_shape_functions.moc"
