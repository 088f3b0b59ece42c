#include "engine/kernels/onednn.h"

#include <algorithm>
#include <atomic>

#include "engine/base/parallel_for.h"

namespace opscope::kernels {
namespace {

// Less than this takes about as long as waking another thread.
constexpr double kPartFlops = 4e6;
// Work that takes long is cut finer, so that no thread waits long for the last one.
constexpr double kFineFlops = 4e8;

// The largest multiple of 16, a register's width, that leaves `parts` parts.
int64_t PartSize(int64_t size, int parts) {
  const int64_t part = (size + parts - 1) / parts;
  return (part + 15) / 16 * 16;
}

}  // namespace

int NumParts(const ThreadPool* pool, double flops) {
  const int threads = pool ? pool->num_threads() : 1;
  if (threads <= 1 || flops < 2 * kPartFlops) return 1;
  const int most = flops >= kFineFlops ? 2 * threads : threads;
  return static_cast<int>(std::min<double>(most, flops / kPartFlops));
}

bool OneDnnGemm(const GemmShape& s, const float* a, const float* b, float* out, ThreadPool* pool) {
  const double flops = 2.0 * static_cast<double>(s.rows) * static_cast<double>(s.cols) *
                       static_cast<double>(s.depth);
  const bool by_rows = s.rows >= s.cols;
  const int64_t whole = by_rows ? s.rows : s.cols;
  const int64_t part = PartSize(whole, NumParts(pool, flops));
  std::atomic<bool> ok{true};
  const int parts = static_cast<int>((whole + part - 1) / part);
  ParallelFor(pool, parts, [&](int i) {
    const int64_t begin = i * part;
    const int64_t count = std::min(part, whole - begin);
    GemmShape piece = s;
    (by_rows ? piece.rows : piece.cols) = count;
    const float* const pa = by_rows ? a + begin * (s.transpose_a ? 1 : s.stride_a) : a;
    const float* const pb = by_rows ? b : b + begin * (s.transpose_b ? s.stride_b : 1);
    if (!OneDnnProduct(piece, pa, pb, out + begin * (by_rows ? s.stride_out : 1))) ok = false;
  });
  return ok;
}

}  // namespace opscope::kernels
