#include "engine/runtime/device_allocator.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/framework/tensor_rep.h"

namespace opscope {
namespace {

thread_local std::vector<AllocationEvent>* recorded_events = nullptr;

}  // namespace

DeviceAllocator::Recording::Recording(std::vector<AllocationEvent>* events) : previous_(recorded_events) {
  recorded_events = events;
}

DeviceAllocator::Recording::~Recording() { recorded_events = previous_; }

DeviceAllocator::DeviceAllocator(std::unique_ptr<Allocator> tracked, std::string device)
    : tracked_(std::move(tracked)), name_(tracked_->Name()), device_(std::move(device)) {
  // A limit is enforced, and a pool laid out, by the allocator below: it has to see every byte.
  const auto stats = tracked_->GetStats();
  counts_small_ = stats && !stats->bytes_limit && !stats->pool_bytes && tracked_->TracksAllocationSizes();
}

void* DeviceAllocator::AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) {
  void* ptr = tracked_->AllocateRaw(alignment, num_bytes, attributes);
  if (!ptr) return nullptr;
  refs_.fetch_add(1, std::memory_order_relaxed);
  if (counts_small_) Grow(static_cast<int64_t>(tracked_->AllocatedSize(ptr)));
  if (recorded_events) Note(ptr, static_cast<int64_t>(tracked_->AllocatedSize(ptr)));
  return ptr;
}

void DeviceAllocator::DeallocateRaw(void* ptr) {
  if (!ptr) return;
  const int64_t bytes = recorded_events || counts_small_ ? static_cast<int64_t>(tracked_->AllocatedSize(ptr)) : 0;
  tracked_->DeallocateRaw(ptr);
  if (counts_small_) in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  if (recorded_events) Note(ptr, -bytes);
  Unref();
}

bool DeviceAllocator::CountSmall(const void* ptr, size_t num_bytes, int64_t* id) {
  if (!counts_small_) return false;
  refs_.fetch_add(1, std::memory_order_relaxed);
  *id = 2 * small_ids_.fetch_add(1, std::memory_order_relaxed) + 1;
  Grow(static_cast<int64_t>(num_bytes));
  if (recorded_events) Note(ptr, static_cast<int64_t>(num_bytes));
  return true;
}

void DeviceAllocator::UncountSmall(const void* ptr, size_t num_bytes) {
  in_use_.fetch_sub(static_cast<int64_t>(num_bytes), std::memory_order_relaxed);
  if (recorded_events) Note(ptr, -static_cast<int64_t>(num_bytes));
  Unref();
}

void DeviceAllocator::Grow(int64_t bytes) {
  num_allocs_.fetch_add(1, std::memory_order_relaxed);
  const int64_t in_use = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const auto raise = [](std::atomic<int64_t>* most, int64_t value) {
    int64_t known = most->load(std::memory_order_relaxed);
    while (value > known && !most->compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
  };
  raise(&peak_, in_use);
  raise(&largest_, bytes);
}

std::optional<AllocatorStats> DeviceAllocator::GetStats() const {
  std::optional<AllocatorStats> stats = tracked_->GetStats();
  if (!counts_small_ || !stats) return stats;
  stats->num_allocs = num_allocs_;
  stats->bytes_in_use = in_use_;
  stats->peak_bytes_in_use = peak_;
  stats->largest_alloc_size = largest_;
  return stats;
}

void DeviceAllocator::ClearStats() {
  tracked_->ClearStats();
  num_allocs_ = 0;
  peak_ = in_use_.load();
  largest_ = 0;
}

std::vector<AllocatorChunk> DeviceAllocator::Snapshot() const {
  std::vector<AllocatorChunk> chunks = tracked_->Snapshot();
  if (!counts_small_) return chunks;
  for (AllocatorChunk& chunk : chunks) chunk.allocation_id = OuterId(chunk.allocation_id);
  TensorRep::ForEachSmall(this, [&chunks](AllocatorChunk chunk) { chunks.push_back(std::move(chunk)); });
  std::sort(chunks.begin(), chunks.end(),
            [](const AllocatorChunk& a, const AllocatorChunk& b) { return a.address < b.address; });
  for (AllocatorChunk& chunk : chunks) chunk.offset = static_cast<int64_t>(chunk.address - chunks.front().address);
  return chunks;
}

void DeviceAllocator::Note(const void* ptr, int64_t bytes) const {
  AllocationEvent event;
  event.allocator = name_;
  event.bytes = bytes;
  event.time_ns = Clock::System().NowNanos();
  event.bytes_in_use = counts_small_ ? in_use_.load(std::memory_order_relaxed)
                                     : tracked_->GetStats().value_or(AllocatorStats()).bytes_in_use;
  event.address = reinterpret_cast<uintptr_t>(ptr);
  // What is counted only is as large as it was asked for.
  if (bytes > 0) event.requested = static_cast<int64_t>(tracked_->RequestedSize(ptr));
  if (bytes > 0 && event.requested == 0) event.requested = bytes;
  recorded_events->push_back(event);
}

void DeviceAllocator::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace opscope
