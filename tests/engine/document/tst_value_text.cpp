#include <QtTest>

#include "engine/document/json_literal.h"
#include "engine/document/value_text.h"

using namespace opscope;

class TstValueText : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tensor_roundTrips_data();
  void tensor_roundTrips();
  void tensor_isRefused_data();
  void tensor_isRefused();
  void tensor_fillsShape();
  void tensor_keepsInt64();
  void attr_roundTrips_data();
  void attr_roundTrips();
  void json_deepIsRefused();
};

void TstValueText::tensor_roundTrips_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("shape");
  QTest::addColumn<QString>("back");
  QTest::newRow("scalar") << "3.75" << "float32" << "[]" << "3.75";
  QTest::newRow("matrix") << "[[1,2],[3,4]]" << "int32" << "[2,2]" << "[[1,2],[3,4]]";
  QTest::newRow("cube") << "[[[1],[2]],[[3],[4]]]" << "int64" << "[2,2,1]" << "[[[1],[2]],[[3],[4]]]";
  QTest::newRow("words") << "[\"nan\",\"inf\",\"-inf\"]" << "float64" << "[3]" << "[\"nan\",\"inf\",\"-inf\"]";
  QTest::newRow("bool") << "[true,false]" << "bool" << "[2]" << "[true,false]";
  QTest::newRow("string") << "[\"a\",\"b\\nc\"]" << "string" << "[2]" << "[\"a\",\"b\\nc\"]";
  QTest::newRow("bytes") << "{\"b64\":\"/w==\"}" << "string" << "[]" << "{\"b64\":\"/w==\"}";
  QTest::newRow("bare string") << "hello" << "string" << "[]" << "\"hello\"";
  QTest::newRow("empty") << "[]" << "float32" << "[0]" << "[]";
  QTest::newRow("object") << "{\"dtype\":\"int8\",\"shape\":[2],\"value\":[1,-1]}" << "int8" << "[2]" << "[1,-1]";
  QTest::newRow("complex") << "[[1,2],[3,-4]]" << "complex64" << "[2]" << "[[1,2],[3,-4]]";
  QTest::newRow("half") << "[0.5,2.5]" << "float16" << "[2]" << "[0.5,2.5]";
  QTest::newRow("uint64") << "18446744073709551615" << "uint64" << "[]" << "18446744073709551615";
}

void TstValueText::tensor_roundTrips() {
  QFETCH(const QString, text);
  QFETCH(const QString, type);
  QFETCH(const QString, shape);
  QFETCH(const QString, back);
  const StatusOr<DataType> dtype = ParseDataType(type.toStdString());
  QVERIFY(dtype.ok());
  const StatusOr<Tensor> tensor = ParseTensorText(text.toStdString(), *dtype);
  QVERIFY2(tensor.ok(), tensor.status().ToString().c_str());
  QCOMPARE(tensor->dtype(), *dtype);
  QCOMPARE(tensor->shape().DebugString(), shape.toStdString());
  QCOMPARE(TensorToText(*tensor), back.toStdString());
}

void TstValueText::tensor_isRefused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("type");
  QTest::newRow("ragged") << "[[1,2],[3]]" << "float32";
  QTest::newRow("ragged scalar") << "[[1],2]" << "float32";
  QTest::newRow("fraction") << "1.5" << "int32";
  QTest::newRow("out of range") << "300" << "uint8";
  QTest::newRow("negative") << "-1" << "uint64";
  QTest::newRow("text for a number") << "\"abc\"" << "float32";
  QTest::newRow("broken") << "[1,2" << "float32";
  QTest::newRow("number for a string") << "3" << "string";
  QTest::newRow("wrong dtype") << "{\"dtype\":\"int32\",\"value\":1}" << "float32";
  QTest::newRow("resource") << "1" << "resource";
}

void TstValueText::tensor_isRefused() {
  QFETCH(const QString, text);
  QFETCH(const QString, type);
  const StatusOr<Tensor> tensor = ParseTensorText(text.toStdString(), *ParseDataType(type.toStdString()));
  QVERIFY(!tensor.ok());
  QVERIFY(!tensor.status().message().empty());
}

