#include "engine/ops/op_catalogue.h"
#include "engine/proto/op_def.pb.h"

#include <QByteArray>
#include <QFile>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTest>

#include <algorithm>

namespace opscope {

class TstOpCatalogue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void opList_hasAllOperations();
  void opList_keepsSignatures();
  void opInfo_hasALinePerOperation();
  void opList_beginsAsFacts();

 private:
  tensorflow::OpList list_;
};

void TstOpCatalogue::initTestCase() {
  const std::string_view bytes = EmbeddedOpList();
  QVERIFY(list_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
}

void TstOpCatalogue::opList_hasAllOperations() {
  QCOMPARE(list_.op_size(), 536);
  QSet<QString> names;
  for (const tensorflow::OpDef& op : list_.op()) names.insert(QString::fromStdString(op.name()));
  QCOMPARE(names.size(), 536);
}

void TstOpCatalogue::opList_keepsSignatures() {
  const auto& ops = list_.op();
  const auto mat_mul =
      std::find_if(ops.begin(), ops.end(), [](const auto& op) { return op.name() == "MatMul"; });
  QVERIFY(mat_mul != ops.end());
  QCOMPARE(mat_mul->input_arg_size(), 2);
  QCOMPARE(QString::fromStdString(mat_mul->input_arg(1).name()), QStringLiteral("b"));
  QCOMPARE(QString::fromStdString(mat_mul->output_arg(0).type_attr()), QStringLiteral("T"));
  QCOMPARE(QString::fromStdString(mat_mul->attr(0).name()), QStringLiteral("transpose_a"));
  QVERIFY(mat_mul->attr(0).has_default_value());
  QCOMPARE(mat_mul->attr(0).default_value().b(), false);
}

void TstOpCatalogue::opInfo_hasALinePerOperation() {
  const std::string_view text = EmbeddedOpInfo();
  QVERIFY(text.ends_with('\n'));
  QStringList lines =
      QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).split(QLatin1Char('\n'));
  lines.removeLast();
  QCOMPARE(lines.size(), 536);
  const QStringList gradients = {QStringLiteral("yes"), QStringLiteral("none"),
                                 QStringLiteral("unregistered")};
  for (int i = 0; i < lines.size(); ++i) {
    const QStringList fields = lines[i].split(QLatin1Char('\t'));
    QCOMPARE(fields.size(), 4);
    QCOMPARE(fields[0], QString::fromStdString(list_.op(i).name()));
    QVERIFY(!fields[1].isEmpty());
    QVERIFY2(fields[2].toInt() >= 1 && fields[2].toInt() <= 3, qPrintable(lines[i]));
    QVERIFY2(gradients.contains(fields[3]), qPrintable(lines[i]));
  }
  QVERIFY(lines.contains(QStringLiteral("Const\tcore/constants\t1\tnone")));
}

void TstOpCatalogue::opList_beginsAsFacts() {
  QFile file(QStringLiteral(OPSCOPE_SHARED_DIR "/facts/ops/ops.binpb"));
  if (!file.open(QIODevice::ReadOnly)) QSKIP("../shared/facts/ops/ops.binpb is not there");
  const QByteArray right = file.readAll();
  const std::string_view ours = EmbeddedOpList();
  // Ops that programs use beyond those of the facts follow.
  QVERIFY(static_cast<qsizetype>(ours.size()) > right.size());
  QCOMPARE(QByteArray::fromRawData(ours.data(), right.size()), right);
}

}  // namespace opscope

QTEST_GUILESS_MAIN(opscope::TstOpCatalogue)
#include "tst_op_catalogue.moc"
