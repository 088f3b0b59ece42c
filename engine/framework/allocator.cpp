#include "engine/framework/allocator.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "engine/base/log.h"
#include "engine/base/status.h"
#include "engine/framework/tracking_allocator.h"

namespace opscope {
namespace {

// More than the machine has would be promised by an overcommitting kernel and then kill the process when it is touched.
size_t PhysicalMemoryBytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return SIZE_MAX;
  return static_cast<size_t>(pages) * static_cast<size_t>(page_bytes);
}

class CpuAllocator final : public Allocator {
 public:
  std::string Name() const override { return "cpu"; }

  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes&) override {
    const size_t in_use = in_use_.load(std::memory_order_relaxed);
    if (num_bytes == 0 || num_bytes > limit_ || num_bytes > limit_ - std::min(limit_, in_use)) return nullptr;
    void* ptr = nullptr;
    if (::posix_memalign(&ptr, std::max(alignment, sizeof(void*)), num_bytes) != 0) return nullptr;
    in_use_.fetch_add(::malloc_usable_size(ptr), std::memory_order_relaxed);
    return ptr;
  }

  void DeallocateRaw(void* ptr) override {
    if (!ptr) return;
    in_use_.fetch_sub(::malloc_usable_size(ptr), std::memory_order_relaxed);
    std::free(ptr);
  }

  size_t AllocatedSizeSlow(const void* ptr) const override { return ::malloc_usable_size(const_cast<void*>(ptr)); }

 private:
  const size_t limit_ = PhysicalMemoryBytes();
  std::atomic<size_t> in_use_{0};
};

// Never destroyed: tensors in static objects may outlive any order of destruction.
class Registry {
 public:
  static Registry& Get() {
    static auto* const registry = new Registry;
    return *registry;
  }

  void Register(const std::string& name, int priority, std::unique_ptr<Allocator> allocator) {
    std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.name != name || entry.priority != priority) continue;
      Log(LogSeverity::kError, StrCat("An allocator '", name, "' of priority ", priority, " is registered already; the first stays."));
      return;
    }
    // Sessions keep pointers to it: it lives for ever.
    entries_.push_back({name, priority, allocator.release()});
    Choose();
  }

  Allocator* Find(std::string_view name) {
    std::lock_guard lock(mutex_);
    const Entry* const best = Best(name);
    return best ? best->allocator : nullptr;
  }

  Allocator* best() {
    std::lock_guard lock(mutex_);
    return Best({})->allocator;
  }

  void EnableFullStats() {
    std::lock_guard lock(mutex_);
    full_stats_ = true;
    Choose();
  }

  bool full_stats() const { return full_stats_; }
  Allocator* current() const { return current_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::string name;
    int priority = 0;
    Allocator* allocator = nullptr;
  };

  Registry() {
    entries_.push_back({"DefaultCPUAllocator", 100, new CpuAllocator});
    Choose();
  }

  const Entry* Best(std::string_view name) const {
    const Entry* best = nullptr;
    for (const Entry& entry : entries_) {
      if (!name.empty() && entry.name != name) continue;
      if (!best || entry.priority > best->priority) best = &entry;
    }
    return best;
  }

  void Choose() {
    Allocator* allocator = Best({})->allocator;
    if (full_stats_ && !allocator->TracksAllocationSizes()) {
      Allocator*& tracked = tracked_[allocator];
      if (!tracked) tracked = new TrackingAllocator(allocator);
      allocator = tracked;
    }
    current_.store(allocator, std::memory_order_release);
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::map<Allocator*, Allocator*> tracked_;
  std::atomic<bool> full_stats_{false};
  std::atomic<Allocator*> current_{nullptr};
};

}  // namespace

void AllocatorRegistry::Register(const std::string& name, int priority, std::unique_ptr<Allocator> allocator) {
  if (allocator) Registry::Get().Register(name, priority, std::move(allocator));
}

Allocator* AllocatorRegistry::GetAllocator() { return Registry::Get().best(); }

Allocator* AllocatorRegistry::GetAllocator(std::string_view name) { return Registry::Get().Find(name); }

Allocator* cpu_allocator() { return Registry::Get().current(); }

void EnableCPUAllocatorFullStats() { Registry::Get().EnableFullStats(); }

bool CPUAllocatorFullStatsEnabled() { return Registry::Get().full_stats(); }

}  // namespace opscope
