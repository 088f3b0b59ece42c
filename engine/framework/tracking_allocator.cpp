#include <algorithm>
#include <map>
#include <mutex>

#include "engine/framework/allocator.h"

namespace opscope {
namespace {

struct Record {
  size_t size = 0;
  int64_t id = 0;
  std::string node;
};

class TrackingAllocator final : public Allocator {
 public:
  TrackingAllocator(std::string name, Allocator* base, std::optional<int64_t> limit_bytes)
      : name_(std::move(name)), base_(base) {
    stats_.bytes_limit = limit_bytes;
  }

  std::string Name() const override { return name_; }

  void* AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) override {
    if (num_bytes == 0) return nullptr;
    std::lock_guard lock(mutex_);
    const auto bytes = static_cast<int64_t>(num_bytes);
    if (bytes < 0) return nullptr;
    if (stats_.bytes_limit && bytes > *stats_.bytes_limit - stats_.bytes_in_use) return nullptr;
    void* ptr = base_->AllocateRaw(alignment, num_bytes, attributes);
    if (!ptr) return nullptr;
    live_[ptr] = Record{num_bytes, ++next_id_, std::string(attributes.node)};
    ++stats_.num_allocs;
    stats_.bytes_in_use += bytes;
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
    stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, bytes);
    return ptr;
  }

  void DeallocateRaw(void* ptr) override {
    if (!ptr) return;
    std::lock_guard lock(mutex_);
    const auto found = live_.find(ptr);
    if (found != live_.end()) {
      stats_.bytes_in_use -= static_cast<int64_t>(found->second.size);
      live_.erase(found);
    }
    base_->DeallocateRaw(ptr);
  }

  bool TracksAllocationSizes() const override { return true; }

  size_t RequestedSize(const void* ptr) const override {
    std::lock_guard lock(mutex_);
    const auto found = live_.find(ptr);
    return found == live_.end() ? 0 : found->second.size;
  }

  int64_t AllocationId(const void* ptr) const override {
    std::lock_guard lock(mutex_);
    const auto found = live_.find(ptr);
    return found == live_.end() ? 0 : found->second.id;
  }

  std::optional<AllocatorStats> GetStats() const override {
    std::lock_guard lock(mutex_);
    AllocatorStats stats = stats_;
    if (stats.bytes_limit) stats.largest_free_block_bytes = *stats.bytes_limit - stats.bytes_in_use;
    return stats;
  }

  void ClearStats() override {
    std::lock_guard lock(mutex_);
    stats_.num_allocs = 0;
    stats_.peak_bytes_in_use = stats_.bytes_in_use;
    stats_.largest_alloc_size = 0;
  }

  std::vector<AllocatorChunk> Snapshot() const override {
    std::lock_guard lock(mutex_);
    std::vector<AllocatorChunk> chunks;
    const auto address = [](const void* p) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p)); };
    const int64_t first = live_.empty() ? 0 : address(live_.begin()->first);
    for (const auto& [ptr, record] : live_) {
      const auto size = static_cast<int64_t>(record.size);
      chunks.push_back({address(ptr) - first, size, size, true, record.id, record.node});
    }
    return chunks;
  }

 private:
  const std::string name_;
  Allocator* const base_;
  mutable std::mutex mutex_;
  AllocatorStats stats_;
  int64_t next_id_ = 0;
  std::map<const void*, Record> live_;
};

}  // namespace

std::unique_ptr<Allocator> NewTrackingAllocator(std::string name, Allocator* base, std::optional<int64_t> limit_bytes) {
  return std::make_unique<TrackingAllocator>(std::move(name), base, limit_bytes);
}

}  // namespace opscope
