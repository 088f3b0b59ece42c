// The registries of sessions, devices and allocators, and the metrics they keep.
#include <QTest>

#include "engine/base/log.h"
#include "engine/base/metrics.h"
#include "engine/framework/tracking_allocator.h"
#include "engine/runtime/device_factory.h"
#include "engine/runtime/device_mgr.h"
#include "engine/runtime/session_factory.h"

using namespace opscope;

namespace {

// Accepts what it is told to; its sessions can't be made.
class TestSessionFactory final : public SessionFactory {
 public:
  explicit TestSessionFactory(std::string target) : target_(std::move(target)) {}
  bool AcceptsOptions(const SessionOptions& options) override { return is_on && options.target == target_; }
  Status NewSession(const SessionOptions&, Session**) override { return errors::DataLoss("made by the test"); }

  static inline bool is_on = true;

 private:
  const std::string target_;
};

// One device named "CPU:7".
class SevenFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    if (makes_none) return Status::OK();
    OS_ASSIGN_OR_RETURN(auto device, NewThreadPoolDevice(options, name_prefix + "/device:CPU:7"));
    devices->push_back(std::move(device));
    return Status::OK();
  }
  static inline bool makes_none = false;
};

class CountingAllocator final : public Allocator {
 public:
  std::string Name() const override { return "counting"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override {
    ++count;
    return AllocatorRegistry::GetAllocator("DefaultCPUAllocator")->AllocateRaw(alignment, num_bytes, attributes);
  }
  void DeallocateRaw(void* ptr) override { AllocatorRegistry::GetAllocator("DefaultCPUAllocator")->DeallocateRaw(ptr); }
  static inline int count = 0;
};

std::vector<std::string> DeviceNames(const SessionOptions& options = {}) {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> names;
  const Status status = DeviceFactory::AddDevices(options, "/job:a/replica:0/task:1", &devices);
  if (!status.ok()) return {status.ToString()};
  for (const auto& device : devices) names.push_back(device->name());
  return names;
}

}  // namespace

class TstRegistries : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sessionFactories() {
    const int64_t before = metrics::Value("session_created");
    QVERIFY(NewSession(SessionOptions()).ok());
    Session* session = nullptr;
    QVERIFY(NewSession(SessionOptions(), &session).ok());
    delete session;
    QCOMPARE(metrics::Value("session_created"), before + 2);

