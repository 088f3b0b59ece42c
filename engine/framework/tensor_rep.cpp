#include "engine/framework/tensor_rep.h"

#include <memory>
#include <mutex>
#include <unordered_set>

#include "engine/framework/tensor.h"

namespace opscope {
namespace {

constexpr size_t kBlockBytes = sizeof(TensorRep) + TensorRep::kSmallBytes;
constexpr size_t kSlabBlocks = 340;   // 64 KiB
constexpr int kBatch = 64;            // blocks that move between a thread and the others at once
constexpr int kMostKept = 4 * kBatch;

// Of the calling thread. Plain variables in static storage: no guard, no call.
#define OS_FAST_THREAD_LOCAL thread_local __attribute__((tls_model("initial-exec")))
OS_FAST_THREAD_LOCAL TensorRep* kept_head = nullptr;
OS_FAST_THREAD_LOCAL int kept_count = 0;
OS_FAST_THREAD_LOCAL bool thread_is_ending = false;

}  // namespace

struct TensorRep::Foreign {
  ReleaseMemory release;
  void* arg;
};

/// Blocks of all threads. Never destroyed, slabs are never given back: tensors may outlive anything.
class TensorRepPool {
 public:
  static TensorRepPool& Get() {
    static auto* const pool = new TensorRepPool;
    return *pool;
  }

  static TensorRep* Take() {
    if (!kept_head) Get().Refill();
    TensorRep* const rep = kept_head;
    kept_head = static_cast<TensorRep*>(rep->data_);
    --kept_count;
    return rep;
  }

  static void Give(TensorRep* rep) {
    rep->data_ = kept_head;
    kept_head = rep;
    if (++kept_count > kMostKept || thread_is_ending) Get().GiveBack(thread_is_ending ? kept_count : kBatch);
  }

  template <typename Visit>
  void ForEach(Visit visit) {
    std::lock_guard lock(mutex_);
    for (char* const slab : slabs_) {
      for (size_t i = 0; i < kSlabBlocks; ++i) visit(*reinterpret_cast<TensorRep*>(slab + i * kBlockBytes));
    }
  }

  void GiveBack(int count) {
    std::lock_guard lock(mutex_);
    for (; count > 0; --count) {
      TensorRep* const rep = kept_head;
      kept_head = static_cast<TensorRep*>(rep->data_);
      --kept_count;
      rep->data_ = free_;
      free_ = rep;
    }
  }

 private:
  struct AtThreadEnd {
    ~AtThreadEnd() {
      thread_is_ending = true;
      Get().GiveBack(kept_count);
    }
  };

  void Refill() {
    static thread_local AtThreadEnd at_thread_end;
    static_cast<void>(at_thread_end);
    std::lock_guard lock(mutex_);
    for (int i = 0; i < kBatch; ++i) {
      if (!free_) AddSlab();
      TensorRep* const rep = free_;
      free_ = static_cast<TensorRep*>(rep->data_);
      rep->data_ = kept_head;
      kept_head = rep;
      ++kept_count;
    }
  }

  void AddSlab() {
    auto* const slab = static_cast<char*>(::operator new(kBlockBytes * kSlabBlocks, std::align_val_t(Allocator::kAlignment)));
    slabs_.push_back(slab);
    for (size_t i = kSlabBlocks; i-- > 0;) {
      auto* const rep = new (slab + i * kBlockBytes) TensorRep;
      rep->data_ = free_;
      free_ = rep;
    }
  }

