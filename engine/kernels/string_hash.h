#pragma once
// The two hashes of texts that TensorFlow's hash bucket ops use: FarmHash's Fingerprint64 and MurmurHash64A.

#include <cstdint>
#include <string_view>

namespace opscope::kernels {

uint64_t FarmFingerprint64(std::string_view text);
uint64_t MurmurHash64(std::string_view text, uint64_t seed = 0xDECAFCAFFE);

}  // namespace opscope::kernels