void TstValueText::tensor_fillsShape() {
  const auto filled = ParseTensorText("7", DT_INT32, PartialTensorShape(std::vector<int64_t>{2, 2}));
  QVERIFY(filled.ok());
  QCOMPARE(TensorToText(*filled), std::string("[[7,7],[7,7]]"));
  const auto folded = ParseTensorText("[1,2,3,4]", DT_INT32, PartialTensorShape(std::vector<int64_t>{2, 2}));
  QCOMPARE(TensorToText(*folded), std::string("[[1,2],[3,4]]"));
  const auto partial = ParseTensorText("[1,2]", DT_INT32, PartialTensorShape(std::vector<int64_t>{-1}));
  QVERIFY(partial.ok());
  const auto wrong = ParseTensorText("[1,2]", DT_INT32, PartialTensorShape(std::vector<int64_t>{3}));
  QCOMPARE(wrong.status().code(), Code::kInvalidArgument);
  // More than there is memory for must not be tried.
  QVERIFY(!ParseTensorText("1", DT_FLOAT, PartialTensorShape(std::vector<int64_t>{1000000000000, 1000000000000})).ok());
}

void TstValueText::tensor_keepsInt64() {
  const auto value = ParseTensorText("9007199254740993", std::nullopt);
  QVERIFY(value.ok());
  QCOMPARE(value->dtype(), DT_INT64);
  QCOMPARE(TensorToText(*value), std::string("9007199254740993"));
  QCOMPARE(ParseTensorText("1", std::nullopt)->dtype(), DT_INT32);
  QCOMPARE(ParseTensorText("[1,2.5]", std::nullopt)->dtype(), DT_FLOAT);
  QCOMPARE(ParseTensorText("\"x\"", std::nullopt)->dtype(), DT_STRING);
}

void TstValueText::attr_roundTrips_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("back");
  QTest::newRow("type") << "\"float32\"" << "type" << "\"float32\"";
  QTest::newRow("bare type") << "DT_INT64" << "type" << "\"int64\"";
  QTest::newRow("shape") << "[null,3]" << "shape" << "[null,3]";
  QTest::newRow("unknown shape") << "null" << "shape" << "null";
  QTest::newRow("list") << "[1,2,2,1]" << "list(int)" << "[1,2,2,1]";
  QTest::newRow("types") << "[\"int32\",\"string\"]" << "list(type)" << "[\"int32\",\"string\"]";
  QTest::newRow("bare string") << "VALID" << "string" << "\"VALID\"";
  QTest::newRow("float") << "0.1" << "float" << "0.1";
  QTest::newRow("nan") << "\"nan\"" << "float" << "\"nan\"";
  QTest::newRow("bool") << "true" << "bool" << "true";
  QTest::newRow("tensor") << "{\"dtype\":\"int32\",\"shape\":[2],\"value\":[1,2]}" << "tensor"
                          << "{\"dtype\":\"int32\",\"shape\":[2],\"value\":[1,2]}";
  QTest::newRow("func") << "{\"name\":\"f\",\"attr\":{}}" << "func" << "{\"name\":\"f\",\"attr\":{}}";
}

void TstValueText::attr_roundTrips() {
  QFETCH(const QString, text);
  QFETCH(const QString, type);
  QFETCH(const QString, back);
  const auto value = ParseAttrText(text.toStdString(), type.toStdString());
  QVERIFY2(value.ok(), value.status().ToString().c_str());
  QCOMPARE(AttrToText(*value), back.toStdString());
}

void TstValueText::json_deepIsRefused() {
  QVERIFY(!ParseJsonLiteral(std::string(100000, '[')).ok());
  QVERIFY(ParseJsonLiteral(std::string(200, '[') + std::string(200, ']')).ok());
  QVERIFY(!ParseJsonLiteral("{\"a\":1,}").ok());
  QVERIFY(!ParseJsonLiteral("1 2").ok());
  QCOMPARE(ParseJsonLiteral("\"\\u00e9\\ud83d\\ude00\"")->text, std::string("é😀"));
  QVERIFY(!ParseJsonLiteral("\"\\ud83d\"").ok());
}

QTEST_APPLESS_MAIN(TstValueText)
#include "tst_value_text.moc"
