#include "engine/kernels/onednn.h"

#include <omp.h>

#include <oneapi/dnnl/dnnl.h>

namespace opscope::kernels {
namespace {

// Less than this takes about as long as waking a second thread.
constexpr double kTeamFlops = 1e6;

std::mutex team_mutex;

}  // namespace

int IntraOpThreads(const OpKernelContext* context) {
  const ThreadPool* pool = context->device()->intra_op_pool();
  return pool ? pool->num_threads() : 1;
}

OneDnnThreads::OneDnnThreads(int threads, double flops) {
  const bool alone = threads <= 1 || flops < kTeamFlops;
  if (!alone) team_ = std::unique_lock(team_mutex);
  // A value of the calling thread; it stays as the last call set it.
  omp_set_num_threads(alone ? 1 : threads);
}

bool OneDnnGemm(const GemmShape& s, const float* a, const float* b, float* out, int threads) {
  const double flops = 2.0 * static_cast<double>(s.rows) * static_cast<double>(s.cols) *
                       static_cast<double>(s.depth);
  const OneDnnThreads team(threads, flops);
  return dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', s.rows, s.cols, s.depth,
                    1.0F, a, s.stride_a, b, s.stride_b, 0.0F, out, s.stride_out) == dnnl_success;
}

}  // namespace opscope::kernels
