#pragma once
// SubAllocator: where a BFC allocator's regions come from.

#include <cstddef>
#include <memory>

#include "engine/framework/allocator.h"

namespace opscope {

/// Gives large pieces of memory and takes them back whole. Threads: called by one thread at a time.
class SubAllocator {
 public:
  virtual ~SubAllocator() = default;
  /// At least `num_bytes`; how many they are goes to `bytes_received`. nullptr when they aren't to be had.
  virtual void* Alloc(size_t alignment, size_t num_bytes, size_t* bytes_received) = 0;
  virtual void Free(void* ptr, size_t num_bytes) = 0;
  /// Whether pieces that lie side by side may be used, and come back, as one.
  virtual bool SupportsCoalescing() const = 0;
};

/// Takes pieces from another allocator. Ownership: borrows `base`.
std::unique_ptr<SubAllocator> NewSubAllocator(Allocator* base);

}  // namespace opscope
