#pragma once
// Large float products and convolutions through oneDNN. Its own OpenMP team must not stand beside
// another one: two teams on the same cores wait for each other most of the time.

#include <map>
#include <memory>
#include <mutex>

#include "engine/framework/op_kernel.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/window.h"

namespace opscope::kernels {

/// How many threads a kernel of this context may use for itself: the size of its device's intra-op
/// pool, 1 where there is none.
int IntraOpThreads(const OpKernelContext* context);

/// Gives the calling thread the process's one OpenMP team, or a team of itself alone where the work
/// is small or one thread is all it may have. A second large call waits, asleep, until the first is
/// done: one after the other is faster than both at once.
class OneDnnThreads {
 public:
  OneDnnThreads(int threads, double flops);
  OneDnnThreads(const OneDnnThreads&) = delete;
  OneDnnThreads& operator=(const OneDnnThreads&) = delete;

 private:
  std::unique_lock<std::mutex> team_;
};

/// Gemm for float. False when oneDNN doesn't take it; `out` is to be computed by other means then.
bool OneDnnGemm(const GemmShape& shape, const float* a, const float* b, float* out, int threads);

/// Floats to convolve, row-major NHWC; the filter [rows, cols, in / groups, out] lies as TensorFlow
/// has it, for a depthwise convolution as [rows, cols, in, multiplier].
struct OneDnnConvShape {
  int64_t batch = 0, in_depth = 0, out_depth = 0, groups = 1;
  int64_t in[2] = {}, filter[2] = {}, out[2] = {}, stride[2] = {}, dilation[2] = {}, pad[2] = {};

  void SetWindows(const WindowDim& rows, const WindowDim& cols);
  friend auto operator<=>(const OneDnnConvShape&, const OneDnnConvShape&) = default;
};

/// The convolutions of one kernel: what oneDNN prepared for each shape, and the filter in the order
/// that it likes best as long as the filter stays the same. Threads: Run from several at once.
class OneDnnConv {
 public:
  OneDnnConv();
  ~OneDnnConv();

  /// False when oneDNN doesn't take it; `out` is to be computed by other means then. RESOURCE_EXHAUSTED
  /// where memory isn't to be had.
  StatusOr<bool> Run(OpKernelContext* context, const OneDnnConvShape& shape, const Tensor& input,
                     const Tensor& filter, Tensor* out);

 private:
  struct Prepared;
  std::shared_ptr<const Prepared> Prepare(const OneDnnConvShape& shape);
  StatusOr<Tensor> Reordered(OpKernelContext* context, const Prepared& prepared, const Tensor& filter);

  std::mutex mutex_;
  std::map<OneDnnConvShape, std::shared_ptr<const Prepared>> prepared_;
  Tensor last_filter_, last_reordered_;  ///< Kept only while the filter looks constant.
  const Prepared* last_prepared_ = nullptr;
  int changes_ = 0;                      ///< How often the filter was another one.
};

}  // namespace opscope::kernels
