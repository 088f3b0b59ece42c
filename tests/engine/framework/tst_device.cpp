#include <QtTest>

#include "engine/framework/device_base.h"
#include "engine/framework/resource_mgr.h"

using namespace opscope;

class TstDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void name_allSpellings_data();
  void name_allSpellings();
  void name_malformed_data();
  void name_malformed();
  void name_specification();
  void resources_byContainerAndName();
};

void TstDevice::name_allSpellings_data() {
  QTest::addColumn<QByteArray>("given");
  QTest::addColumn<QByteArray>("canonical");
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},
      {"/cpu:0", "/device:CPU:0"},
      {"/GPU:*", "/device:GPU:*"},
      {"/device:CPU:2", "/device:CPU:2"},
      {"/job:a/replica:0/task:1/device:GPU:3", "/job:a/replica:0/task:1/device:GPU:3"},
      {"/job:a/task:*", "/job:a"},
      {"/job:a/job:b", "/job:b"},
      {"/task:3/job:w", "/job:w/task:3"},
  };
  for (const auto& [given, canonical] : rows) QTest::newRow(*given ? given : "any") << QByteArray(given) << QByteArray(canonical);
}

void TstDevice::name_allSpellings() {
  QFETCH(QByteArray, given);
  QFETCH(QByteArray, canonical);
  ParsedDeviceName parsed;
  QVERIFY(ParsedDeviceName::Parse(given.toStdString(), &parsed));
  QCOMPARE(QByteArray::fromStdString(parsed.ToString()), canonical);
}

void TstDevice::name_malformed_data() {
  QTest::addColumn<QByteArray>("given");
  for (const char* bad : {"nonsense", "cpu:0", "/job:1a", "/replica:x", "/task:99999999999", "/device:", "/tpu:0"}) {
    QTest::newRow(bad) << QByteArray(bad);
  }
}

void TstDevice::name_malformed() {
  QFETCH(QByteArray, given);
  ParsedDeviceName parsed;
  QVERIFY(!ParsedDeviceName::Parse(given.toStdString(), &parsed));
}

void TstDevice::name_specification() {
  ParsedDeviceName whole;
  ParsedDeviceName part;
  QVERIFY(ParsedDeviceName::Parse("/job:localhost/replica:0/task:0/device:CPU:1", &whole));
  QVERIFY(ParsedDeviceName::Parse("/cpu:1", &part));
  QVERIFY(part.IsSpecificationOf(whole));
  QVERIFY(!whole.IsSpecificationOf(part));
  QVERIFY(ParsedDeviceName::Parse("/gpu:1", &part));
  QVERIFY(!part.IsSpecificationOf(whole));
}

void TstDevice::resources_byContainerAndName() {
  ResourceMgr mgr;
  const auto make = []() -> StatusOr<std::shared_ptr<Var>> { return std::make_shared<Var>(DT_FLOAT); };
  QCOMPARE(mgr.Lookup<Var>("localhost", "w").status().ToString(),
           std::string("NOT_FOUND: Container localhost does not exist. (Could not find resource: localhost/w)"));
  const auto first = mgr.LookupOrCreate<Var>("localhost", "w", make);
  const auto second = mgr.LookupOrCreate<Var>("localhost", "w", make);
  QVERIFY(first->get() == second->get());
  QVERIFY(!mgr.Lookup<Var>("localhost", "v").ok());
  mgr.Cleanup("localhost");
  QVERIFY(!mgr.Lookup<Var>("localhost", "w").ok());
}

QTEST_APPLESS_MAIN(TstDevice)
#include "tst_device.moc"
