#include "engine/runtime/bfc_allocator/bfc_allocator.h"

#include <algorithm>
#include <chrono>

namespace opscope {
namespace {

constexpr size_t kFirstRegionBytes = size_t{2} << 20;
constexpr size_t kMaxWaste = size_t{128} << 20;
constexpr double kBackOffFactor = 0.9;

}  // namespace

BFCAllocator::BFCAllocator(std::unique_ptr<SubAllocator> sub_allocator, size_t total_memory, std::string name,
                           const Options& options)
    : sub_allocator_(std::move(sub_allocator)), total_memory_(total_memory), name_(std::move(name)), options_(options) {
  const size_t first = options_.allow_growth ? std::min(total_memory_, kFirstRegionBytes) : total_memory_;
  next_region_bytes_ = std::max(BfcHeap::RoundedBytes(first), BfcHeap::kMinBytes);
  stats_.bytes_limit = static_cast<int64_t>(std::min<size_t>(total_memory_, INT64_MAX));
}

BFCAllocator::~BFCAllocator() {
  for (const BfcRegion& region : heap_.regions()) sub_allocator_->Free(region.ptr(), region.size());
}

void* BFCAllocator::AllocateRaw(size_t alignment, size_t num_bytes, const AllocationAttributes& attributes) {
  if (num_bytes == 0 || num_bytes > INT64_MAX) return nullptr;
  std::unique_lock lock(mutex_);
  void* ptr = TryAllocate(alignment, num_bytes, attributes.node);
  if (ptr || !options_.allow_retry_on_failure || !attributes.retry_on_failure) return ptr;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.max_wait_ms);
  while (!ptr && freed_.wait_until(lock, deadline) == std::cv_status::no_timeout) {
    ptr = TryAllocate(alignment, num_bytes, attributes.node);
  }
  return ptr;
}

void* BFCAllocator::TryAllocate(size_t alignment, size_t num_bytes, std::string_view node) {
  const size_t rounded = BfcHeap::RoundedBytes(num_bytes);
  if (void* ptr = TakeChunk(rounded, num_bytes, node)) return ptr;
  if (Extend(alignment, rounded)) return TakeChunk(rounded, num_bytes, node);
  // Small free regions may stand in the way of one that is large enough.
  if (options_.garbage_collection && DropFreeRegions(rounded) && Extend(alignment, rounded)) {
    return TakeChunk(rounded, num_bytes, node);
  }
  return nullptr;
}

void* BFCAllocator::TakeChunk(size_t rounded, size_t num_bytes, std::string_view node) {
  const ChunkHandle h = heap_.TakeFit(rounded);
  if (h == kNoChunk) return nullptr;
  const size_t size = heap_.chunk(h).size;
  const size_t max_waste = options_.fragmentation_fraction > 0
                               ? static_cast<size_t>(options_.fragmentation_fraction * static_cast<double>(total_memory_))
                               : kMaxWaste;
  if (size >= rounded * 2 || size - rounded >= max_waste) heap_.Split(h, rounded);
  BfcChunk& c = heap_.chunk(h);
  c.requested_size = num_bytes;
  c.allocation_id = next_allocation_id_++;
  c.action_count = ++actions_;
  c.node = node;
  ++stats_.num_allocs;
  stats_.bytes_in_use += static_cast<int64_t>(c.size);
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, static_cast<int64_t>(c.size));
  return c.ptr;
}

bool BFCAllocator::Extend(size_t alignment, size_t rounded) {
  const size_t available = (total_memory_ - pool_bytes_) / BfcHeap::kMinBytes * BfcHeap::kMinBytes;
  if (rounded > available) return false;
  bool increased = false;
  while (rounded > next_region_bytes_) {
    next_region_bytes_ *= 2;
    increased = true;
  }
  size_t received = 0;
  void* const ptr = AllocRegion(alignment, rounded, std::min(next_region_bytes_, available), &received);
  if (!ptr) return false;
  if (!heap_.AddRegion(static_cast<char*>(ptr), received, sub_allocator_->SupportsCoalescing())) {
    sub_allocator_->Free(ptr, received);
    return false;
  }
  // Garbage collection lets it grow for ever; beyond the total its size makes no difference.
  if (!increased && next_region_bytes_ < total_memory_) next_region_bytes_ *= 2;
  pool_bytes_ += received;
  peak_pool_bytes_ = std::max(peak_pool_bytes_, pool_bytes_);
  return true;
}

// Once it had to ask for less, it never does so again: a later failure is one.
void* BFCAllocator::AllocRegion(size_t alignment, size_t rounded, size_t bytes, size_t* received) {
  void* ptr = sub_allocator_->Alloc(alignment, bytes, received);
  if (ptr || backed_off_) return ptr;
  backed_off_ = true;
  while (!ptr) {
    bytes = BfcHeap::RoundedBytes(static_cast<size_t>(static_cast<double>(bytes) * kBackOffFactor));
    if (bytes < rounded) break;
    ptr = sub_allocator_->Alloc(alignment, bytes, received);
  }
  return ptr;
}

bool BFCAllocator::DropFreeRegions(size_t rounded) {
  std::vector<std::pair<char*, size_t>> free_regions;
  size_t free_bytes = 0;
  for (const BfcRegion& region : heap_.regions()) {
    if (!heap_.IsFree(region)) continue;
    free_regions.emplace_back(region.ptr(), region.size());
    free_bytes += region.size();
  }
  if (free_bytes == 0 || rounded > total_memory_ - pool_bytes_ + free_bytes) return false;
  for (const auto& [ptr, size] : free_regions) {
    heap_.RemoveRegion(ptr);
    sub_allocator_->Free(ptr, size);
    pool_bytes_ -= size;
  }
  return true;
}

void BFCAllocator::DeallocateRaw(void* ptr) {
  if (!ptr) return;
  {
    std::lock_guard lock(mutex_);
    const ChunkHandle h = heap_.Find(ptr);
    if (h == kNoChunk || !heap_.chunk(h).in_use()) return;
    BfcChunk& c = heap_.chunk(h);
    c.allocation_id = -1;
    c.action_count = ++actions_;
    c.node.clear();
    stats_.bytes_in_use -= static_cast<int64_t>(c.size);
    heap_.Release(h);
  }
  freed_.notify_all();
}

void BFCAllocator::ClearStats() {
  std::lock_guard lock(mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
}

}  // namespace opscope
