#pragma once
// Element-wise ops without a class for each of them: one kernel holds the loop for its type, and
// broadcasting is done once, outside of the loops. This keeps what is compiled small (a loop for
// each op and type) and each loop simple enough to be vectorised.

#include <type_traits>

#include "engine/kernels/broadcast.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {

/// Computes `count` elements; false when one of them is an error (division by zero).
using BinaryLoop = bool (*)(const void* x, const void* y, void* out, int64_t count,
                            BroadcastMode mode);
using UnaryLoop = void (*)(const void* x, void* out, int64_t count);

namespace internal {
// The output type of functor F on T: F::Output where it says so, else T.
template <typename F, typename T, typename = void>
struct OutputOf {
  using type = T;
};
template <typename F, typename T>
struct OutputOf<F, T, std::void_t<typename F::Output>> {
  using type = typename F::Output;
};
// Whether F takes a third argument by which it tells of an error.
template <typename F, typename T>
inline constexpr bool kCanFail = std::is_invocable_v<F, T, T, bool&>;
}  // namespace internal

template <typename F, typename T>
bool RunBinaryLoop(const void* x_raw, const void* y_raw, void* out_raw, int64_t count,
                   BroadcastMode mode) {
  const T* x = static_cast<const T*>(x_raw);
  const T* y = static_cast<const T*>(y_raw);
  auto* out = static_cast<typename internal::OutputOf<F, T>::type*>(out_raw);
  bool failed = false;
  const auto f = [&failed](const T& a, const T& b) {
    if constexpr (internal::kCanFail<F, T>) {
      return F()(a, b, failed);
    } else {
      return F()(a, b);
    }
  };
  if (mode == BroadcastMode::kBoth) {
    for (int64_t i = 0; i < count; ++i) out[i] = f(x[i], y[i]);
  } else if (mode == BroadcastMode::kLeftStays) {
    const T left = *x;
    for (int64_t i = 0; i < count; ++i) out[i] = f(left, y[i]);
  } else {
    const T right = *y;
    for (int64_t i = 0; i < count; ++i) out[i] = f(x[i], right);
  }
  return !failed;
}

template <typename F, typename T>
void RunUnaryLoop(const void* x_raw, void* out_raw, int64_t count) {
  const T* x = static_cast<const T*>(x_raw);
  auto* out = static_cast<typename internal::OutputOf<F, T>::type*>(out_raw);
  for (int64_t i = 0; i < count; ++i) out[i] = F()(x[i]);
}

/// out = f(x, y) with broadcasting.
class BinaryKernel : public OpKernel {
 public:
  enum class Failure { kNone, kDivision, kPower, kUnexpected };
  struct Options {
    bool swap = false;  ///< Compute f(y, x).
    Failure failure = Failure::kNone;
    /// For Equal and NotEqual: shapes that don't fit may be an answer instead of an error.
    bool incompatible_answer = false;
  };
  BinaryKernel(OpKernelConstruction* c, BinaryLoop loop, const Options& options);
  void Compute(OpKernelContext* context) override;

 private:
  void ComputeRow(OpKernelContext* context, const TensorShape& shape, BroadcastMode mode);
  void ReportFailure(OpKernelContext* context) const;
  BinaryLoop loop_;
  Options options_;
  bool incompatible_shape_error_ = true;
};

/// out = f(x), same shape.
class UnaryKernel : public OpKernel {
 public:
  UnaryKernel(OpKernelConstruction* c, UnaryLoop loop) : OpKernel(c), loop_(loop) {}
  void Compute(OpKernelContext* context) override;

 private:
  UnaryLoop loop_;
};

/// Loops of functor template F for the types Ts.
template <template <typename> class F, typename... Ts>
struct Loops {
  static TypeList Types() { return {DataTypeToEnum<Ts>::value...}; }
  static BinaryLoop Binary(DataType dtype) {
    BinaryLoop loop = nullptr;
    ((dtype == DataTypeToEnum<Ts>::value ? void(loop = &RunBinaryLoop<F<Ts>, Ts>) : void()), ...);
    return loop;
  }
  static UnaryLoop Unary(DataType dtype) {
    UnaryLoop loop = nullptr;
    ((dtype == DataTypeToEnum<Ts>::value ? void(loop = &RunUnaryLoop<F<Ts>, Ts>) : void()), ...);
    return loop;
  }
};

template <typename L, BinaryKernel::Failure kFailure = BinaryKernel::Failure::kNone,
          bool kSwap = false, bool kIncompatibleAnswer = false>
void RegisterBinary(std::initializer_list<const char*> ops, const TypeList& types = L::Types()) {
  RegisterCpu(ops, {{"T", types}}, [](OpKernelConstruction* c) -> std::unique_ptr<OpKernel> {
    BinaryKernel::Options options;
    options.swap = kSwap;
    options.failure = kFailure;
    options.incompatible_answer = kIncompatibleAnswer;
    return std::make_unique<BinaryKernel>(c, L::Binary(c->input_type(0)), options);
  });
}

template <typename L>
void RegisterUnary(std::initializer_list<const char*> ops, const TypeList& types = L::Types()) {
  RegisterCpu(ops, {{"T", types}}, [](OpKernelConstruction* c) -> std::unique_ptr<OpKernel> {
    return std::make_unique<UnaryKernel>(c, L::Unary(c->input_type(0)));
  });
}

}  // namespace opscope::kernels
