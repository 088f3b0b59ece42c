#include "engine/base/metrics.h"

#include <memory>
#include <mutex>

namespace opscope::metrics {
namespace {

struct Counters {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Counter>, std::less<>> by_name;
};

// Never destroyed: counters are kept by pointer.
Counters& All() {
  static auto* const counters = new Counters;
  return *counters;
}

}  // namespace

Counter* GetCounter(std::string_view name) {
  Counters& all = All();
  std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  if (found != all.by_name.end()) return found->second.get();
  return all.by_name.emplace(std::string(name), std::make_unique<Counter>()).first->second.get();
}

int64_t Value(std::string_view name) {
  Counters& all = All();
  std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? 0 : found->second->value();
}

std::map<std::string, int64_t> Values() {
  Counters& all = All();
  std::lock_guard lock(all.mutex);
  std::map<std::string, int64_t> values;
  for (const auto& [name, counter] : all.by_name) values.emplace(name, counter->value());
  return values;
}

}  // namespace opscope::metrics
