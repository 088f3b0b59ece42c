#include <cmath>

#include <QtTest>

#include "engine/io/json.h"
#include "engine/io/json_tensor.h"

using namespace opscope;

class TstJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parse_roundTrips_data();
  void parse_roundTrips();
  void parse_refuses_data();
  void parse_refuses();
  void parse_deepNestingIsAnError();
  void write_specialValues();
  void tensor_roundTrips();
  void tensor_refuses();
  void tensor_refusesWhatWouldBecomeInfinite();
  void base64_knownAnswers();
};

void TstJson::parse_roundTrips_data() {
  QTest::addColumn<QByteArray>("text");
  for (const char* text : {"null", "true", "-12", "0.1", "1e+300", "\"a\\\"b\\\\c\"", "[]", "{}", "[1,[2,{\"a\":null}]]",
                           "\"\xc3\xa9\xf0\x9f\x98\x80\""}) {
    QTest::newRow(text) << QByteArray(text);
  }
}

void TstJson::parse_roundTrips() {
  QFETCH(QByteArray, text);
  const auto value = ParseJson(text.toStdString());
  QVERIFY2(value.ok(), value.status().ToString().c_str());
  QCOMPARE(QByteArray::fromStdString(value->ToString()), text);
}

void TstJson::parse_refuses_data() {
  QTest::addColumn<QByteArray>("text");
  for (const char* text : {"", "[1,]", "{\"a\"}", "{a:1}", "\"open", "1 2", "nan", "inf", "0x10", "\"\\ud800\"", "[1", "tru", "--1"}) {
    QTest::newRow(*text ? text : "empty") << QByteArray(text);
  }
}

void TstJson::parse_refuses() {
  QFETCH(QByteArray, text);
  const auto value = ParseJson(text.toStdString());
  QVERIFY(value.status().code() == Code::kInvalidArgument);
  QVERIFY(value.status().message().find("byte ") != std::string::npos);
}

void TstJson::parse_deepNestingIsAnError() {
  QVERIFY(!ParseJson(std::string(100'000, '[')).ok());
  QVERIFY(ParseJson(std::string(150, '[') + std::string(150, ']')).ok());
}

void TstJson::write_specialValues() {
  QCOMPARE(JsonValue(std::nan("")).ToString(), std::string("\"nan\""));
  QCOMPARE(JsonValue(-INFINITY).ToString(), std::string("\"-inf\""));
  QCOMPARE(JsonValue(int64_t{9007199254740992}).ToString(), std::string("9007199254740992"));
  QCOMPARE(JsonValue(int64_t{9007199254740993}).ToString(), std::string("\"9007199254740993\""));
  QCOMPARE(JsonValue(std::string("\xff\x00", 2)).ToString(), std::string("{\"b64\":\"/wA=\"}"));
  QCOMPARE(JsonValue("a\x01\n").ToString(), std::string("\"a\\u0001\\n\""));
  QCOMPARE(JsonValue(JsonValue::Object{{"a", JsonValue::Array{1, 2}}}).ToString(true), std::string("{\n  \"a\": [\n    1,\n    2\n  ]\n}"));
}

void TstJson::tensor_roundTrips() {
  const auto parse = [](const char* text, std::optional<DataType> dtype) { return TensorFromJson(*ParseJson(text), dtype); };
  const auto matrix = parse("[[1,2.5],[3,\"nan\"]]", std::nullopt);
  QVERIFY(matrix->dtype() == DT_FLOAT);
  QCOMPARE(matrix->shape().DebugString(), std::string("[2,2]"));
  QCOMPARE(TensorToJson(*matrix).ToString(), std::string("{\"dtype\":\"float32\",\"shape\":[2,2],\"value\":[[1,2.5],[3,\"nan\"]]}"));
  QCOMPARE(TensorValueToJson(*parse("0.1", DT_FLOAT)).ToString(), std::string("0.1"));
  QCOMPARE(parse("\"9007199254740993\"", DT_INT64)->flat<int64_t>()[0], int64_t{9007199254740993});
  QCOMPARE(parse("[\"a\",{\"b64\":\"/w==\"}]", std::nullopt)->flat<tstring>()[1], std::string("\xff"));
  QVERIFY(parse("[true,false]", std::nullopt)->dtype() == DT_BOOL);
  QVERIFY(parse("3", std::nullopt)->dtype() == DT_INT32);
  QCOMPARE(TensorValueToJson(*parse("[[1,2]]", DT_COMPLEX64)).ToString(), std::string("[[1,2]]"));
  QCOMPARE(parse("[]", DT_FLOAT)->shape().DebugString(), std::string("[0]"));
}

void TstJson::tensor_refuses() {
  for (const char* text : {"[[1,2],[3]]", "[1,[2]]", "[[1],2]", "1.5", "300", "-1", "\"x\"", "{}"}) {
    const auto tensor = TensorFromJson(*ParseJson(text), DT_UINT8);
    QVERIFY2(tensor.status().code() == Code::kInvalidArgument, text);
  }
}

void TstJson::tensor_refusesWhatWouldBecomeInfinite() {
  QVERIFY(TensorFromJson(*ParseJson("1e39"), DT_FLOAT).status().code() == Code::kInvalidArgument);
  QVERIFY(TensorFromJson(*ParseJson("1e39"), DT_DOUBLE).ok());
  QVERIFY(std::isinf(TensorFromJson(*ParseJson("\"inf\""), DT_FLOAT)->scalar<float>()));
}

void TstJson::base64_knownAnswers() {
  const std::pair<const char*, const char*> rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : rows) {
    QCOMPARE(Base64Encode(plain), std::string(encoded));
    QCOMPARE(*Base64Decode(encoded), std::string(plain));
  }
  QVERIFY(!Base64Decode("Z").ok());
  QVERIFY(!Base64Decode("Zm9*").ok());
}

QTEST_APPLESS_MAIN(TstJson)
#include "tst_json.moc"
