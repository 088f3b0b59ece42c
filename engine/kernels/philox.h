#pragma once
// The counter-based generator Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1,
// 2, 3", 2011), and how TensorFlow makes its distributions from it: the same seeds give the same
// numbers.

#include <array>
#include <cstddef>
#include <cstdint>

namespace opscope::kernels {

/// A stream of blocks of four 32-bit numbers. A value type.
class Philox {
 public:
  using Block = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;

  /// `seed` is the key, `stream` the upper half of the counter.
  Philox(uint64_t seed, uint64_t stream);
  Philox(const Block& counter, const Key& key) : counter_(counter), key_(key) {}

  Block Next();
  /// Leaves out `blocks` blocks.
  void Skip(uint64_t blocks);

 private:
  Block counter_;
  Key key_;
};

/// Takes the numbers of a Philox one by one.
class PhiloxSingles {
 public:
  explicit PhiloxSingles(Philox* source) : source_(source) {}
  uint32_t Next() {
    if (used_ == 4) {
      block_ = source_->Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox* source_;
  Philox::Block block_{};
  size_t used_ = 4;
};

/// [0, 1) from the low bits of a number.
float UniformFloat(uint32_t x);
double UniformDouble(uint32_t x0, uint32_t x1);
/// Two normal deviates (Box and Muller).
std::array<float, 2> NormalFloats(uint32_t x0, uint32_t x1);
std::array<double, 2> NormalDoubles(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3);

}  // namespace opscope::kernels
