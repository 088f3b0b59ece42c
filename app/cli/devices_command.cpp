// `opscope-cli devices`: the devices that a session would have.

#include <CLI/CLI.hpp>
#include <iostream>

#include "app/cli/command.h"
#include "app/cli/run_arguments.h"
#include "engine/base/text.h"
#include "engine/io/json.h"

namespace opscope::cli {
namespace {

struct Arguments {
  SessionArguments session;
  bool json = false;
};

JsonValue ToJson(const PoolInfo& pool) {
  return JsonValue::Object{{"name", pool.name},       {"kind", pool.kind},        {"asked", pool.asked},
                           {"threads", pool.threads}, {"shared", pool.is_shared}, {"sessions", pool.sessions}};
}

// `pools`: of memory and of threads, as they are in force.
JsonValue ToJson(const DeviceAttributes& device, const AllocatorSnapshot* allocator, const std::vector<PoolInfo>& threads) {
  JsonValue::Array pools;
  if (allocator) {
    JsonValue limit;
    if (allocator->stats.bytes_limit) limit = *allocator->stats.bytes_limit;
    pools.push_back(JsonValue::Object{{"name", allocator->name},
                                      {"kind", "memory"},
                                      {"bytes_limit", std::move(limit)},
                                      {"bytes_in_use", allocator->stats.bytes_in_use},
                                      {"peak_bytes", allocator->stats.peak_bytes_in_use}});
  }
  for (const PoolInfo& pool : threads) pools.push_back(ToJson(pool));
  return JsonValue::Object{
      {"name", device.name()},
      {"type", device.device_type()},
      {"memory_limit", static_cast<int64_t>(device.memory_limit())},
      {"incarnation", std::to_string(device.incarnation())},
      {"locality", JsonValue::Object{{"bus_id", device.locality().bus_id()}, {"numa_node", device.locality().numa_node()}}},
      {"physical", device.physical_device_desc()},
      {"pools", std::move(pools)}};
}

Status ListDevices(const Arguments& arguments) {
  OS_ASSIGN_OR_RETURN(const SessionOptions options, MakeSessionOptions(arguments.session));
  OS_ASSIGN_OR_RETURN(const auto session, NewSession(options));
  std::vector<DeviceAttributes> devices;
  OS_RETURN_IF_ERROR(session->ListDevices(&devices));
  const std::vector<AllocatorSnapshot> allocators = session->AllocatorSnapshots();
  JsonValue::Array list;
  for (const DeviceAttributes& device : devices) {
    const AllocatorSnapshot* allocator = nullptr;
    for (const AllocatorSnapshot& snapshot : allocators) {
      if (snapshot.device == device.name()) allocator = &snapshot;
    }
    if (arguments.json) {
      list.push_back(ToJson(device, allocator, session->Pools()));
    } else {
      std::cout << device.name() << "  " << device.device_type() << "  " << HumanBytes(device.memory_limit()) << "\n";
    }
  }
  if (arguments.json) std::cout << JsonValue(std::move(list)).ToString() << "\n";
  return Status::OK();
}

}  // namespace

CommandFunction SetUpDevices(CLI::App* app) {
  const auto arguments = std::make_shared<Arguments>();
  AddSessionOptions(app, &arguments->session, false);
  app->add_flag("--json", arguments->json, "Print one JSON document");
  return [arguments] { return ListDevices(*arguments); };
}

}  // namespace opscope::cli
