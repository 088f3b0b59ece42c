#include "engine/runtime/device_allocator.h"

#include "engine/base/clock.h"

namespace opscope {
namespace {

thread_local std::vector<AllocationEvent>* recorded_events = nullptr;

}  // namespace

DeviceAllocator::Recording::Recording(std::vector<AllocationEvent>* events) : previous_(recorded_events) {
  recorded_events = events;
}

DeviceAllocator::Recording::~Recording() { recorded_events = previous_; }

void* DeviceAllocator::AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) {
  void* ptr = tracked_->AllocateRaw(alignment, num_bytes, attributes);
  if (!ptr) return nullptr;
  refs_.fetch_add(1, std::memory_order_relaxed);
  if (recorded_events) Note(ptr, static_cast<int64_t>(tracked_->AllocatedSize(ptr)));
  return ptr;
}

void DeviceAllocator::DeallocateRaw(void* ptr) {
  if (!ptr) return;
  const int64_t bytes = recorded_events ? static_cast<int64_t>(tracked_->AllocatedSize(ptr)) : 0;
  tracked_->DeallocateRaw(ptr);
  if (recorded_events) Note(ptr, -bytes);
  Unref();
}

void DeviceAllocator::Note(void* ptr, int64_t bytes) const {
  AllocationEvent event;
  event.allocator = name_;
  event.bytes = bytes;
  event.time_ns = Clock::System().NowNanos();
  if (const auto stats = tracked_->GetStats()) event.bytes_in_use = stats->bytes_in_use;
  event.address = reinterpret_cast<uintptr_t>(ptr);
  recorded_events->push_back(event);
}

void DeviceAllocator::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace opscope