    SessionOptions options;
    options.target = "local";
    QCOMPARE(NewSession(options, &session).ToString(),
             std::string("NOT_FOUND: No session factory registered for the given session options: {target: \"local\" config: } "
                         "Registered factories are {DIRECT_SESSION, GRPC_SESSION}."));
    QVERIFY(session == nullptr);
    options.target = "grpc://localhost:1";
    QCOMPARE(NewSession(options).status().code(), Code::kUnimplemented);
    QCOMPARE(Reset(options, {}).code(), Code::kUnimplemented);
    options.target = "GRPC://localhost:1";
    QCOMPARE(NewSession(options).status().code(), Code::kNotFound);
    QCOMPARE(metrics::Value("session_created"), before + 2);
  }

  void anotherSessionFactory() {
    SessionFactory::Register("TEST_SESSION", std::make_unique<TestSessionFactory>(""));
    QCOMPARE(NewSession(SessionOptions()).status().ToString(),
             std::string("INTERNAL: Multiple session factories registered for the given session options: {target: \"\" config: } "
                         "Candidate factories are {DIRECT_SESSION, TEST_SESSION}."));
    TestSessionFactory::is_on = false;
    QVERIFY(NewSession(SessionOptions()).ok());
    TestSessionFactory::is_on = true;
    SessionFactory::Register("OTHER_SESSION", new TestSessionFactory("other"));
    SessionOptions options;
    options.target = "other";
    QCOMPARE(NewSession(options).status().ToString(), std::string("DATA_LOSS: made by the test"));
    QCOMPARE(Reset(options, {"a"}).code(), Code::kUnimplemented);
    TestSessionFactory::is_on = false;
  }

  void theFirstOfATypeStays() {
    std::string logged;
    const LogSink former = SetLogSink([&](LogSeverity severity, std::string_view message) {
      if (severity == LogSeverity::kError) logged += message;
    });
    SessionFactory::Register("DIRECT_SESSION", std::make_unique<TestSessionFactory>(""));
    SetLogSink(former);
    QCOMPARE(logged, std::string("Two session factories are being registered under DIRECT_SESSION; the first stays."));
    QVERIFY(NewSession(SessionOptions()).ok());
  }

  void devices() {
    QCOMPARE(DeviceNames(), std::vector<std::string>{"/job:a/replica:0/task:1/device:CPU:0"});
    SessionOptions options;
    (*options.config.mutable_device_count())["CPU"] = 3;
    QCOMPARE(DeviceNames(options).size(), size_t{3});
    QCOMPARE(DeviceNames(options)[2], std::string("/job:a/replica:0/task:1/device:CPU:2"));
    (*options.config.mutable_device_count())["CPU"] = 0;
    QCOMPARE(DeviceNames(options), std::vector<std::string>{"NOT_FOUND: No CPU devices are available in this process"});
    (*options.config.mutable_device_count())["CPU"] = -1;
    QVERIFY(DeviceNames(options)[0].starts_with("INVALID_ARGUMENT: device_count: -1"));
    QCOMPARE(DeviceFactory::DevicePriority("CPU"), 70);
    QCOMPARE(DeviceFactory::DevicePriority("GPU"), -1);
    const auto one = DeviceFactory::NewDevice("CPU", SessionOptions(), "/job:a/replica:0/task:1");
    QVERIFY(one.ok());
    QCOMPARE((*one)->attributes().memory_limit(), int64_t{256} << 20);
    QVERIFY((*one)->attributes().incarnation() != 0);
    QCOMPARE(DeviceFactory::NewDevice("GPU", SessionOptions(), "").status().code(), Code::kNotFound);
    std::vector<std::string> physical;
    QVERIFY(DeviceFactory::ListAllPhysicalDevices(&physical).ok());
    QCOMPARE(physical, std::vector<std::string>{"/physical_device:CPU:0"});
  }

  void deviceFactoriesByPriority() {
    DeviceFactory::Register("CPU", std::make_unique<SevenFactory>(), 65);
    QCOMPARE(DeviceNames(), std::vector<std::string>{"/job:a/replica:0/task:1/device:CPU:0"});
    DeviceFactory::Register("CPU", std::make_unique<SevenFactory>(), 80);
    QCOMPARE(DeviceFactory::DevicePriority("CPU"), 80);
    QCOMPARE(DeviceNames(), std::vector<std::string>{"/job:a/replica:0/task:1/device:CPU:7"});
    SevenFactory::makes_none = true;
    QCOMPARE(NewSession(SessionOptions()).status().ToString(),
             std::string("NOT_FOUND: No CPU devices are available in this process"));
    SevenFactory::makes_none = false;
    QVERIFY(DeviceFactory::Remove("CPU"));
    QVERIFY(!DeviceFactory::Remove("CPU"));
    QCOMPARE(NewSession(SessionOptions()).status().ToString(),
             std::string("NOT_FOUND: CPU Factory not registered. Did you link in threadpool_device?"));
    DeviceFactory::Register("CPU", std::make_unique<SevenFactory>(), 1);
    QVERIFY(NewSession(SessionOptions()).ok());
  }

  void allDeviceNamesAreFound() {
    std::vector<std::unique_ptr<Device>> made;
    QVERIFY(DeviceFactory::AddDevices({}, "/job:a/replica:0/task:1", &made).ok());
    const DeviceMgr devices(std::move(made));
    for (const char* name : {"/job:a/replica:0/task:1/device:CPU:7", "/job:a/replica:0/task:1/cpu:7", "/device:CPU:7", "CPU:7",
                             "/cpu:7", "/CPU:7"}) {
      QVERIFY2(devices.LookupDevice(name).ok(), name);
    }
    QCOMPARE(devices.LookupDevice("/cpu:0").status().ToString(), std::string("INVALID_ARGUMENT: /cpu:0 unknown device."));
  }

  void allocators() {
    Allocator* const built_in = cpu_allocator();
    QCOMPARE(built_in->Name(), std::string("cpu"));
    QCOMPARE(AllocatorRegistry::GetAllocator(), built_in);
    AllocatorRegistry::Register("low", 50, std::make_unique<CountingAllocator>());
    QCOMPARE(cpu_allocator(), built_in);
    AllocatorRegistry::Register("high", 150, std::make_unique<CountingAllocator>());
    QCOMPARE(cpu_allocator()->Name(), std::string("counting"));
    std::string logged;
    const LogSink former = SetLogSink([&](LogSeverity, std::string_view message) { logged += message; });
    AllocatorRegistry::Register("high", 150, std::make_unique<CountingAllocator>());
    SetLogSink(former);
    QCOMPARE(logged, std::string("An allocator 'high' of priority 150 is registered already; the first stays."));
    QVERIFY(AllocatorRegistry::GetAllocator("low") != nullptr);
    QVERIFY(AllocatorRegistry::GetAllocator("none") == nullptr);
    const int before = CountingAllocator::count;
    QVERIFY(Tensor::Make(DT_FLOAT, TensorShape({1000})).ok());
    QCOMPARE(CountingAllocator::count, before + 1);
  }

  void fullStatistics() {
    QVERIFY(!CPUAllocatorFullStatsEnabled());
    QVERIFY(!cpu_allocator()->TracksAllocationSizes());
    SessionOptions options;
    options.config.mutable_graph_options()->set_build_cost_model(1);
    QVERIFY(NewSession(options).ok());
    QVERIFY(CPUAllocatorFullStatsEnabled());
    Allocator* const allocator = cpu_allocator();
    QVERIFY(allocator->TracksAllocationSizes());
    void* const ptr = allocator->AllocateRaw(64, 1000, {.node = "me"});
    QCOMPARE(allocator->RequestedSize(ptr), size_t{1000});
    QCOMPARE(allocator->GetStats()->bytes_in_use, int64_t{1000});
    QCOMPARE(allocator->Snapshot().at(0).node, std::string("me"));
    allocator->DeallocateRaw(ptr);
    QCOMPARE(allocator->GetStats()->bytes_in_use, int64_t{0});
  }

  void trackingAllocator() {
    TrackingAllocator::Options options;
    options.keep_records = true;
    TrackingAllocator tracking(AllocatorRegistry::GetAllocator("DefaultCPUAllocator"), options);
    void* const a = tracking.AllocateRaw(64, 100, {});
    void* const b = tracking.AllocateRaw(64, 50, {});
    tracking.DeallocateRaw(a);
    void* const c = tracking.AllocateRaw(64, 20, {});
    const auto sizes = tracking.GetSizes();
    QCOMPARE(sizes.total, int64_t{170});
    QCOMPARE(sizes.high_watermark, int64_t{150});
    QCOMPARE(sizes.live, int64_t{70});
    QCOMPARE(tracking.AllocationId(c), int64_t{3});
    std::vector<int64_t> bytes;
    for (const auto& record : tracking.GetRecords()) bytes.push_back(record.bytes);
    QCOMPARE(bytes, (std::vector<int64_t>{100, 50, -100, 20}));
    tracking.ClearStats();
    QCOMPARE(tracking.GetStats()->peak_bytes_in_use, int64_t{70});
    tracking.DeallocateRaw(b);
    tracking.DeallocateRaw(c);
  }

  void counters() {
    metrics::GetCounter("tst/registries")->IncrementBy(3);
    metrics::GetCounter("tst/registries")->Increment();
    QCOMPARE(metrics::Value("tst/registries"), int64_t{4});
    QCOMPARE(metrics::Value("tst/unknown"), int64_t{0});
    QCOMPARE(metrics::Values().at("tst/registries"), int64_t{4});
  }
};

QTEST_APPLESS_MAIN(TstRegistries)
#include "tst_registries.moc"
