// Sum, Mean, Prod, Max, Min, All, Any, EuclideanNorm. Each type has two loops: over a run of
// neighbours (reduced dims inside) and of many sums side by side (kept dims inside). Long sums are
// split, so that rounding doesn't grow with their length.

#include <cmath>
#include <complex>
#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/axes.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

// The type in which results are gathered: narrow floats as float.
template <typename T>
using Gathered =
    std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
// Integers wrap around.
template <typename A>
A Plus(A a, A b) {
  if constexpr (std::integral<A>) {
    return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename A>
A Times(A a, A b) {
  if constexpr (std::integral<A>) {
    return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// Each reducer: the type A to gather in, where to start, what to add, how to join two, the result.
template <typename T>
struct SumReducer {
  using A = Gathered<T>;
  static A Start() { return A(0); }
  static A Take(const T& x) { return static_cast<A>(x); }
  static A Join(A a, A b) { return Plus(a, b); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};
template <typename T>
struct MeanReducer : SumReducer<T> {
  using A = Gathered<T>;
  static T Finish(A a, int64_t count) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(count) == 0 ? T(0) : static_cast<T>(a / static_cast<T>(count));
    } else if constexpr (std::is_same_v<T, double>) {
      return a / static_cast<double>(count);
    } else {
      return static_cast<T>(a / A(static_cast<float>(count)));
    }
  }
};
template <typename T>
struct ProdReducer {
  using A = Gathered<T>;
  static A Start() { return A(1); }
  static A Take(const T& x) { return static_cast<A>(x); }
  static A Join(A a, A b) { return Times(a, b); }
  static T Finish(A a, int64_t) { return static_cast<T>(a); }
};
// NaN wins.
template <typename T>
struct MaxReducer {
  using A = T;
  static A Start() {
    if constexpr (std::integral<T>) {
      return std::numeric_limits<T>::lowest();
    } else {
      return -std::numeric_limits<T>::infinity();
    }
  }
  static A Take(const T& x) { return x; }
  static A Join(A a, A b) { return a < b || b != b ? b : a; }
  static T Finish(A a, int64_t) { return a; }
};
template <typename T>
struct MinReducer {
  using A = T;
  static A Start() {
    if constexpr (std::integral<T>) {
      return std::numeric_limits<T>::max();
    } else {
      return std::numeric_limits<T>::infinity();
    }
  }
  static A Take(const T& x) { return x; }
  static A Join(A a, A b) { return b < a || b != b ? b : a; }
  static T Finish(A a, int64_t) { return a; }
};
template <typename T>
struct AllReducer {
  using A = T;
  static A Start() { return true; }
  static A Take(const T& x) { return x; }
  static A Join(A a, A b) { return a && b; }
  static T Finish(A a, int64_t) { return a; }
};
template <typename T>
struct AnyReducer {
  using A = T;
  static A Start() { return false; }
  static A Take(const T& x) { return x; }
  static A Join(A a, A b) { return a || b; }
  static T Finish(A a, int64_t) { return a; }
};
template <typename T>
struct NormReducer {
  using A = Gathered<T>;
  static A Start() { return A(0); }
  static A Take(const T& x) {
    const A a = static_cast<A>(x);
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      return a * std::conj(a);
    } else {
      return Times(a, a);
    }
  }
  static A Join(A a, A b) { return Plus(a, b); }
  static T Finish(A a, int64_t) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(std::sqrt(static_cast<double>(a)));
    } else {
      return static_cast<T>(std::sqrt(a));
    }
  }
};

// A run of neighbours; four strands at once, halves joined pairwise.
template <typename R, typename T>
typename R::A ReduceRun(const T* x, int64_t count) {
  using A = typename R::A;
  constexpr int64_t kLeaf = 1024;
  if (count > kLeaf) {
    const int64_t left = (count / 2 + 3) / 4 * 4;
    return R::Join(ReduceRun<R>(x, left), ReduceRun<R>(x + left, count - left));
  }
  A strands[4] = {R::Start(), R::Start(), R::Start(), R::Start()};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int s = 0; s < 4; ++s) strands[s] = R::Join(strands[s], R::Take(x[i + s]));
  }
  for (; i < count; ++i) strands[0] = R::Join(strands[0], R::Take(x[i]));
  return R::Join(R::Join(strands[0], strands[1]), R::Join(strands[2], strands[3]));
}

// Walks the dims of a plan and gathers into one A for each result.
template <typename R, typename T>
class Walker {
 public:
  using A = typename R::A;
  Walker(const ReductionPlan& plan, const T* x, A* results)
      : plan_(plan), x_(x), results_(results) {}

