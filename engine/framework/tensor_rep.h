#pragma once
// TensorRep: what tensors that are copies of each other share: a reference count, type, shape, and where the elements are.
// One block of memory holds it all for small tensors; blocks are handed out again at once by the thread that gave them back.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/framework/allocator.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"

namespace opscope {

/// A node's name that lives as long as the process: owners of memory are told by it. Threads: any.
const std::string* InternNodeName(std::string_view name);

/// Called when foreign memory is no longer needed.
using ReleaseMemory = void (*)(void* data, size_t bytes, void* arg);

/// Made by the functions of Tensor only. Threads: counts are atomic; the rest is constant while it is shared.
class TensorRep {
 public:
  /// Elements of at most so many bytes lie in the block itself.
  static constexpr size_t kSmallBytes = 64;

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    // The only owner needs no locked operation.
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  int refs() const { return refs_.load(std::memory_order_acquire); }

  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_.load(std::memory_order_relaxed); }
  /// The one that gave or counts the memory; nullptr for foreign memory.
  Allocator* allocator() const { return root()->allocator_.load(std::memory_order_relaxed); }
  /// The rep that owns the memory: itself unless it is a view.
  const TensorRep* root() const { return is_view() ? base_ : this; }
  TensorRep* root() { return is_view() ? base_ : this; }
  /// How many tensors can see the memory, at least.
  int users() const { return is_view() ? refs() + base_->refs() - 1 : refs(); }
  bool is_only_user() const { return refs() == 1 && (!is_view() || base_->refs() == 1); }
  /// As the allocator says, also for what it only counts.
  size_t RequestedBytes() const;
  size_t AllocatedBytes() const;
  int64_t AllocationId() const;

  /// nullptr when the memory isn't to be had. REQUIRES: `bytes` fits the shape; dtype has elements.
  static TensorRep* Make(DataType dtype, const TensorShape& shape, size_t bytes, Allocator* allocator,
                         const std::string* node);
  /// The memory of `base` (not a view; nullptr: none) seen as another type and shape; takes over one count of it.
  static TensorRep* MakeView(DataType dtype, const TensorShape& shape, TensorRep* base);
  static TensorRep* MakeForeign(DataType dtype, const TensorShape& shape, void* data, size_t bytes, ReleaseMemory release,
                                void* arg);

  /// The live small tensors that `allocator` counts. Others may come and go meanwhile.
  static void ForEachSmall(const Allocator* allocator, const std::function<void(AllocatorChunk)>& visit);

 private:
  friend class Tensor;
  friend class TensorRepPool;
  enum class Kind : uint8_t { kFree, kSmall, kAllocated, kView, kForeign };
  struct Foreign;

  TensorRep() = default;
  ~TensorRep() = default;
  static TensorRep* New(Kind kind, DataType dtype, const TensorShape& shape);
  void Destroy();
  bool is_view() const { return kind_.load(std::memory_order_relaxed) == Kind::kView; }
  void* small_data() { return reinterpret_cast<char*>(this) + sizeof(TensorRep); }

  std::atomic<int32_t> refs_{1};
  DataType dtype_ = DT_INVALID;
  std::atomic<Kind> kind_{Kind::kFree};  // as the next ones looked at by ForEachSmall at any time
  void* data_ = nullptr;
  std::atomic<size_t> size_bytes_{0};
  std::atomic<Allocator*> allocator_{nullptr};
  union {
    TensorRep* base_ = nullptr;
    Foreign* foreign_;
  };
  std::atomic<int64_t> id_{0};
  std::atomic<const std::string*> node_{nullptr};
  TensorShape shape_;
};
static_assert(sizeof(TensorRep) == 128, "the elements of a small tensor begin at a cache line");

}  // namespace opscope
