#include "engine/runtime/bfc_allocator/sub_allocator.h"

namespace opscope {
namespace {

class AllocatorBackedSubAllocator final : public SubAllocator {
 public:
  explicit AllocatorBackedSubAllocator(Allocator* base) : base_(base) {}

  void* Alloc(size_t alignment, size_t num_bytes, size_t* bytes_received) override {
    *bytes_received = num_bytes;
    return base_->AllocateRaw(alignment, num_bytes, {});
  }
  void Free(void* ptr, size_t) override { base_->DeallocateRaw(ptr); }
  // Each piece has to go back as it came.
  bool SupportsCoalescing() const override { return false; }

 private:
  Allocator* const base_;
};

}  // namespace

std::unique_ptr<SubAllocator> NewSubAllocator(Allocator* base) { return std::make_unique<AllocatorBackedSubAllocator>(base); }

}  // namespace opscope
