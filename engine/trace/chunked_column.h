#pragma once
// A growing column whose snapshots are cheap: full chunks are frozen and shared, only the last one is copied.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace opscope {

/// Read side: immutable, may be shared between threads.
template <typename T>
class FrozenColumn {
 public:
  static constexpr size_t kChunk = 256;
  using Chunk = std::vector<T>;

  FrozenColumn() = default;
  FrozenColumn(std::vector<std::shared_ptr<const Chunk>> chunks, size_t size)
      : chunks_(std::move(chunks)), size_(size) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return (*chunks_[i / kChunk])[i % kChunk]; }

 private:
  std::vector<std::shared_ptr<const Chunk>> chunks_;
  size_t size_ = 0;
};

/// Write side: one writer.
template <typename T>
class GrowingColumn {
 public:
  size_t size() const { return full_.size() * FrozenColumn<T>::kChunk + tail_.size(); }
  const T& operator[](size_t i) const {
    const size_t chunk = i / FrozenColumn<T>::kChunk;
    return chunk < full_.size() ? (*full_[chunk])[i % FrozenColumn<T>::kChunk] : tail_[i % FrozenColumn<T>::kChunk];
  }
  /// The new element's index.
  size_t Append(T value) {
    tail_.push_back(std::move(value));
    const size_t index = size() - 1;
    if (tail_.size() == FrozenColumn<T>::kChunk) {
      full_.push_back(std::make_shared<const std::vector<T>>(std::move(tail_)));
      tail_.clear();
    }
    return index;
  }
  /// Cost: one pointer per chunk and at most 255 copies.
  FrozenColumn<T> Snapshot() const {
    auto chunks = full_;
    if (!tail_.empty()) chunks.push_back(std::make_shared<const std::vector<T>>(tail_));
    return FrozenColumn<T>(std::move(chunks), size());
  }

 private:
  std::vector<std::shared_ptr<const std::vector<T>>> full_;
  std::vector<T> tail_;
};

}  // namespace opscope
