// Values of constants in files: short, half, infinite and large ones, exactly.

#include <QTest>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/tensor.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_io.h"

using namespace opscope;

namespace {

QStringList Values(const Graph& graph, std::string_view node) {
  const NodeId id = graph.Find(node);
  if (!id.valid()) return {QStringLiteral("no such node")};
  Tensor tensor;
  const Status status = GetNodeAttr(graph.node(id).def, "value", &tensor);
  if (!status.ok()) return {QString::fromStdString(status.ToString())};
  QStringList values{QString::fromStdString(tensor.shape().DebugString())};
  for (int64_t i = 0; i < tensor.NumElements(); ++i) values << QString::fromStdString(tensor.ElementText(i));
  return values;
}

}  // namespace

class TstImportValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void values_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("values");
    const auto row = [](const char* file, const char* node, const char* values) {
      QTest::addRow("%s %s", file, node) << QString::fromLatin1(file) << QString::fromLatin1(node) << QString::fromLatin1(values);
    };
    row("imp-const-short", "splat", "[2,3] 1.5 1.5 1.5 1.5 1.5 1.5");
    row("imp-const-short", "tail", "[5] 0 1 2 2 2");
    row("imp-inf-nan", "c", "[5] 0.25 inf -inf nan -0");
    row("imp-int64", "c", "[4] -1 -9223372036854775808 9223372036854775807 9007199254740993");
    row("imp-half-bfloat", "h", "[4] 1 -2 inf 5.9604645e-08");
    row("imp-half-bfloat", "b", "[4] 1 -2 inf 3.140625");
  }

  void values() {
    QFETCH(QString, file);
    QFETCH(QString, node);
    QFETCH(QString, values);
    const auto loaded = LoadGraph(OPSCOPE_SOURCE_DIR "/tests/data/cases/" + file.toStdString() + "/graph.pbtxt");
    QVERIFY(loaded.ok());
    QCOMPARE(Values(loaded->graph, node.toStdString()).join(QLatin1Char(' ')), values);
    // Written as text and read again.
    const auto again = ParseGraph(std::make_shared<const std::string>(GraphDefToText(loaded->graph)), "again");
    QVERIFY(again.ok());
    QCOMPARE(Values(again->graph, node.toStdString()).join(QLatin1Char(' ')), values);
  }
};

QTEST_GUILESS_MAIN(TstImportValues)
#include "tst_import_values.moc"
