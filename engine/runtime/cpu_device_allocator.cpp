#include "engine/runtime/cpu_device_allocator.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "engine/base/text.h"
#include "engine/runtime/bfc_allocator/bfc_allocator.h"

namespace opscope {
namespace {

// TensorFlow's, when nothing else is said: 64 GiB.
constexpr int64_t kDefaultBfcLimitMiB = int64_t{1} << 16;
constexpr int64_t kMaxBfcLimitMiB = int64_t{1} << 40;

std::string_view Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : std::string_view();
}

// TensorFlow's spellings of a switch that is on.
bool IsOn(std::string_view value) {
  std::string lower(value);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "1" || lower == "true";
}

size_t BfcLimit(const SessionOptions& options) {
  if (options.memory_limit_bytes) return static_cast<size_t>(std::max<int64_t>(*options.memory_limit_bytes, 0));
  int64_t mib = 0;
  if (!ParseInt64(Environment("TF_CPU_BFC_MEM_LIMIT_IN_MB"), &mib) || mib <= 0) mib = kDefaultBfcLimitMiB;
  return static_cast<size_t>(std::min(mib, kMaxBfcLimitMiB)) << 20;
}

}  // namespace

StatusOr<std::unique_ptr<Allocator>> NewCpuDeviceAllocator(const SessionOptions& options) {
  if (options.cpu_allocator != "cpu" && options.cpu_allocator != "bfc") {
    return errors::InvalidArgument("There is no allocator '", options.cpu_allocator, "' for CPU devices; there are cpu and bfc");
  }
  if (options.cpu_allocator == "bfc" || IsOn(Environment("TF_CPU_ALLOCATOR_USE_BFC"))) {
    BFCAllocator::Options bfc;
    // A run that lacks memory fails at once: nobody wants to watch it wait ten seconds.
    bfc.allow_retry_on_failure = false;
    std::unique_ptr<Allocator> made = std::make_unique<BFCAllocator>(NewSubAllocator(cpu_allocator()), BfcLimit(options),
                                                                     "bfc_cpu_allocator_for_gpu", bfc);
    return made;
  }
  return NewTrackingAllocator(cpu_allocator()->Name(), cpu_allocator(), options.memory_limit_bytes);
}

}  // namespace opscope
