// Softmax, LogSoftmax and the losses over them: along the last dim, with the largest value taken off first.

#include <cmath>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/broadcast.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// One row into `out` (of the computed type). Rows with an infinite value become NaN.
template <typename A>
void SoftmaxRow(Eigen::Map<const Eigen::Array<A, Eigen::Dynamic, 1>> x, ArrayMap<A> out, bool log) {
  const A largest = x.template maxCoeff<Eigen::PropagateNaN>();
  if (log) {
    const A sum = (x - largest).exp().sum();
    out = x - largest - std::log(sum);
    return;
  }
  out = (x - largest).exp();
  out *= A(1) / out.sum();
}

template <typename T>
void SoftmaxRows(const T* x, T* out, int64_t rows, int64_t cols, bool log) {
  using A = Computed<T>;
  if constexpr (std::is_same_v<A, T>) {
    for (int64_t r = 0; r < rows; ++r) {
      SoftmaxRow<A>({x + r * cols, cols}, {out + r * cols, cols}, log);
    }
  } else {
    Eigen::Array<A, Eigen::Dynamic, 1> in(cols);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) in[c] = static_cast<A>(x[r * cols + c]);
      SoftmaxRow<A>({in.data(), cols}, {in.data(), cols}, log);
      for (int64_t c = 0; c < cols; ++c) out[r * cols + c] = static_cast<T>(in[c]);
    }
  }
}

class SoftmaxOp final : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* c)
      : OpKernel(c), log_(c->def().op() == "LogSoftmax") {}
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.dims() >= 1,
                errors::InvalidArgument("logits must have >= 1 dimension, got ",
                                        x.shape().DebugString()));
    Tensor* out = nullptr;
    const int candidates[] = {0};
    const TensorShape shape = x.shape();
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(candidates, 0, shape, &out));
    const int64_t cols = shape.dim_size(shape.dims() - 1);
    if (shape.num_elements() == 0) return;
    const int64_t rows = shape.num_elements() / cols;
    switch (x.dtype()) {
      case DT_FLOAT:
        return SoftmaxRows(Data<float>(x), Data<float>(out), rows, cols, log_);
      case DT_DOUBLE:
        return SoftmaxRows(Data<double>(x), Data<double>(out), rows, cols, log_);
      case DT_HALF:
        return SoftmaxRows(Data<half>(x), Data<half>(out), rows, cols, log_);
      default:
        return SoftmaxRows(Data<bfloat16>(x), Data<bfloat16>(out), rows, cols, log_);
    }
  }

 private:
  bool log_;
};

// loss[r] and gradient[r, :] of softmax cross entropy; labels are a distribution.
template <typename T>
struct CrossEntropy {
  using A = Computed<T>;
  // gradient = softmax; answers the logarithm of the sum and the largest value.
  static std::pair<A, A> Softmax(const T* logits, int64_t step, int64_t cols, T* gradient) {
    A largest = static_cast<A>(logits[0]);
    for (int64_t c = 1; c < cols; ++c) largest = std::max(largest, static_cast<A>(logits[c * step]));
    A sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += std::exp(static_cast<A>(logits[c * step]) - largest);
    for (int64_t c = 0; c < cols; ++c) {
      gradient[c] = static_cast<T>(std::exp(static_cast<A>(logits[c * step]) - largest) / sum);
    }
    return {std::log(sum), largest};
  }

  static void Dense(const T* logits, int64_t logit_step, const T* labels, int64_t label_step,
                    int64_t cols, T* loss, T* gradient) {
    const auto [log_sum, largest] = Softmax(logits, logit_step, cols, gradient);
    A total = 0;
    for (int64_t c = 0; c < cols; ++c) {
      const A label = static_cast<A>(labels[c * label_step]);
      total += label * (log_sum - (static_cast<A>(logits[c * logit_step]) - largest));
      gradient[c] = static_cast<T>(static_cast<A>(gradient[c]) - label);
    }
    *loss = static_cast<T>(total);
  }

  static void Sparse(const T* logits, int64_t label, int64_t cols, T* loss, T* gradient) {
    const auto [log_sum, largest] = Softmax(logits, 1, cols, gradient);
    *loss = static_cast<T>(log_sum - (static_cast<A>(logits[label]) - largest));
    gradient[label] = static_cast<T>(static_cast<A>(gradient[label]) - A(1));
  }
};

template <typename F>
void DispatchFloat(DataType dtype, F&& f) {
  if (dtype == DT_FLOAT) return f(float());
  if (dtype == DT_DOUBLE) return f(double());
  if (dtype == DT_HALF) return f(half());
  f(bfloat16());
}

class SoftmaxCrossEntropyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    const Tensor& labels = context->input(1);
    auto broadcast = Broadcast::Make(logits.shape(), labels.shape());
    OP_REQUIRES(context, broadcast.ok(),
                errors::InvalidArgument("logits and labels must be broadcastable: logits_size=",
                                        logits.shape().DebugString(),
                                        " labels_size=", labels.shape().DebugString()));
    const TensorShape shape = broadcast->output_shape();
    OP_REQUIRES(context, shape.dims() == 2,
                errors::InvalidArgument("logits and labels must be either 2-dimensional, or "
                                        "broadcasted to be 2-dimensional"));
    Tensor* loss = nullptr;
    Tensor* gradient = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({shape.dim_size(0)}), &loss));
    OP_REQUIRES_OK(context, context->allocate_output(1, shape, &gradient));
    if (shape.num_elements() == 0) return;
    const int64_t cols = shape.dim_size(1);
    const auto [logit_row, logit_step] = Steps(logits.shape());
    const auto [label_row, label_step] = Steps(labels.shape());
    DispatchFloat(logits.dtype(), [&, lr = logit_row, ls = logit_step, br = label_row,
                                   bs = label_step](auto element) {
      using T = decltype(element);
      for (int64_t r = 0; r < shape.dim_size(0); ++r) {
        CrossEntropy<T>::Dense(Data<T>(logits) + r * lr, ls, Data<T>(labels) + r * br, bs, cols,
                               Data<T>(loss) + r, Data<T>(gradient) + r * cols);
      }
    });
  }

 private:
  // How far rows and columns are apart; 0 where the operand is broadcast.
  static std::pair<int64_t, int64_t> Steps(const TensorShape& shape) {
    const int64_t cols = shape.dims() >= 1 ? shape.dim_size(shape.dims() - 1) : 1;
    const int64_t rows = shape.dims() >= 2 ? shape.dim_size(0) : 1;
    return {rows == 1 ? 0 : cols, cols == 1 ? 0 : 1};
  }
};

class SparseSoftmaxCrossEntropyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    const Tensor& labels = context->input(1);
    OP_REQUIRES(context, logits.dims() == 2,
                errors::InvalidArgument("logits must be 2-D, but got shape ",
                                        logits.shape().DebugString()));
    OP_REQUIRES(context, IsVector(labels),
                errors::InvalidArgument("labels must be 1-D, but got shape ",
                                        labels.shape().DebugString()));
    OP_REQUIRES(context, logits.dim_size(0) == labels.dim_size(0),
                errors::InvalidArgument("logits and labels must have the same first dimension, got "
                                        "logits shape ",
                                        logits.shape().DebugString(), " and labels shape ",
                                        labels.shape().DebugString()));
    const int64_t cols = logits.dim_size(1);
    OP_REQUIRES(context, cols > 0,
                errors::InvalidArgument("Must have at least one class, but got logits shape ",
                                        logits.shape().DebugString()));
    const std::vector<int64_t> classes = ToInt64s(labels);
    for (const int64_t label : classes) {
      OP_REQUIRES(context, label >= 0 && label < cols, OutOfRange(label, cols, classes));
    }
    Tensor* loss = nullptr;
    Tensor* gradient = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, labels.shape(), &loss));
    OP_REQUIRES_OK(context, context->allocate_output(1, logits.shape(), &gradient));
    DispatchFloat(logits.dtype(), [&](auto element) {
      using T = decltype(element);
      for (size_t r = 0; r < classes.size(); ++r) {
        const auto at = static_cast<int64_t>(r);
        CrossEntropy<T>::Sparse(Data<T>(logits) + at * cols, classes[r], cols, Data<T>(loss) + at,
                                Data<T>(gradient) + at * cols);
      }
    });
  }

 private:
  static Status OutOfRange(int64_t label, int64_t cols, const std::vector<int64_t>& all) {
    std::string text;
    for (size_t i = 0; i < all.size(); ++i) text += (i > 0 ? " " : "") + std::to_string(all[i]);
    return errors::InvalidArgument("Received a label value of ", label,
                                   " which is outside the valid range of [0, ", cols,
                                   ").  Label values: ", text);
  }
};

const CpuKernel<SoftmaxOp> softmax({"Softmax", "LogSoftmax"}, {{"T", FloatTypes()}});
const CpuKernel<SoftmaxCrossEntropyOp> cross_entropy({"SoftmaxCrossEntropyWithLogits"},
                                                     {{"T", FloatTypes()}});
const CpuKernel<SparseSoftmaxCrossEntropyOp> sparse_cross_entropy(
    {"SparseSoftmaxCrossEntropyWithLogits"}, {{"T", FloatTypes()}, {"Tlabels", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
