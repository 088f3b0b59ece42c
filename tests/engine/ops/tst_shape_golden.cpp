// What TensorFlow 2.21 inferred when each case's graph was built (data/goldens/shape_inference.json, a copy of the
// project's goldens, made with tensorflow_cpu 2.21.0).

#include "engine/graph/shape_refiner.h"
#include "tests/engine/ops/golden_graph.h"

#include <QFile>
#include <QJsonDocument>
#include <QSet>
#include <QTest>

namespace opscope {
namespace {

// Cases that this engine doesn't answer as TensorFlow's front end did, and why. Only ever shorter.
const QSet<QString>& Skipped() {
  static const QSet<QString> skipped = {
      QStringLiteral("Conv2D#17"),  // Python's own check of an attribute, before shape inference
  };
  return skipped;
}

QString FirstLine(const QString& text) { return text.section(QLatin1Char('\n'), 0, 0); }

QJsonArray LoadCases() {
  QFile file(QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/goldens/shape_inference.json"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(file.readAll()).object()[u"cases"].toArray();
}

QString OutputsText(const QJsonArray& outputs) {
  QStringList parts;
  for (const QJsonValue& output : outputs) {
    const QJsonValue shape = output[u"shape"];
    QStringList dims;
    for (const QJsonValue& d : shape.toArray()) dims << (d.toInteger() < 0 ? QStringLiteral("?") : QString::number(d.toInteger()));
    parts << output[u"dtype"].toString() + QLatin1Char(' ') +
                 (shape.isNull() ? QStringLiteral("<unknown>") : QStringLiteral("[") + dims.join(QLatin1Char(',')) + QLatin1Char(']'));
  }
  return parts.join(QStringLiteral("; "));
}

QString OutputsText(const ShapeRefiner& refiner, NodeId id) {
  QStringList parts;
  for (int i = 0; i < refiner.num_outputs(id); ++i) {
    const QString shape = QString::fromStdString(refiner.shape(id, i).DebugString());
    parts << QString::fromStdString(DataType_Name(refiner.dtype(id, i))) + QLatin1Char(' ') + shape;
  }
  return parts.join(QStringLiteral("; "));
}

}  // namespace

class TstShapeGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goldens_areAllThere();
  void outputs_data();
  void outputs();
};

void TstShapeGolden::goldens_areAllThere() {
  const QJsonArray cases = LoadCases();
  QCOMPARE(cases.size(), 506);
  QCOMPARE(Skipped().size(), 1);
  QSet<QString> ids;
  for (const QJsonValue& c : cases) ids.insert(c[u"id"].toString());
  for (const QString& id : Skipped()) QVERIFY2(ids.contains(id), qPrintable(id));
}

void TstShapeGolden::outputs_data() {
  QTest::addColumn<QJsonObject>("golden");
  for (const QJsonValue& c : LoadCases()) {
    const QString id = c[u"id"].toString();
    if (!Skipped().contains(id)) QTest::newRow(qPrintable(id)) << c.toObject();
  }
}

void TstShapeGolden::outputs() {
  QFETCH(QJsonObject, golden);
  GoldenGraph built;
  const std::string problem = built.Build(golden);
  QVERIFY2(problem.empty(), problem.c_str());
  const Graph graph = Graph::FromGraphDef(built.graph());
  ShapeRefiner refiner;
  refiner.Refine(graph);
  const NodeId id = graph.Find(built.node());
  const Status& status = refiner.status(id);
  if (golden.contains(u"error")) {
    QCOMPARE(static_cast<int>(status.code()), static_cast<int>(Code::kInvalidArgument));
    QCOMPARE(FirstLine(QString::fromStdString(status.message())), FirstLine(golden[u"error"][u"message"].toString()));
    return;
  }
  QVERIFY2(status.ok(), status.ToString().c_str());
  QCOMPARE(OutputsText(refiner, id), OutputsText(golden[u"outputs"].toArray()));
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstShapeGolden)
#include "tst_shape_golden.moc"
