#include "engine/framework/tracking_allocator.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace opscope {

TrackingAllocator::TrackingAllocator(Allocator* base, Options options) : base_(base), options_(std::move(options)) {
  stats_.bytes_limit = options_.limit_bytes;
}

void* TrackingAllocator::AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) {
  if (num_bytes == 0) return nullptr;
  std::lock_guard lock(mutex_);
  const auto bytes = static_cast<int64_t>(num_bytes);
  if (bytes < 0) return nullptr;
  if (stats_.bytes_limit && bytes > *stats_.bytes_limit - stats_.bytes_in_use) return nullptr;
  void* ptr = base_->AllocateRaw(alignment, num_bytes, attributes);
  if (!ptr) return nullptr;
  Live& live = live_[ptr];
  live = Live{bytes, bytes, ++next_id_, ++actions_, std::string(attributes.node)};
  if (base_->TracksAllocationSizes()) {
    live.requested = static_cast<int64_t>(base_->RequestedSize(ptr));
    live.allocated = static_cast<int64_t>(base_->AllocatedSize(ptr));
    if (const int64_t id = base_->AllocationId(ptr); id != 0) live.id = id;
  }
  ++stats_.num_allocs;
  stats_.bytes_in_use += live.allocated;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, live.allocated);
  total_bytes_ += live.allocated;
  high_watermark_ = std::max(high_watermark_, stats_.bytes_in_use);
  Note(live.allocated);
  return ptr;
}

void TrackingAllocator::DeallocateRaw(void* ptr) {
  if (!ptr) return;
  std::lock_guard lock(mutex_);
  const auto found = live_.find(ptr);
  if (found != live_.end()) {
    ++actions_;
    stats_.bytes_in_use -= found->second.allocated;
    Note(-found->second.allocated);
    live_.erase(found);
  }
  base_->DeallocateRaw(ptr);
}

const TrackingAllocator::Live* TrackingAllocator::Find(const void* ptr) const {
  const auto found = live_.find(ptr);
  return found == live_.end() ? nullptr : &found->second;
}

void TrackingAllocator::Note(int64_t bytes) {
  if (options_.keep_records) records_.push_back({bytes, Clock::System().NowNanos()});
}

size_t TrackingAllocator::RequestedSize(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const Live* const live = Find(ptr);
  return live ? static_cast<size_t>(live->requested) : 0;
}

size_t TrackingAllocator::AllocatedSize(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const Live* const live = Find(ptr);
  return live ? static_cast<size_t>(live->allocated) : 0;
}

int64_t TrackingAllocator::AllocationId(const void* ptr) const {
  std::lock_guard lock(mutex_);
  const Live* const live = Find(ptr);
  return live ? live->id : 0;
}

std::optional<AllocatorStats> TrackingAllocator::GetStats() const {
  std::lock_guard lock(mutex_);
  AllocatorStats stats = stats_;
  if (stats.bytes_limit) stats.largest_free_block_bytes = *stats.bytes_limit - stats.bytes_in_use;
  return stats;
}

void TrackingAllocator::ClearStats() {
  std::lock_guard lock(mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
}

std::vector<AllocatorChunk> TrackingAllocator::Snapshot() const {
  std::lock_guard lock(mutex_);
  std::vector<AllocatorChunk> chunks;
  const auto address = [](const void* p) { return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(p)); };
  const uint64_t first = live_.empty() ? 0 : address(live_.begin()->first);
  for (const auto& [ptr, live] : live_) {
    AllocatorChunk chunk;
    chunk.offset = static_cast<int64_t>(address(ptr) - first);
    chunk.size = live.allocated;
    chunk.requested = live.requested;
    chunk.in_use = true;
    chunk.allocation_id = live.id;
    chunk.node = live.node;
    chunk.address = address(ptr);
    chunk.action_count = live.action;
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

TrackingAllocator::Sizes TrackingAllocator::GetSizes() const {
  std::lock_guard lock(mutex_);
  return {total_bytes_, high_watermark_, stats_.bytes_in_use};
}

std::vector<TrackingAllocator::Record> TrackingAllocator::GetRecords() const {
  std::lock_guard lock(mutex_);
  return records_;
}

std::unique_ptr<Allocator> NewTrackingAllocator(std::string name, Allocator* base, std::optional<int64_t> limit_bytes) {
  return std::make_unique<TrackingAllocator>(base, TrackingAllocator::Options{std::move(name), limit_bytes, false});
}

}  // namespace opscope
