#pragma once
// Shape functions that many ops share. They follow what TensorFlow's ops do, in results and messages; own code.
// Threads: pure functions of the context.

#include <vector>

#include "engine/framework/shape_inference.h"

namespace opscope::shapes {

Status NoOutputs(InferenceContext* c);
Status UnknownOutputs(InferenceContext* c);
Status ScalarOutputs(InferenceContext* c);  ///< Every output is a scalar.
Status ScalarInputsAndOutputs(InferenceContext* c);
Status Unchanged(InferenceContext* c);          ///< Output 0 as input 0, handles too.
Status UnchangedEach(InferenceContext* c);      ///< Output i as input i.
Status UnchangedWithRankAtLeast1(InferenceContext* c);
Status UnchangedWithRank4(InferenceContext* c);
Status UnchangedWithRankAtLeast3(InferenceContext* c);
Status MergeBothInputs(InferenceContext* c);    ///< Output 0 is inputs 0 and 1 merged.
Status MergeAllInputs(InferenceContext* c);     ///< Output 0 is all inputs merged, as AddN does.
Status Broadcast(InferenceContext* c);          ///< Inputs 0 and 1 by numpy's rules.
Status Reduction(InferenceContext* c);          ///< Input 0 over the axes of input 1, attribute keep_dims or keepdims.
Status ShapeFromInput0(InferenceContext* c);    ///< Output 0 is of the shape that input 0 tells.

/// Numpy's broadcasting of `x` and `y`. Where they don't fit: INVALID_ARGUMENT, or a scalar (unknown when it isn't known
/// whether they fit) with `strict` false.
Status BroadcastShapes(const ShapeHandle& x, const ShapeHandle& y, bool strict, ShapeHandle* out);

/// Padding of a convolution or pooling.
enum class Padding { kValid, kSame, kExplicit };
Status ReadPadding(InferenceContext* c, Padding* padding);
/// Size of one dimension after a window with `filter`, `dilation` and `stride` (before/after: explicit padding).
struct Window {
  DimensionHandle filter;
  int64_t dilation = 1;
  int64_t stride = 1;
  Padding padding = Padding::kValid;
  int64_t before = 0;
  int64_t after = 0;
};
Status WindowedSize(DimensionHandle size, const Window& window, DimensionHandle* out);

/// Shapes of the dims of images: positions of batch, channels and the spatial dims in a data format of that rank.
struct ImageDims {
  int batch = 0;
  int channels = 3;
  std::vector<int> spatial;
};
/// From the attribute data_format ("NHWC", "NCHW", "NDHWC", "NCDHW"; NHWC without one). INVALID_ARGUMENT for others.
Status ReadImageDims(InferenceContext* c, int rank, ImageDims* dims);

/// The value of `axis` counted from the front; false when it isn't in [-rank, rank).
bool NormalizeAxis(int64_t axis, int rank, int64_t* normalized);

}  // namespace opscope::shapes
