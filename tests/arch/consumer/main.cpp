// A program outside the project: registers what interfaces.md, 6 says it can, and fails when the engine behaves otherwise.
#include <opscope/allocator.h>
#include <opscope/device_factory.h>
#include <opscope/env.h>
#include <opscope/metrics.h>
#include <opscope/session.h>
#include <opscope/session_factory.h>

#include "checks.h"
#include "engine/ops/op_catalogue.h"
#include "engine/proto/op_def.pb.h"

namespace {

using namespace opscope;

void CatalogueIsThere() {
  const std::string_view bytes = EmbeddedOpList();
  tensorflow::OpList list;
  CHECK_TRUE(list.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  CHECK_TRUE(list.op_size() >= 530);
}

// The last element of 3 + 4 from a session of these options: kernels and operations are linked.
Status RunSum(const SessionOptions& options, float* sum) {
  GraphDef graph;
  for (const char* name : {"a", "b"}) {
    auto* const node = graph.add_node();
    node->set_name(name);
    node->set_op("Const");
    (*node->mutable_attr())["dtype"].set_type(DT_FLOAT);
    auto* const value = (*node->mutable_attr())["value"].mutable_tensor();
    value->set_dtype(DT_FLOAT);
    value->mutable_tensor_shape()->add_dim()->set_size(1000);
    value->add_float_val(name[0] == 'a' ? 3.0F : 4.0F);
  }
  auto* const add = graph.add_node();
  add->set_name("c");
  add->set_op("AddV2");
  add->add_input("a");
  add->add_input("b");
  (*add->mutable_attr())["T"].set_type(DT_FLOAT);
  Session* session = nullptr;
  OS_RETURN_IF_ERROR(NewSession(options, &session));
  const std::unique_ptr<Session> owned(session);
  OS_RETURN_IF_ERROR(session->Create(graph));
  std::vector<Tensor> outputs;
  OS_RETURN_IF_ERROR(session->Run({}, {"c:0"}, {}, &outputs));
  *sum = outputs[0].flat<float>()[999];
  return session->Close();
}

class CountingAllocator final : public Allocator {
 public:
  std::string Name() const override { return "counting"; }
  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override {
    ++count;
    return base_->AllocateRaw(alignment, num_bytes, attributes);
  }
  void DeallocateRaw(void* ptr) override { base_->DeallocateRaw(ptr); }
  static inline int count = 0;

 private:
  Allocator* const base_ = AllocatorRegistry::GetAllocator("DefaultCPUAllocator");
};

void AllocatorOfHigherPriorityIsUsed() {
  AllocatorRegistry::Register("counting", 300, std::make_unique<CountingAllocator>());
  CHECK_TRUE(cpu_allocator()->Name() == "counting");
  float sum = 0;
  CHECK_OK(RunSum({}, &sum));
  CHECK_TRUE(sum == 7.0F);
  CHECK_TRUE(CountingAllocator::count > 0);
}

void CostModelTracksSizes() {
  CHECK_TRUE(!cpu_allocator()->TracksAllocationSizes());
  SessionOptions options;
  options.config.mutable_graph_options()->set_build_cost_model(1);
  float sum = 0;
  CHECK_OK(RunSum(options, &sum));
  CHECK_TRUE(cpu_allocator()->TracksAllocationSizes());
  void* const ptr = cpu_allocator()->AllocateRaw(64, 100, {});
  CHECK_TRUE(cpu_allocator()->RequestedSize(ptr) == 100);
  cpu_allocator()->DeallocateRaw(ptr);
}

class GreedyFactory final : public SessionFactory {
 public:
  bool AcceptsOptions(const SessionOptions& options) override { return is_on && options.target.empty(); }
  Status NewSession(const SessionOptions&, Session**) override { return errors::Internal("not to be asked"); }
  static inline bool is_on = true;
};

void TwoFactoriesForOneTarget() {
  SessionFactory::Register("GREEDY_SESSION", std::make_unique<GreedyFactory>());
  Session* session = nullptr;
  const Status status = NewSession(SessionOptions(), &session);
  CHECK_TRUE(status.code() == Code::kInternal && session == nullptr);
  CHECK_HAS(status.message(), "DIRECT_SESSION");
  CHECK_HAS(status.message(), "GREEDY_SESSION");
  CHECK_TRUE(Reset(SessionOptions(), {}).code() == Code::kInternal);
  GreedyFactory::is_on = false;

  std::string logged;
  const LogSink former = SetLogSink([&](LogSeverity, std::string_view message) { logged += message; });
  SessionFactory::Register("DIRECT_SESSION", std::make_unique<GreedyFactory>());
  SetLogSink(former);
  CHECK_HAS(logged, "DIRECT_SESSION");
  float sum = 0;
  CHECK_OK(RunSum({}, &sum));

  SessionOptions nobody;
  nobody.target = "nobody";
  CHECK_HAS(NewSession(nobody, &session).message(), "DIRECT_SESSION, GREEDY_SESSION, GRPC_SESSION");
}

class NinthFactory final : public DeviceFactory {
 public:
  Status CreateDevices(const SessionOptions& options, const std::string& name_prefix,
                       std::vector<std::unique_ptr<Device>>* devices) override {
    OS_ASSIGN_OR_RETURN(auto device, NewThreadPoolDevice(options, name_prefix + "/device:CPU:9"));
    devices->push_back(std::move(device));
    return Status::OK();
  }
};

void DeviceFactoryOfHigherPriorityWins() {
  DeviceFactory::Register("CPU", std::make_unique<NinthFactory>(), 80);
  Session* session = nullptr;
  CHECK_TRUE(NewSession(SessionOptions(), &session).ok());
  std::vector<DeviceAttributes> devices;
  CHECK_TRUE(session->ListDevices(&devices).ok());
  CHECK_TRUE(devices.size() == 1 && devices[0].name() == "/job:localhost/replica:0/task:0/device:CPU:9");
  delete session;
  float sum = 0;
  CHECK_OK(RunSum({}, &sum));
  CHECK_TRUE(DeviceFactory::Remove("CPU"));
  const Status status = NewSession(SessionOptions(), &session);
  CHECK_TRUE(status.code() == Code::kNotFound);
  CHECK_HAS(status.message(), "CPU Factory not registered");
}

}  // namespace

int main() {
  CatalogueIsThere();
  AllocatorOfHigherPriorityIsUsed();
  CostModelTracksSizes();
  TwoFactoriesForOneTarget();
  DeviceFactoryOfHigherPriorityWins();
  CHECK_TRUE(metrics::Value("session_created") == 5);
  if (failures == 0) std::cout << "the installed engine does what its page says\n";
  return failures == 0 ? 0 : 1;
}
