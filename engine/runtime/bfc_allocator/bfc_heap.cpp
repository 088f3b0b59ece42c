#include "engine/runtime/bfc_allocator/bfc_heap.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opscope {

BfcRegion::BfcRegion(char* ptr, size_t size) : ptr_(ptr), size_(size), table_(MakeTable(size)) {}

BfcRegion::Table BfcRegion::MakeTable(size_t size) {
  const size_t entries = size / BfcHeap::kMinBytes + 1;
  return Table(static_cast<ChunkHandle*>(std::calloc(entries, sizeof(ChunkHandle))));
}

size_t BfcRegion::Index(const void* at) const {
  return static_cast<size_t>(static_cast<const char*>(at) - ptr_) / BfcHeap::kMinBytes;
}

bool BfcRegion::Extend(size_t more) {
  Table table = MakeTable(size_ + more);
  if (!table) return false;
  std::memcpy(table.get(), table_.get(), (size_ / BfcHeap::kMinBytes + 1) * sizeof(ChunkHandle));
  table_ = std::move(table);
  size_ += more;
  return true;
}

BfcHeap::BfcHeap() : bins_(kNumBins, Bin(BySizeThenAddress{this})) {}

bool BfcHeap::BySizeThenAddress::operator()(ChunkHandle a, ChunkHandle b) const {
  const BfcChunk& left = heap->chunk(a);
  const BfcChunk& right = heap->chunk(b);
  return left.size != right.size ? left.size < right.size : left.ptr < right.ptr;
}

int BfcHeap::BinForSize(size_t bytes) {
  const size_t units = std::max(bytes, kMinBytes) / kMinBytes;
  return std::min(kNumBins - 1, static_cast<int>(std::bit_width(units)) - 1);
}

bool BfcHeap::AddRegion(char* ptr, size_t size, bool coalesces) {
  auto at = std::upper_bound(regions_.begin(), regions_.end(), ptr, [](const char* p, const BfcRegion& r) { return p < r.end(); });
  ChunkHandle last = kNoChunk;
  BfcRegion* region = nullptr;
  if (coalesces && at != regions_.begin() && std::prev(at)->end() == ptr) {
    region = &*std::prev(at);
    last = region->handle(region->ptr());
    while (chunks_[last].next != kNoChunk) last = chunks_[last].next;
    if (!region->Extend(size)) return false;
  } else {
    BfcRegion made(ptr, size);
    if (!made.has_table()) return false;
    region = &*regions_.insert(at, std::move(made));
  }
  const ChunkHandle h = NewChunk();
  BfcChunk& c = chunks_[h];
  c.ptr = ptr;
  c.size = size;
  c.prev = last;
  if (last != kNoChunk) chunks_[last].next = h;
  region->set_handle(ptr, h);
  Release(h);
  return true;
}

void BfcHeap::RemoveRegion(const void* ptr) {
  const auto at = std::find_if(regions_.begin(), regions_.end(), [ptr](const BfcRegion& r) { return r.ptr() == ptr; });
  if (at == regions_.end()) return;
  for (ChunkHandle h = at->handle(at->ptr()); h != kNoChunk;) {
    const ChunkHandle next = chunks_[h].next;
    if (chunks_[h].bin >= 0) Remove(h);
    DropChunk(h);
    h = next;
  }
  regions_.erase(at);
}

bool BfcHeap::IsFree(const BfcRegion& region) const {
  bool is_free = true;
  ForEachChunk(region, [&](const BfcChunk& c) { is_free = is_free && !c.in_use(); });
  return is_free;
}

ChunkHandle BfcHeap::TakeFit(size_t bytes) {
  for (int bin = BinForSize(bytes); bin < kNumBins; ++bin) {
    for (const ChunkHandle h : bins_[static_cast<size_t>(bin)]) {
      if (chunks_[h].size < bytes) continue;
      Remove(h);
      return h;
    }
  }
  return kNoChunk;
}

void BfcHeap::Split(ChunkHandle h, size_t bytes) {
  const ChunkHandle rest = NewChunk();  // may move chunks_
  BfcChunk& c = chunks_[h];
  BfcChunk& r = chunks_[rest];
  r.ptr = c.ptr + bytes;
  r.size = c.size - bytes;
  r.prev = h;
  r.next = c.next;
  r.action_count = c.action_count;
  c.size = bytes;
  if (c.next != kNoChunk) chunks_[c.next].prev = rest;
  c.next = rest;
  RegionOf(r.ptr)->set_handle(r.ptr, rest);
  Insert(rest);
}

void BfcHeap::Release(ChunkHandle h) {
  const ChunkHandle next = chunks_[h].next;
  if (next != kNoChunk && !chunks_[next].in_use()) {
    Remove(next);
    Merge(h, next);
  }
  const ChunkHandle prev = chunks_[h].prev;
  if (prev != kNoChunk && !chunks_[prev].in_use()) {
    Remove(prev);
    Merge(prev, h);
    h = prev;
  }
  Insert(h);
}

void BfcHeap::Merge(ChunkHandle first, ChunkHandle second) {
  BfcChunk& a = chunks_[first];
  const BfcChunk& b = chunks_[second];
  a.size += b.size;
  a.next = b.next;
  a.action_count = std::max(a.action_count, b.action_count);
  if (b.next != kNoChunk) chunks_[b.next].prev = first;
  RegionOf(b.ptr)->set_handle(b.ptr, kNoChunk);
  DropChunk(second);
}

ChunkHandle BfcHeap::Find(const void* ptr) const {
  const BfcRegion* const region = RegionOf(ptr);
  if (!region) return kNoChunk;
  const ChunkHandle h = region->handle(ptr);
  return h != kNoChunk && chunks_[h].ptr == ptr ? h : kNoChunk;
}

size_t BfcHeap::LargestFree() const {
  for (auto bin = bins_.rbegin(); bin != bins_.rend(); ++bin) {
    if (!bin->empty()) return chunks_[*bin->rbegin()].size;
  }
  return 0;
}

// A record that is used again keeps its last requested size, as TensorFlow's does.
ChunkHandle BfcHeap::NewChunk() {
  if (unused_ == kNoChunk) {
    chunks_.emplace_back();
    return static_cast<ChunkHandle>(chunks_.size() - 1);
  }
  const ChunkHandle h = unused_;
  unused_ = chunks_[h].next;
  chunks_[h].prev = chunks_[h].next = kNoChunk;
  chunks_[h].action_count = 0;
  return h;
}

void BfcHeap::DropChunk(ChunkHandle h) {
  BfcChunk& c = chunks_[h];
  c.allocation_id = -1;
  c.bin = -1;
  c.node.clear();
  c.prev = kNoChunk;
  c.next = unused_;
  unused_ = h;
}

void BfcHeap::Insert(ChunkHandle h) {
  BfcChunk& c = chunks_[h];
  c.bin = BinForSize(c.size);
  bins_[static_cast<size_t>(c.bin)].insert(h);
}

void BfcHeap::Remove(ChunkHandle h) {
  BfcChunk& c = chunks_[h];
  bins_[static_cast<size_t>(c.bin)].erase(h);
  c.bin = -1;
}

BfcRegion* BfcHeap::RegionOf(const void* ptr) {
  const auto* const p = static_cast<const char*>(ptr);
  const auto at = std::upper_bound(regions_.begin(), regions_.end(), p, [](const char* a, const BfcRegion& r) { return a < r.end(); });
  return at != regions_.end() && p >= at->ptr() ? &*at : nullptr;
}

}  // namespace opscope
