// Shapes against what kernels gave: whatever is inferred for a case of data/goldens/kernels.json must allow the result
// that TensorFlow computed, and a small value that is folded must be that result.

#include "engine/graph/shape_refiner.h"
#include "tests/engine/ops/golden_graph.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <cstring>

namespace opscope {
namespace {

QString BeforeContext(const QString& text) { return text.section(QLatin1Char('\n'), 0, 0).section(QStringLiteral(" for '{{"), 0, 0); }

bool Holds(const QJsonArray& positions, int i) {
  for (const QJsonValue& p : positions) {
    if (p.toInt() == i) return true;
  }
  return false;
}

// The case with its inputs as placeholders, or as constants.
QJsonObject WithInputs(QJsonObject golden, bool constants) {
  const QJsonArray refs = golden[u"ref_inputs"].toArray();
  const QJsonArray resources = golden[u"resource_inputs"].toArray();
  // Cases that fail early don't say which inputs are variables.
  const bool reads_handle = golden[u"op"].toString() == QStringLiteral("ReadVariableOp");
  int flat = 0;
  const auto input = [&](const QJsonObject& tensor) -> QJsonObject {
    const int i = flat++;
    QString kind = QStringLiteral("placeholder");
    if (Holds(refs, i)) kind = QStringLiteral("variable_v2");
    else if (Holds(resources, i) || (i == 0 && reads_handle)) kind = QStringLiteral("var_handle");
    else if (constants) return {{QStringLiteral("const"), tensor}};
    return {{kind, tensor[u"dtype"]}, {QStringLiteral("shape"), tensor[u"shape"]}};
  };
  QJsonArray inputs;
  for (const QJsonValue& value : golden[u"inputs"].toArray()) {
    if (!value.isArray()) {
      inputs.append(input(value.toObject()));
      continue;
    }
    QJsonArray list;
    for (const QJsonValue& item : value.toArray()) list.append(input(item.toObject()));
    inputs.append(list);
  }
  golden[QStringLiteral("inputs")] = inputs;
  return golden;
}

TensorShape ShapeOf(const QJsonValue& json) {
  std::vector<int64_t> dims;
  for (const QJsonValue& d : json.toArray()) dims.push_back(d.toInteger());
  return *TensorShape::Make(dims);
}

}  // namespace

class TstShapeKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data();
  void cases();

 private:
  void check(const QJsonObject& golden, bool constants);
};

void TstShapeKernels::cases_data() {
  QTest::addColumn<QJsonObject>("golden");
  QFile file(QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/goldens/kernels.json"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QJsonArray cases = QJsonDocument::fromJson(file.readAll()).object()[u"cases"].toArray();
  QCOMPARE(cases.size(), 1016);
  for (const QJsonValue& c : cases) {
    // A TypeError is Python's own, before there is a node.
    if (c[u"construct_error"][u"error"].toString() == QStringLiteral("TypeError")) continue;
    QTest::newRow(qPrintable(c[u"id"].toString())) << c.toObject();
  }
}

void TstShapeKernels::check(const QJsonObject& golden, bool constants) {
  GoldenGraph built;
  const std::string problem = built.Build(WithInputs(golden, constants));
  QVERIFY2(problem.empty(), problem.c_str());
  const Graph graph = Graph::FromGraphDef(built.graph());
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const NodeId id = graph.Find(built.node());
  const Status& status = refiner.status(id);
  if (golden.contains(u"construct_error")) {
    QCOMPARE(static_cast<int>(status.code()), static_cast<int>(Code::kInvalidArgument));
    QCOMPARE(BeforeContext(QString::fromStdString(status.message())),
             BeforeContext(golden[u"construct_error"][u"message"].toString()));
    return;
  }
  QVERIFY2(status.ok(), status.ToString().c_str());
  const QJsonArray outputs = golden[u"outputs"].toArray();
  for (int i = 0; i < outputs.size(); ++i) {
    const QJsonObject output = outputs[i].toObject();
    if (!output.contains(u"dtype")) continue;
    const TensorShape shape = ShapeOf(output[u"shape"]);
    const QByteArray text = QByteArray::fromStdString(StrCat("output ", i, ": ", refiner.shape(id, i).DebugString(),
                                                             " for a result of ", shape.DebugString()));
    QVERIFY2(refiner.shape(id, i).IsCompatibleWith(shape), text.constData());
    const QString dtype = QString::fromStdString(DataType_Name(RemoveRef(refiner.dtype(id, i))));
    QCOMPARE(dtype, output[u"dtype"].toString());
    const std::optional<Tensor> value = refiner.constant(id, i);
    if (!value) continue;
    QVERIFY(value->shape() == shape);
    const std::string_view bytes = value->tensor_data();
    QCOMPARE(QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())),
             QByteArray::fromBase64(output[u"b64"].toString().toLatin1()));
  }
}

void TstShapeKernels::cases() {
  QFETCH(QJsonObject, golden);
  check(golden, false);
  if (QTest::currentTestFailed()) return;
  // With constants some errors of kernels are seen early.
  if (golden.contains(u"outputs")) check(golden, true);
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstShapeKernels)
#include "tst_shape_kernels.moc"
