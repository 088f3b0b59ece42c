#include "engine/framework/allocator.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

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
    if (num_bytes == 0 || num_bytes > limit_ || num_bytes > limit_ - std::min(limit_, in_use_.load())) return nullptr;
    void* ptr = nullptr;
    if (::posix_memalign(&ptr, std::max(alignment, sizeof(void*)), num_bytes) != 0) return nullptr;
    in_use_ += ::malloc_usable_size(ptr);
    return ptr;
  }

  void DeallocateRaw(void* ptr) override {
    if (!ptr) return;
    in_use_ -= ::malloc_usable_size(ptr);
    std::free(ptr);
  }

 private:
  const size_t limit_ = PhysicalMemoryBytes();
  std::atomic<size_t> in_use_{0};
};

}  // namespace

Allocator* cpu_allocator() {
  // Never destroyed: tensors in static objects may outlive any order of destruction.
  static auto* const allocator = new CpuAllocator;
  return allocator;
}

}  // namespace opscope
