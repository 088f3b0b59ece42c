#include "engine/kernels/elementwise.h"

#include <algorithm>

#include "engine/framework/current_cancellation.h"

namespace opscope::kernels {
namespace {

// TensorFlow's broadcasting kernels go up to this many dims after neighbouring ones were joined.
constexpr size_t kMaxBroadcastDims = 5;

// A cancelled step ends behind a piece.
constexpr int64_t kElementsOfPiece = int64_t{1} << 18;

template <typename F>
void ForPieces(int64_t count, F&& f) {
  if (count <= kElementsOfPiece) return f(0, count);
  for (int64_t i = 0; i < count && !CurrentStepIsCancelled(); i += kElementsOfPiece) {
    f(i, std::min(kElementsOfPiece, count - i));
  }
}

}  // namespace

BinaryKernel::BinaryKernel(OpKernelConstruction* c, BinaryLoop loop, const Options& options)
    : OpKernel(c), loop_(loop), options_(options) {
  if (options_.incompatible_answer && c->HasAttr("incompatible_shape_error")) {
    OP_REQUIRES_OK(c, c->GetAttr("incompatible_shape_error", &incompatible_shape_error_));
  }
}

void BinaryKernel::Compute(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const Tensor& y = context->input(1);
  if (x.shape() == y.shape()) return ComputeRow(context, x.shape(), BroadcastMode::kBoth);
  if (y.dims() == 0) return ComputeRow(context, x.shape(), BroadcastMode::kRightStays);
  if (x.dims() == 0) return ComputeRow(context, y.shape(), BroadcastMode::kLeftStays);
  auto broadcast = Broadcast::Make(x.shape(), y.shape());
  Tensor* out = nullptr;
  if (!broadcast.ok() && !incompatible_shape_error_) {
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &out));
    out->scalar<bool>() = type_string() == "NotEqual";
    return;
  }
  OP_REQUIRES_OK(context, broadcast.status());
  OP_REQUIRES(context, broadcast->dims().size() <= kMaxBroadcastDims,
              errors::Unimplemented("Broadcast between ", x.shape().DebugString(), " and ",
                                    y.shape().DebugString(), " is not supported yet."));
  const int candidates[] = {0, 1};
  const size_t x_size = ElementSize(x.dtype());
  OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(
                              candidates, 0, broadcast->output_shape(), &out));
  const size_t out_size = ElementSize(out->dtype());
  const char* x_data = Data<char>(x);
  const char* y_data = Data<char>(y);
  char* out_data = Data<char>(out);
  const bool ok = broadcast->ForEachRow([&](int64_t left, int64_t right, int64_t at, int64_t count,
                                            BroadcastMode mode) {
    const char* a = x_data + static_cast<size_t>(left) * x_size;
    const char* b = y_data + static_cast<size_t>(right) * x_size;
    if (options_.swap) {
      std::swap(a, b);
      if (mode != BroadcastMode::kBoth) {
        mode = mode == BroadcastMode::kLeftStays ? BroadcastMode::kRightStays
                                                 : BroadcastMode::kLeftStays;
      }
    }
    return loop_(a, b, out_data + static_cast<size_t>(at) * out_size, count, mode);
  });
  if (!ok) ReportFailure(context);
}

// Nothing has to be worked out for operands of one shape, or when one is a scalar.
void BinaryKernel::ComputeRow(OpKernelContext* context, const TensorShape& shape, BroadcastMode mode) {
  constexpr int kCandidates[] = {0, 1};
  const void* a = context->input(0).raw_data();
  const void* b = context->input(1).raw_data();
  Tensor* out = nullptr;
  OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(kCandidates, 0, shape, &out));
  if (shape.num_elements() == 0) return;
  if (options_.swap) {
    std::swap(a, b);
    if (mode != BroadcastMode::kBoth) {
      mode = mode == BroadcastMode::kLeftStays ? BroadcastMode::kRightStays : BroadcastMode::kLeftStays;
    }
  }
  const size_t size = ElementSize(context->input(0).dtype()), out_size = ElementSize(out->dtype());
  const auto at = [](const void* data, bool moves, int64_t i, size_t bytes) {
    return static_cast<const char*>(data) + (moves ? static_cast<size_t>(i) * bytes : 0);
  };
  bool ok = true;
  ForPieces(shape.num_elements(), [&](int64_t i, int64_t count) {
    ok = loop_(at(a, mode != BroadcastMode::kLeftStays, i, size), at(b, mode != BroadcastMode::kRightStays, i, size),
               static_cast<char*>(out->raw_data()) + static_cast<size_t>(i) * out_size, count, mode) && ok;
  });
  if (!ok) ReportFailure(context);
}

void BinaryKernel::ReportFailure(OpKernelContext* context) const {
  switch (options_.failure) {
    case Failure::kDivision:
      context->CtxFailure(errors::InvalidArgument("Integer division by zero"));
      return;
    case Failure::kPower:
      context->CtxFailure(
          errors::InvalidArgument("Integers to negative integer powers are not allowed"));
      return;
    default:
      context->CtxFailure(errors::Internal(
          "Unexpected error in binary operator (only integer div and mod should have errors)"));
  }
}

void UnaryKernel::Compute(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  const int candidates[] = {0};
  Tensor* out = nullptr;
  OP_REQUIRES_OK(context,
                 context->forward_input_or_allocate_output(candidates, 0, x.shape(), &out));
  const char* const from = static_cast<const char*>(x.raw_data());
  char* const to = static_cast<char*>(out->raw_data());
  const size_t size = ElementSize(x.dtype()), out_size = ElementSize(out->dtype());
  ForPieces(x.NumElements(), [&](int64_t i, int64_t count) {
    loop_(from + static_cast<size_t>(i) * size, to + static_cast<size_t>(i) * out_size, count);
  });
}

}  // namespace opscope::kernels