  std::mutex mutex_;
  TensorRep* free_ = nullptr;
  std::vector<char*> slabs_;
};

const std::string* InternNodeName(std::string_view name) {
  static auto* const mutex = new std::mutex;
  static auto* const names = new std::unordered_set<std::string>;
  std::lock_guard lock(*mutex);
  return &*names->emplace(name).first;
}

TensorRep* TensorRep::New(Kind kind, DataType dtype, const TensorShape& shape) {
  TensorRep* const rep = TensorRepPool::Take();
  rep->refs_.store(1, std::memory_order_relaxed);
  rep->dtype_ = dtype;
  rep->shape_ = shape;
  rep->base_ = nullptr;
  rep->kind_.store(kind, std::memory_order_release);
  return rep;
}

TensorRep* TensorRep::Make(DataType dtype, const TensorShape& shape, size_t bytes, Allocator* allocator,
                           const std::string* node) {
  TensorRep* const rep = TensorRepPool::Take();
  int64_t id = 0;
  const bool is_plain = dtype != DT_STRING && dtype != DT_RESOURCE && dtype != DT_VARIANT;
  const bool is_small = bytes <= kSmallBytes && is_plain && allocator->CountSmall(rep->small_data(), bytes, &id);
  void* data = rep->small_data();
  if (!is_small) {
    AllocationAttributes attributes;
    if (node) attributes.node = *node;
    data = allocator->AllocateRaw(Allocator::kAlignment, bytes, attributes);
    if (!data) {
      TensorRepPool::Give(rep);
      return nullptr;
    }
  }
  rep->refs_.store(1, std::memory_order_relaxed);
  rep->dtype_ = dtype;
  rep->shape_ = shape;
  rep->data_ = data;
  rep->base_ = nullptr;
  rep->size_bytes_.store(bytes, std::memory_order_relaxed);
  rep->allocator_.store(allocator, std::memory_order_relaxed);
  rep->id_.store(id, std::memory_order_relaxed);
  rep->node_.store(node, std::memory_order_relaxed);
  rep->kind_.store(is_small ? Kind::kSmall : Kind::kAllocated, std::memory_order_release);
  if (is_plain) return rep;
  const auto count = static_cast<size_t>(shape.num_elements());
  if (dtype == DT_STRING) std::uninitialized_default_construct_n(static_cast<tstring*>(data), count);
  if (dtype == DT_RESOURCE) std::uninitialized_default_construct_n(static_cast<ResourceHandle*>(data), count);
  if (dtype == DT_VARIANT) std::uninitialized_default_construct_n(static_cast<Variant*>(data), count);
  return rep;
}

TensorRep* TensorRep::MakeView(DataType dtype, const TensorShape& shape, TensorRep* base) {
  TensorRep* const rep = New(base ? Kind::kView : Kind::kForeign, dtype, shape);
  rep->base_ = base;
  rep->data_ = base ? base->data_ : nullptr;
  rep->size_bytes_.store(base ? base->size_bytes() : 0, std::memory_order_relaxed);
  rep->allocator_.store(nullptr, std::memory_order_relaxed);
  return rep;
}

TensorRep* TensorRep::MakeForeign(DataType dtype, const TensorShape& shape, void* data, size_t bytes,
                                  ReleaseMemory release, void* arg) {
  TensorRep* const rep = New(Kind::kForeign, dtype, shape);
  rep->data_ = data;
  rep->size_bytes_.store(bytes, std::memory_order_relaxed);
  rep->allocator_.store(nullptr, std::memory_order_relaxed);
  if (release) rep->foreign_ = new Foreign{release, arg};
  return rep;
}

void TensorRep::Destroy() {
  const Kind kind = kind_.load(std::memory_order_relaxed);
  kind_.store(Kind::kFree, std::memory_order_relaxed);
  void* const data = data_;
  Allocator* const allocator = allocator_.load(std::memory_order_relaxed);
  switch (kind) {
    case Kind::kSmall:
      allocator->UncountSmall(data, size_bytes());
      break;
    case Kind::kAllocated: {
      const auto count = static_cast<size_t>(shape_.num_elements());
      if (dtype_ == DT_STRING) std::destroy_n(static_cast<tstring*>(data), count);
      if (dtype_ == DT_RESOURCE) std::destroy_n(static_cast<ResourceHandle*>(data), count);
      if (dtype_ == DT_VARIANT) std::destroy_n(static_cast<Variant*>(data), count);
      allocator->DeallocateRaw(data);
      break;
    }
    case Kind::kView:
      base_->Unref();
      break;
    case Kind::kForeign:
      if (foreign_) {
        foreign_->release(data, size_bytes(), foreign_->arg);
        delete foreign_;
      }
      break;
    case Kind::kFree:
      break;
  }
  TensorRepPool::Give(this);
}

size_t TensorRep::RequestedBytes() const {
  const TensorRep* const rep = root();
  Allocator* const from = rep->allocator();
  if (rep->kind_.load(std::memory_order_relaxed) != Kind::kAllocated || !from->TracksAllocationSizes()) return rep->size_bytes();
  return from->RequestedSize(rep->data_);
}

size_t TensorRep::AllocatedBytes() const {
  const TensorRep* const rep = root();
  Allocator* const from = rep->allocator();
  if (rep->kind_.load(std::memory_order_relaxed) != Kind::kAllocated || !from->TracksAllocationSizes()) return rep->size_bytes();
  return from->AllocatedSize(rep->data_);
}

int64_t TensorRep::AllocationId() const {
  const TensorRep* const rep = root();
  if (rep->kind_.load(std::memory_order_relaxed) != Kind::kAllocated) return rep->id_.load(std::memory_order_relaxed);
  return rep->allocator()->AllocationId(rep->data_);
}

void TensorRep::ForEachSmall(const Allocator* allocator, const std::function<void(AllocatorChunk)>& visit) {
  TensorRepPool::Get().ForEach([&](TensorRep& rep) {
    if (rep.kind_.load(std::memory_order_acquire) != Kind::kSmall) return;
    if (rep.allocator_.load(std::memory_order_relaxed) != allocator) return;
    AllocatorChunk chunk;
    chunk.address = reinterpret_cast<uintptr_t>(rep.small_data());
    chunk.size = static_cast<int64_t>(rep.size_bytes());
    chunk.requested = chunk.size;
    chunk.in_use = true;
    chunk.allocation_id = rep.id_.load(std::memory_order_relaxed);
    if (const std::string* const node = rep.node_.load(std::memory_order_relaxed)) chunk.node = *node;
    visit(std::move(chunk));
  });
}

}  // namespace opscope