  // Dim `d`; its results are [at, at + span). A tensor has at most 254 dims, so this may recurse.
  void Walk(size_t d, bool reduced, int64_t at, int64_t span) {
    const int64_t size = plan_.sizes[d];
    if (d + 1 < plan_.sizes.size()) {
      const int64_t part = reduced ? span : span / size;
      for (int64_t i = 0; i < size; ++i) {
        Walk(d + 1, !reduced, reduced ? at : at + i * part, part);
      }
      return;
    }
    if (reduced) {
      results_[at] = R::Join(results_[at], ReduceRun<R>(x_, size));
    } else {
      A* results = results_ + at;
      for (int64_t i = 0; i < size; ++i) results[i] = R::Join(results[i], R::Take(x_[i]));
    }
    x_ += size;
  }

 private:
  const ReductionPlan& plan_;
  const T* x_;
  A* results_;
};

template <typename R, typename T>
void Reduce(const ReductionPlan& plan, const T* x, typename R::A* results, T* out) {
  const int64_t count = plan.output_shape.num_elements();
  std::fill_n(results, count, R::Start());
  if (plan.reduced > 0 && count > 0) {
    if (plan.sizes.empty()) {
      results[0] = R::Join(results[0], R::Take(x[0]));
    } else {
      Walker<R, T>(plan, x, results).Walk(0, plan.first_is_reduced, 0, count);
    }
  }
  for (int64_t i = 0; i < count; ++i) out[i] = R::Finish(results[i], plan.reduced);
}

// Computes into `out`; `context` gives memory where results are gathered in another type.
using ReduceFunction = Status (*)(OpKernelContext* context, const ReductionPlan& plan,
                                  const Tensor& input, Tensor* out);

template <typename R, typename T>
Status RunReduce(OpKernelContext* context, const ReductionPlan& plan, const Tensor& input,
                 Tensor* out) {
  using A = typename R::A;
  if constexpr (std::is_same_v<A, T>) {
    Reduce<R, T>(plan, Data<T>(input), Data<A>(out), Data<T>(out));
  } else {
    Tensor results;
    OS_RETURN_IF_ERROR(
        context->allocate_temp(DataTypeToEnum<A>::value, plan.output_shape, &results));
    Reduce<R, T>(plan, Data<T>(input), Data<A>(&results), Data<T>(out));
  }
  return Status::OK();
}

template <template <typename> class R, typename... Ts>
struct Reductions {
  static TypeList Types() { return {DataTypeToEnum<Ts>::value...}; }
  static ReduceFunction Find(DataType dtype) {
    ReduceFunction found = nullptr;
    ((dtype == DataTypeToEnum<Ts>::value ? void(found = &RunReduce<R<Ts>, Ts>) : void()), ...);
    return found;
  }
};

class ReductionOp final : public OpKernel {
 public:
  ReductionOp(OpKernelConstruction* c, ReduceFunction function) : OpKernel(c), function_(function) {
    OP_REQUIRES_OK(c, c->GetAttr("keep_dims", &keep_dims_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    auto plan = PlanReduction(input.shape(), context->input(1), keep_dims_);
    OP_REQUIRES_OK(context, plan.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, plan->output_shape, &out));
    OP_REQUIRES_OK(context, function_(context, *plan, input, out));
  }

 private:
  ReduceFunction function_;
  bool keep_dims_ = false;
};

template <typename L>
void RegisterReduction(const char* op, std::initializer_list<Constraint> constraints) {
  RegisterCpu({op}, constraints, [](OpKernelConstruction* c) -> std::unique_ptr<OpKernel> {
    return std::make_unique<ReductionOp>(c, L::Find(c->input_type(0)));
  });
}

#define OS_REALS                                                                               \
  float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, \
      uint64_t
#define OS_COMPLEX std::complex<float>, std::complex<double>

[[maybe_unused]] const bool registered = [] {
  const Constraint index{"Tidx", IndexTypes()};
  const Constraint numbers{"T", NumberTypes()};
  const Constraint reals{"T", RealTypes()};
  RegisterReduction<Reductions<SumReducer, OS_REALS, OS_COMPLEX>>("Sum", {numbers, index});
  RegisterReduction<Reductions<MeanReducer, OS_REALS, OS_COMPLEX>>("Mean", {numbers, index});
  RegisterReduction<Reductions<ProdReducer, OS_REALS, OS_COMPLEX>>("Prod", {numbers, index});
  RegisterReduction<Reductions<MaxReducer, OS_REALS>>("Max", {reals, index});
  RegisterReduction<Reductions<MinReducer, OS_REALS>>("Min", {reals, index});
  using Norms = Reductions<NormReducer, float, double, half, bfloat16, int32_t, int64_t, OS_COMPLEX>;
  RegisterReduction<Norms>("EuclideanNorm", {{"T", Norms::Types()}, index});
  RegisterReduction<Reductions<AllReducer, bool>>("All", {index});
  RegisterReduction<Reductions<AnyReducer, bool>>("Any", {index});
  return true;
}();

}  // namespace
}  // namespace opscope::kernels
