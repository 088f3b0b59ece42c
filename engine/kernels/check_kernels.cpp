// Ops that look at values and fail, or tell: Assert, CheckNumerics, Print.

#include <cmath>
#include <cstdio>

#include "engine/base/text.h"
#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// Truth values are numbers in the text of an assertion.
std::string ElementSummary(const Tensor& t, int64_t i) {
  if (t.dtype() == DT_BOOL) return t.flat<bool>()[static_cast<size_t>(i)] ? "1" : "0";
  return t.ElementText(i);
}

// Elements from `at` on as text, dims nested in brackets, until `left` are shown.
void Summarise(const Tensor& t, int dim, int64_t* at, int64_t* left, std::string* text) {
  const int64_t size = t.dim_size(dim);
  const bool innermost = dim + 1 == t.dims();
  for (int64_t i = 0; i < size; ++i) {
    if (*left == 0) {
      *text += "...";
      return;
    }
    if (innermost) {
      if (i > 0) *text += " ";
      *text += ElementSummary(t, (*at)++);
      --*left;
    } else {
      *text += "[";
      Summarise(t, dim + 1, at, left, text);
      *text += "]";
    }
  }
}

std::string SummariseValue(const Tensor& t, int64_t summarize) {
  std::string text;
  if (t.dims() == 0) return ElementSummary(t, 0);
  if (t.NumElements() == 0) return text;
  int64_t at = 0;
  int64_t left = summarize < 0 ? t.NumElements() : summarize;
  Summarise(t, 0, &at, &left, &text);
  return text;
}

class AssertOp final : public OpKernel {
 public:
  explicit AssertOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("summarize", &summarize_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& condition = context->input(0);
    OP_REQUIRES(context, IsScalar(condition),
                errors::InvalidArgument("In[0] should be a scalar: ",
                                        condition.shape().DebugString()));
    if (condition.scalar<bool>()) return;
    std::string text = "assertion failed: ";
    for (int i = 1; i < context->num_inputs(); ++i) {
      if (i > 1) text += " ";
      text += "[" + SummariseValue(context->input(i), summarize_) + "]";
    }
    context->CtxFailure(errors::InvalidArgument(text));
  }
  bool IsExpensive() const override { return false; }

 private:
  int64_t summarize_ = 3;
};

template <typename T>
void Classify(const Tensor& t, bool* nan, bool* infinite) {
  for (const T v : t.flat<T>()) {
    const double x = static_cast<double>(v);
    *nan = *nan || std::isnan(x);
    *infinite = *infinite || std::isinf(x);
  }
}

class CheckNumericsOp final : public OpKernel {
 public:
  explicit CheckNumericsOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("message", &message_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& t = context->input(0);
    bool nan = false;
    bool infinite = false;
    switch (t.dtype()) {
      case DT_FLOAT:
        Classify<float>(t, &nan, &infinite);
        break;
      case DT_DOUBLE:
        Classify<double>(t, &nan, &infinite);
        break;
      case DT_HALF:
        Classify<half>(t, &nan, &infinite);
        break;
      default:
        Classify<bfloat16>(t, &nan, &infinite);
    }
    OP_REQUIRES(context, !nan && !infinite,
                errors::InvalidArgument(message_, " : Tensor had ",
                                        nan && infinite ? "Inf and NaN" : (nan ? "NaN" : "Inf"),
                                        " values"));
    context->set_output(0, t);
  }

 private:
  std::string message_;
};

// Tells on the error output, at most `first_n` times.
class PrintOp final : public OpKernel {
 public:
  explicit PrintOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("message", &message_));
    OP_REQUIRES_OK(c, c->GetAttr("summarize", &summarize_));
    OP_REQUIRES_OK(c, c->GetAttr("first_n", &left_));
  }
  void Compute(OpKernelContext* context) override {
    context->set_output(0, context->input(0));
    {
      std::lock_guard lock(mutex_);
      if (left_ == 0) return;
      if (left_ > 0) --left_;
    }
    std::string text = message_;
    for (int i = 1; i < context->num_inputs(); ++i) {
      text += "[" + SummariseValue(context->input(i), summarize_) + "]";
    }
    std::fprintf(stderr, "%s\n", Printable(text).c_str());
  }

 private:
  std::string message_;
  int64_t summarize_ = 3;
  std::mutex mutex_;
  int64_t left_ = -1;
};

const CpuKernel<AssertOp> assert_op({"Assert"}, {});
const CpuKernel<CheckNumericsOp> check_numerics({"CheckNumerics"}, {{"T", FloatTypes()}});
const CpuKernel<PrintOp> print({"Print"}, {});

}  // namespace
}  // namespace opscope::kernels
