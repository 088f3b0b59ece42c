#pragma once
// BfcHeap: regions cut into chunks, and the bins that free chunks wait in. What TensorFlow's BFC allocator keeps; the
// decisions (when to grow, to split, to give back) are BFCAllocator's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opscope {

/// Index of a chunk in its heap.
using ChunkHandle = uint32_t;
inline constexpr ChunkHandle kNoChunk = UINT32_MAX;

/// A piece of a region. Neighbours in one region are linked; all of a region is covered.
struct BfcChunk {
  char* ptr = nullptr;
  size_t size = 0;
  size_t requested_size = 0;   ///< Of the last request that it served; kept when it is free, as TensorFlow's dump shows it.
  int64_t allocation_id = -1;  ///< -1: free.
  ChunkHandle prev = kNoChunk, next = kNoChunk;
  int bin = -1;                ///< Where it waits when free.
  uint64_t action_count = 0;
  std::string node;

  bool in_use() const { return allocation_id != -1; }
};

/// Memory from the sub-allocator.
class BfcRegion {
 public:
  /// The chunk table is address space until it is touched. has_table() is false when there is none to be had.
  BfcRegion(char* ptr, size_t size);

  char* ptr() const { return ptr_; }
  char* end() const { return ptr_ + size_; }
  size_t size() const { return size_; }
  bool has_table() const { return table_ != nullptr; }
  /// Takes in `more` bytes behind its end; false when there is no memory for the table.
  bool Extend(size_t more);
  ChunkHandle handle(const void* at) const { return table_.get()[Index(at)] - 1; }
  void set_handle(const void* at, ChunkHandle h) { table_.get()[Index(at)] = h + 1; }

 private:
  struct Free {
    void operator()(ChunkHandle* table) const { std::free(table); }
  };
  using Table = std::unique_ptr<ChunkHandle, Free>;
  static Table MakeTable(size_t size);
  size_t Index(const void* at) const;

  char* ptr_ = nullptr;
  size_t size_ = 0;
  Table table_;  ///< For each 256 bytes the chunk that begins there plus one; 0 = none.
};

/// Not safe for several threads: the allocator locks.
class BfcHeap {
 public:
  static constexpr size_t kMinBytes = 256;  ///< Every chunk is a multiple of it.
  static constexpr int kNumBins = 21;       ///< Bin k: free chunks of 256 << k bytes and more.

  BfcHeap();
  BfcHeap(const BfcHeap&) = delete;
  BfcHeap& operator=(const BfcHeap&) = delete;

  static size_t RoundedBytes(size_t bytes) { return (bytes + kMinBytes - 1) / kMinBytes * kMinBytes; }
  static int BinForSize(size_t bytes);

  BfcChunk& chunk(ChunkHandle h) { return chunks_[h]; }
  const BfcChunk& chunk(ChunkHandle h) const { return chunks_[h]; }
  const std::vector<BfcRegion>& regions() const { return regions_; }  ///< By address.

  /// The region becomes one free chunk; where `coalesces` and the memory follows a region, that one grows. False, and
  /// nothing is changed, when there is no memory for the heap's own books.
  bool AddRegion(char* ptr, size_t size, bool coalesces);
  /// Forgets a region. REQUIRES: its chunks are free.
  void RemoveRegion(const void* ptr);
  bool IsFree(const BfcRegion& region) const;

  /// The smallest free chunk of a bin with `bytes` or more, from the bin of that size upwards; taken out of its bin. kNoChunk
  /// when there is none.
  ChunkHandle TakeFit(size_t bytes);
  /// Cuts a chunk that is in no bin to `bytes`; the rest becomes a free chunk.
  void Split(ChunkHandle h, size_t bytes);
  /// Joins a chunk with its free neighbours and puts it into its bin.
  void Release(ChunkHandle h);

  /// The chunk that begins at `ptr`; kNoChunk when none does.
  ChunkHandle Find(const void* ptr) const;
  size_t LargestFree() const;
  /// Chunks of a region, by address.
  template <typename Visit>
  void ForEachChunk(const BfcRegion& region, Visit visit) const {
    for (ChunkHandle h = region.handle(region.ptr()); h != kNoChunk; h = chunks_[h].next) visit(chunks_[h]);
  }

 private:
  struct BySizeThenAddress {
    const BfcHeap* heap;
    bool operator()(ChunkHandle a, ChunkHandle b) const;
  };
  using Bin = std::set<ChunkHandle, BySizeThenAddress>;

  ChunkHandle NewChunk();
  void DropChunk(ChunkHandle h);
  void Insert(ChunkHandle h);
  void Remove(ChunkHandle h);
  void Merge(ChunkHandle first, ChunkHandle second);
  BfcRegion* RegionOf(const void* ptr);
  const BfcRegion* RegionOf(const void* ptr) const { return const_cast<BfcHeap*>(this)->RegionOf(ptr); }

  std::vector<BfcChunk> chunks_;
  ChunkHandle unused_ = kNoChunk;  ///< List of chunk records to use again, by `next`.
  std::vector<BfcRegion> regions_;
  std::vector<Bin> bins_;
};

}  // namespace opscope
