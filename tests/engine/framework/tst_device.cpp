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
  void name_merging();
  void name_canonical();
  void name_spellings();
  void resources_byContainerAndName();
};

namespace {

ParsedDeviceName Parsed(const char* text) {
  ParsedDeviceName parsed;
  if (!ParsedDeviceName::Parse(text, &parsed)) qWarning() << "malformed" << text;
  return parsed;
}

}  // namespace

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
      {"/", ""},
      {"/CPU:1", "/device:CPU:1"},
      {"/gpu:0", "/device:GPU:0"},
      {"/device:cpu:0", "/device:cpu:0"},
      {"/device:GPU", "/device:GPU:*"},
      {"/device:*:1", "/device:*:1"},
      {"/device:*", ""},
      {"/job:*/replica:*/task:*/device:*:*", ""},
      {"/device:GPU:0/cpu:*", "/device:CPU:*"},
      {"/task:00", "/task:0"},
      {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
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
  for (const char* bad : {"nonsense", "cpu:0", "/job:1a", "/replica:x", "/task:99999999999", "/device:", "/tpu:0", "/Cpu:0", "/cpu", "/cpu:", "//cpu:0", "/cpu:0/",
                          "/cpu:0 ", "/device:CPU:", "/job:a-b", "/job:_a", "/replica:-1", "/job:"}) {
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

void TstDevice::name_merging() {
  ParsedDeviceName name = Parsed("/job:a/device:CPU:*");
  QVERIFY(name.Merge(Parsed("/task:1/cpu:3")).ok());
  QCOMPARE(name.ToString(), std::string("/job:a/task:1/device:CPU:3"));
  QCOMPARE(name.Merge(Parsed("/job:b/gpu:3")).ToString(),
           std::string("INVALID_ARGUMENT: Cannot merge devices with incompatible jobs: '/job:a/task:1/device:CPU:3' and "
                       "'/job:b/device:GPU:3'"));
  QVERIFY(name.Merge(Parsed("/task:2")).message().starts_with("Cannot merge devices with incompatible tasks"));
  QVERIFY(name.Merge(Parsed("/gpu:3")).message().starts_with("Cannot merge devices with incompatible types"));
  QVERIFY(name.Merge(Parsed("/cpu:4")).message().starts_with("Cannot merge devices with incompatible ids"));
  QCOMPARE(name.ToString(), std::string("/job:a/task:1/device:CPU:3"));
  ParsedDeviceName other_id = name;
  QVERIFY(other_id.Merge(Parsed("/cpu:4"), true).ok());
  QCOMPARE(other_id.ToString(), std::string("/job:a/task:1/device:CPU:*"));
  ParsedDeviceName other_type = name;
  QVERIFY(other_type.Merge(Parsed("/replica:5/gpu:3"), true).ok());
  QCOMPARE(other_type.ToString(), std::string("/job:a/replica:5/task:1"));
  name.MergeUnset(Parsed("/job:z/replica:2/gpu:9"));
  QCOMPARE(name.ToString(), std::string("/job:a/replica:2/task:1/device:CPU:3"));
  QVERIFY(name.IsComplete());
  name.MergeOverride(Parsed("/job:z/gpu:*"));
  QCOMPARE(name.ToString(), std::string("/job:z/replica:2/task:1/device:GPU:3"));
  QVERIFY(name.IsCompatibleWith(Parsed("/gpu:3")));
  QVERIFY(!name.IsCompatibleWith(Parsed("/gpu:4")));
  QVERIFY(name.IsSameAddressSpace(Parsed("/job:z/replica:2/task:1/cpu:0")));
  QVERIFY(!name.IsSameAddressSpace(Parsed("/job:z/replica:2/cpu:0")));
}

void TstDevice::name_canonical() {
  const char* const base = "/job:foo/replica:10/task:0/device:CPU:1";
  const std::pair<const char*, const char*> rows[] = {
      {"/job:foo/replica:10/task:0/device:CPU:1", base},
      {"/job:foo/task:0/replica:10/device:CPU:1", base},
      {"/job:foo/task:0/replica:10/cpu:1", base},
      {"CPU:0", "/job:foo/replica:10/task:0/device:CPU:0"},
      {"/device:GPU:3", "/job:foo/replica:10/task:0/device:GPU:3"},
      {"/job:bar/task:2", "/job:bar/replica:10/task:2/device:CPU:1"},
  };
  for (const auto& [given, canonical] : rows) QCOMPARE(CanonicalDeviceName(given, base).value(), std::string(canonical));
  QCOMPARE(CanonicalDeviceName("CPU:0", "/job:foo").status().code(), Code::kInvalidArgument);
  QCOMPARE(CanonicalDeviceName("CPU:0", "foo").status().code(), Code::kInvalidArgument);
  QCOMPARE(CanonicalDeviceName("sprocket:0/x", base).status().code(), Code::kInvalidArgument);
  QCOMPARE(FullDeviceName("a", 1, 2, "CPU", 3), std::string("/job:a/replica:1/task:2/device:CPU:3"));
}

void TstDevice::name_spellings() {
  const ParsedDeviceName name = Parsed("/job:foo/replica:10/task:0/device:GPU:1");
  QCOMPARE(DeviceNameSpellings(name),
           (std::vector<std::string>{"/job:foo/replica:10/task:0/device:GPU:1", "/job:foo/replica:10/task:0/gpu:1"}));
  QCOMPARE(LocalDeviceNameSpellings(name), (std::vector<std::string>{"/device:GPU:1", "GPU:1", "/gpu:1", "/GPU:1"}));
  QCOMPARE(LocalDeviceNameSpellings(Parsed("/device:TPU:1")), (std::vector<std::string>{"/device:TPU:1", "TPU:1"}));
  std::string task;
  std::string device;
  QVERIFY(SplitDeviceName("/job:foo/cpu:1/task:2/replica:1", &task, &device));
  QCOMPARE(task, std::string("/job:foo/replica:1/task:2"));
  QCOMPARE(device, std::string("CPU:1"));
  QVERIFY(!SplitDeviceName("/job:foo/cpu:1", &task, &device));
  ParsedDeviceName local;
  QVERIFY(ParsedDeviceName::ParseLocal("CPU:10", &local) && local.id == 10);
  QVERIFY(!ParsedDeviceName::ParseLocal("CPU", &local));
  QVERIFY(!ParsedDeviceName::ParseLocal("10", &local));
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
