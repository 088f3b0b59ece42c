#include "engine/kernels/string_hash.h"

#include <bit>
#include <utility>

#include "engine/base/varint.h"

namespace opscope::kernels {
namespace {

// Constants of FarmHash (the "na" variant, which is what its fingerprint is defined by).
constexpr uint64_t k0 = 0xc3a5c85c97cb3127u, k1 = 0xb492b66fbe98f273u, k2 = 0x9ae16a3b2f90404fu;
using Pair = std::pair<uint64_t, uint64_t>;

uint64_t Rotate(uint64_t value, int bits) { return std::rotr(value, bits); }
uint64_t Mix(uint64_t value) { return value ^ (value >> 47); }

uint64_t Combine(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = Mix((u ^ v) * mul);
  return Mix((v ^ a) * mul) * mul;
}

uint64_t Upto16(std::string_view s) {
  const size_t n = s.size();
  const uint64_t mul = k2 + n * 2;
  if (n >= 8) {
    const uint64_t a = Fixed64At(s, 0) + k2, b = Fixed64At(s, n - 8);
    return Combine(Rotate(b, 37) * mul + a, (Rotate(a, 25) + b) * mul, mul);
  }
  if (n >= 4) return Combine(n + (uint64_t{Fixed32At(s, 0)} << 3), Fixed32At(s, n - 4), mul);
  if (n == 0) return k2;
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(s[i])); };
  const uint32_t y = byte(0) + (byte(n >> 1) << 8);
  const uint32_t z = static_cast<uint32_t>(n) + (byte(n - 1) << 2);
  return Mix(y * k2 ^ z * k0) * k2;
}

uint64_t Upto32(std::string_view s) {
  const size_t n = s.size();
  const uint64_t mul = k2 + n * 2;
  const uint64_t a = Fixed64At(s, 0) * k1, b = Fixed64At(s, 8), c = Fixed64At(s, n - 8) * mul, d = Fixed64At(s, n - 16) * k2;
  return Combine(Rotate(a + b, 43) + Rotate(c, 30) + d, a + Rotate(b + k2, 18) + c, mul);
}

uint64_t Upto64(std::string_view s) {
  const size_t n = s.size();
  const uint64_t mul = k2 + n * 2;
  const uint64_t a = Fixed64At(s, 0) * k2, b = Fixed64At(s, 8), c = Fixed64At(s, n - 8) * mul, d = Fixed64At(s, n - 16) * k2;
  const uint64_t y = Rotate(a + b, 43) + Rotate(c, 30) + d;
  const uint64_t z = Combine(y, a + Rotate(b + k2, 18) + c, mul);
  const uint64_t e = Fixed64At(s, 16) * mul, f = Fixed64At(s, 24);
  const uint64_t g = (y + Fixed64At(s, n - 32)) * mul, h = (z + Fixed64At(s, n - 24)) * mul;
  return Combine(Rotate(e + f, 43) + Rotate(g, 30) + h, e + Rotate(f + a, 18) + g, mul);
}

Pair Weak32(std::string_view s, size_t at, uint64_t a, uint64_t b) {
  const uint64_t z = Fixed64At(s, at + 24);
  a += Fixed64At(s, at);
  b = Rotate(b + a + z, 21);
  const uint64_t c = a;
  a += Fixed64At(s, at + 8) + Fixed64At(s, at + 16);
  b += Rotate(a, 44);
  return {a + z, b + c};
}

/// What goes from block to block of a long text.
struct State {
  uint64_t x, y, z;
  Pair v{0, 0}, w{0, 0};
  void Step(std::string_view s, size_t at, uint64_t mul, bool last) {
    x = Rotate(x + y + v.first + Fixed64At(s, at + 8), 37) * mul;
    y = Rotate(y + v.second + Fixed64At(s, at + 48), 42) * mul;
    x ^= last ? w.second * 9 : w.second;
    y += (last ? v.first * 9 : v.first) + Fixed64At(s, at + 40);
    z = Rotate(z + w.first, 33) * mul;
    v = Weak32(s, at, v.second * mul, x + w.first);
    w = Weak32(s, at + 32, z + w.second, y + Fixed64At(s, at + 16));
    std::swap(z, x);
  }
};

}  // namespace

uint64_t FarmFingerprint64(std::string_view s) {
  const size_t n = s.size();
  if (n <= 16) return Upto16(s);
  if (n <= 32) return Upto32(s);
  if (n <= 64) return Upto64(s);
  constexpr uint64_t kSeed = 81;
  State state{kSeed, kSeed * k1 + 113, 0};
  state.z = Mix(state.y * k2 + 113) * k2;
  state.x = state.x * k2 + Fixed64At(s, 0);
  const size_t end = (n - 1) / 64 * 64;
  for (size_t at = 0; at < end; at += 64) state.Step(s, at, k1, false);
  const uint64_t mul = k1 + ((state.z & 0xff) << 1);
  state.w.first += (n - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Step(s, n - 64, mul, true);
  return Combine(Combine(state.v.first, state.w.first, mul) + Mix(state.y) * k0 + state.z,
                 Combine(state.v.second, state.w.second, mul) + state.x, mul);
}

uint64_t MurmurHash64(std::string_view text, uint64_t seed) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995u;
  constexpr int kShift = 47;
  uint64_t h = seed ^ (text.size() * kMul);
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t k = Fixed64At(text, at) * kMul;
    k ^= k >> kShift;
    h = (h ^ (k * kMul)) * kMul;
  }
  if (at < text.size()) {
    for (size_t i = text.size(); i > at; --i) {
      h ^= static_cast<uint64_t>(static_cast<unsigned char>(text[i - 1])) << (8 * (i - 1 - at));
    }
    h *= kMul;
  }
  h ^= h >> kShift;
  h *= kMul;
  h ^= h >> kShift;
  return h;
}

}  // namespace opscope::kernels
