// Every case of kernels.json: one op with its inputs, and what TensorFlow answered. Ops without a
// kernel are listed, with their number of cases, in kernels_without_kernel.txt.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>

#include "tests/engine/kernels/golden_reader.h"
#include "tests/engine/kernels/kernel_runner.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

QByteArray ReadData(const QString& name) {
  QFile file(QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/goldens/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::set<int> ReadPositions(const QJsonValue& json) {
  std::set<int> positions;
  for (const QJsonValue& v : json.toArray()) positions.insert(v.toInt());
  return positions;
}

Status AddInput(const QJsonValue& json, KernelCall* call) {
  if (json.isArray()) {
    for (const QJsonValue& item : json.toArray()) OS_RETURN_IF_ERROR(AddInput(item, call));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(Tensor tensor, ReadGoldenTensor(json.toObject()));
  call->inputs.push_back(std::move(tensor));
  call->node.add_input("in" + std::to_string(call->inputs.size()));
  return Status::OK();
}

StatusOr<KernelCall> ReadCall(const QJsonObject& json) {
  KernelCall call;
  call.node = MakeNode(json[QLatin1String("op")].toString().toStdString(), 0);
  for (const QJsonValue& input : json[QLatin1String("inputs")].toArray()) {
    OS_RETURN_IF_ERROR(AddInput(input, &call));
  }
  OS_RETURN_IF_ERROR(ReadGoldenAttrs(json[QLatin1String("attrs")].toObject(), &call.node));
  call.ref_inputs = ReadPositions(json[QLatin1String("ref_inputs")]);
  call.resource_inputs = ReadPositions(json[QLatin1String("resource_inputs")]);
  call.runs = json.contains(QLatin1String("outputs_run2")) ? 2 : 1;
  return call;
}

// The elements as text, in an order of their own: for outputs whose order TensorFlow doesn't promise.
std::vector<std::string> SortedTexts(const Tensor& t) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < t.NumElements(); ++i) texts.push_back(t.ElementText(i));
  std::sort(texts.begin(), texts.end());
  return texts;
}

// "" when `actual` are the expected outputs.
QString OutputsDiffer(const std::vector<Tensor>& actual, const QJsonArray& expected,
                      const QJsonObject& json) {
  if (static_cast<qsizetype>(actual.size()) != expected.size()) {
    return QStringLiteral("%1 outputs, not %2").arg(actual.size()).arg(expected.size());
  }
  const std::set<int> unstable =
      ReadPositions(json[QLatin1String("unstable")].toObject()[QLatin1String("outputs")]);
  for (int i = 0; i < static_cast<int>(actual.size()); ++i) {
    if (unstable.contains(i)) continue;
    auto tensor = ReadGoldenTensor(expected[i].toObject());
    if (!tensor.ok()) return QString::fromStdString(tensor.status().ToString());
    if (json[QLatin1String("note")].toString().contains(QLatin1String("order not promised"))) {
      if (SortedTexts(actual[static_cast<size_t>(i)]) == SortedTexts(*tensor)) continue;
    }
    const QString difference =
        Difference(actual[static_cast<size_t>(i)], *tensor, json[QLatin1String("rtol")].toDouble(),
                   json[QLatin1String("atol")].toDouble());
    if (!difference.isEmpty()) return QStringLiteral("output %1: %2").arg(i).arg(difference);
  }
  return QString();
}

QString VariablesDiffer(const KernelAnswer& answer, const QJsonObject& json) {
  const QJsonObject after = json[QLatin1String("after")].toObject();
  for (auto it = after.begin(); it != after.end(); ++it) {
    auto expected = ReadGoldenTensor(it.value().toObject());
    const auto found = answer.after.find(it.key().toInt());
    if (!expected.ok() || found == answer.after.end()) return QStringLiteral("no variable");
    const QString difference =
        Difference(found->second, *expected, json[QLatin1String("rtol")].toDouble(),
                   json[QLatin1String("atol")].toDouble());
    if (!difference.isEmpty()) return QStringLiteral("variable %1: %2").arg(it.key(), difference);
  }
  return QString();
}

QString ErrorDiffers(const Status& status, const QJsonObject& error) {
  const QString message = error[QLatin1String("message")].toString();
  const QString first_line = message.section(QLatin1Char('\n'), 0, 0);
  if (status.code() != ReadGoldenCode(error[QLatin1String("code")].toString())) {
    return QStringLiteral("%1, not %2: %3")
        .arg(QString::fromStdString(status.ToString()), error[QLatin1String("code")].toString(),
             first_line);
  }
  const QString ours = QString::fromStdString(status.message()).section(QLatin1Char('\n'), 0, 0);
  return ours == first_line ? QString() : QStringLiteral("\"%1\", not \"%2\"").arg(ours, first_line);
}

}  // namespace

class TstKernelGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void answersAsTensorFlow_data();
  void answersAsTensorFlow();
  void listOfMissingKernelsIsRight();

 private:
  QJsonArray cases_;
  std::map<QString, int> missing_;  ///< Op → its number of cases.
};

void TstKernelGolden::initTestCase() {
  cases_ = QJsonDocument::fromJson(ReadData(QStringLiteral("kernels.json")))
               .object()[QLatin1String("cases")]
               .toArray();
  QCOMPARE(cases_.size(), 1016);
  const QByteArray list = ReadData(QStringLiteral("kernels_without_kernel.txt"));
  for (const QByteArray& line : list.split('\n')) {
    const QList<QByteArray> fields = line.split('\t');
    if (fields.size() == 2) missing_[QString::fromUtf8(fields[0])] = fields[1].toInt();
  }
}

void TstKernelGolden::answersAsTensorFlow_data() {
  QTest::addColumn<QJsonObject>("json");
  for (const QJsonValue& value : cases_) {
    const QJsonObject json = value.toObject();
    // Errors of construction belong to shape inference.
    if (json.contains(QLatin1String("construct_error"))) continue;
    if (missing_.contains(json[QLatin1String("op")].toString())) continue;
    QTest::newRow(qPrintable(json[QLatin1String("id")].toString())) << json;
  }
}

void TstKernelGolden::answersAsTensorFlow() {
  QFETCH(QJsonObject, json);
  auto call = ReadCall(json);
  QVERIFY2(call.ok(), call.status().ToString().c_str());
  const KernelAnswer answer = RunKernel(*call);
  QString difference;
  if (json.contains(QLatin1String("run_error"))) {
    difference = ErrorDiffers(answer.status, json[QLatin1String("run_error")].toObject());
  } else {
    QVERIFY2(answer.status.ok(), answer.status.ToString().c_str());
    difference = OutputsDiffer(answer.outputs[0], json[QLatin1String("outputs")].toArray(), json);
    if (difference.isEmpty() && call->runs == 2) {
      difference =
          OutputsDiffer(answer.outputs[1], json[QLatin1String("outputs_run2")].toArray(), json);
    }
    if (difference.isEmpty()) difference = VariablesDiffer(answer, json);
  }
  QVERIFY2(difference.isEmpty(), qPrintable(difference));
}

void TstKernelGolden::listOfMissingKernelsIsRight() {
  std::map<QString, int> counted;
  for (const QJsonValue& value : cases_) {
    const QString op = value.toObject()[QLatin1String("op")].toString();
    if (KernelRegistry::Global().ForOp(op.toStdString()).empty()) ++counted[op];
  }
  for (const auto& [op, count] : counted) {
    QVERIFY2(missing_.contains(op) && missing_[op] == count,
             qPrintable(QStringLiteral("%1\t%2").arg(op).arg(count)));
  }
  QCOMPARE(missing_.size(), counted.size());
}

QTEST_APPLESS_MAIN(TstKernelGolden)
#include "tst_kernel_golden.moc"
