#include "engine/kernels/elementwise.h"

namespace opscope::kernels {
namespace {

// TensorFlow's broadcasting kernels go up to this many dims after neighbouring ones were joined.
constexpr size_t kMaxBroadcastDims = 5;

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
  if (!loop_(a, b, out->raw_data(), shape.num_elements(), mode)) ReportFailure(context);
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
  loop_(x.raw_data(), out->raw_data(), x.NumElements());
}

}  // namespace opscope::kernels
