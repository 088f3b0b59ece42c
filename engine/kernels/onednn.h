#pragma once
// Large float products and convolutions through oneDNN, in parts on the device's own intra-op threads. Each call into
// oneDNN uses one thread: its OpenMP teams spin while they wait, and two of them on the same cores stand in each other's
// way.

#include <map>
#include <memory>
#include <mutex>

#include "engine/framework/op_kernel.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/window.h"

namespace opscope::kernels {

/// Into how many parts to cut work of this size, for the calling thread and the pool's (null: none).
int NumParts(const ThreadPool* pool, double flops);

/// Gemm for float. False when oneDNN doesn't take it; `out` is to be computed by other means then.
bool OneDnnGemm(const GemmShape& shape, const float* a, const float* b, float* out, ThreadPool* pool);

/// One part of it, on the calling thread.
bool OneDnnProduct(const GemmShape& shape, const float* a, const float* b, float* out);

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
  struct Part;
  struct Plan;
  std::shared_ptr<const Plan> Prepare(const OneDnnConvShape& shape, ThreadPool* pool);
  StatusOr<Tensor> Reordered(OpKernelContext* context, const std::shared_ptr<const Plan>& plan,
                             const Tensor& filter);

  std::mutex mutex_;
  std::map<OneDnnConvShape, std::shared_ptr<const Plan>> plans_;
  Tensor last_filter_, last_reordered_;     ///< Kept only while the filter looks constant.
  std::shared_ptr<const Plan> last_plan_;
  int changes_ = 0;                         ///< How often the filter was another one.
};

}  // namespace opscope::kernels
