#include "engine/kernels/philox.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace opscope::kernels {
namespace {

void MultiplyHighLow(uint32_t a, uint32_t b, uint32_t* high, uint32_t* low) {
  const uint64_t product = uint64_t{a} * b;
  *high = static_cast<uint32_t>(product >> 32);
  *low = static_cast<uint32_t>(product);
}

Philox::Block Round(const Philox::Block& counter, const Philox::Key& key) {
  uint32_t high0 = 0;
  uint32_t low0 = 0;
  uint32_t high1 = 0;
  uint32_t low1 = 0;
  MultiplyHighLow(0xD2511F53, counter[0], &high0, &low0);
  MultiplyHighLow(0xCD9E8D57, counter[2], &high1, &low1);
  return {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
}

// The smallest uniform number whose logarithm is taken.
constexpr double kSmallest = 1.0e-7;

}  // namespace

Philox::Philox(uint64_t seed, uint64_t stream)
    : counter_{0, 0, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
      key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

Philox::Block Philox::Next() {
  Block block = counter_;
  Key key = key_;
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    block = Round(block, key);
  }
  Skip(1);
  return block;
}

void Philox::Skip(uint64_t blocks) {
  const auto low = static_cast<uint32_t>(blocks);
  auto high = static_cast<uint32_t>(blocks >> 32);
  counter_[0] += low;
  if (counter_[0] < low) ++high;
  counter_[1] += high;
  if (counter_[1] < high && ++counter_[2] == 0) ++counter_[3];
}

float UniformFloat(uint32_t x) { return std::bit_cast<float>(0x3F800000U | (x & 0x7FFFFFU)) - 1.0F; }

double UniformDouble(uint32_t x0, uint32_t x1) {
  const uint64_t mantissa = (uint64_t{x0 & 0xFFFFFU} << 32) | x1;
  return std::bit_cast<double>((uint64_t{1023} << 52) | mantissa) - 1.0;
}

std::array<float, 2> NormalFloats(uint32_t x0, uint32_t x1) {
  const float u = std::max(UniformFloat(x0), static_cast<float>(kSmallest));
  const float angle = 2.0F * std::numbers::pi_v<float> * UniformFloat(x1);
  const float radius = std::sqrt(-2.0F * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

std::array<double, 2> NormalDoubles(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3) {
  const double u = std::max(UniformDouble(x0, x1), kSmallest);
  const double angle = 2 * std::numbers::pi * UniformDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

}  // namespace opscope::kernels
