// Random numbers: TensorFlow's own for the same seeds. A kernel with state goes on where its last
// run ended; it sets aside 256 numbers for each value, whatever it uses.

#include <bit>
#include <mutex>
#include <numeric>
#include <random>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/philox.h"

namespace opscope::kernels {
namespace {

constexpr uint64_t kReserved = 256;
constexpr float kTruncateAt = 2.0F;

half UniformHalf(uint32_t x) {
  return Eigen::numext::bit_cast<half>(static_cast<uint16_t>(0x3C00U | (x & 0x3FFU))) - half(1.0F);
}
bfloat16 UniformBfloat16(uint32_t x) {
  return Eigen::numext::bit_cast<bfloat16>(static_cast<uint16_t>(0x3F80U | (x & 0x7FU))) -
         bfloat16(1.0F);
}

// Each distribution makes a group of values from one block (or, truncated, from single numbers).
template <typename T>
struct Uniform {
  static constexpr bool kVariable = false;
  static constexpr size_t kGroup = std::is_same_v<T, double> ? 2 : 4;
  std::array<T, kGroup> operator()(Philox* source) const {
    const Philox::Block x = source->Next();
    std::array<T, kGroup> group;
    for (size_t i = 0; i < kGroup; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        group[i] = UniformDouble(x[2 * i], x[2 * i + 1]);
      } else if constexpr (std::is_same_v<T, half>) {
        group[i] = UniformHalf(x[i]);
      } else if constexpr (std::is_same_v<T, bfloat16>) {
        group[i] = UniformBfloat16(x[i]);
      } else {
        group[i] = UniformFloat(x[i]);
      }
    }
    return group;
  }
};

template <typename T>
struct Normal {
  static constexpr bool kVariable = false;
  static constexpr size_t kGroup = std::is_same_v<T, double> ? 2 : 4;
  std::array<T, kGroup> operator()(Philox* source) const {
    const Philox::Block x = source->Next();
    if constexpr (std::is_same_v<T, double>) {
      return NormalDoubles(x[0], x[1], x[2], x[3]);
    } else {
      const auto a = NormalFloats(x[0], x[1]);
      const auto b = NormalFloats(x[2], x[3]);
      return {T(a[0]), T(a[1]), T(b[0]), T(b[1])};
    }
  }
};

template <typename T>
struct TruncatedNormal {
  static constexpr bool kVariable = true;
  static constexpr size_t kGroup = std::is_same_v<T, double> ? 2 : 4;
  std::array<T, kGroup> operator()(Philox* source) const {
    PhiloxSingles singles(source);
    std::array<T, kGroup> group;
    for (size_t i = 0; i < kGroup;) {
      for (const auto value : Pair(&singles)) {
        if (i < kGroup && std::abs(value) < kTruncateAt) group[i++] = T(value);
      }
    }
    return group;
  }

 private:
  static auto Pair(PhiloxSingles* singles) {
    const uint32_t x0 = singles->Next();
    const uint32_t x1 = singles->Next();
    if constexpr (std::is_same_v<T, double>) {
      const uint32_t x2 = singles->Next();
      return NormalDoubles(x0, x1, x2, singles->Next());
    } else {
      return NormalFloats(x0, x1);
    }
  }
};

// Integers in [low, low + range).
template <typename T>
struct UniformInt {
  static constexpr bool kVariable = false;
  static constexpr size_t kGroup = sizeof(T) == 8 ? 2 : 4;
  using U = std::make_unsigned_t<T>;
  U low, range;
  std::array<T, kGroup> operator()(Philox* source) const {
    const Philox::Block x = source->Next();
    std::array<T, kGroup> group;
    for (size_t i = 0; i < kGroup; ++i) {
      if constexpr (sizeof(T) == 8) {
        const uint64_t wide = x[2 * i] | (uint64_t{x[2 * i + 1]} << 32);
        group[i] = static_cast<T>(low + wide % range);
      } else {
        group[i] = static_cast<T>(low + x[i] % range);
      }
    }
    return group;
  }
};

template <typename D, typename T>
void Fill(const D& distribution, Philox source, std::span<T> out) {
  const Philox start = source;
  for (size_t i = 0; i < out.size(); i += D::kGroup) {
    if constexpr (D::kVariable) {
      // Every group has a place of its own in the stream.
      source = start;
      source.Skip(i / D::kGroup * (D::kGroup * kReserved / 4));
    }
    const auto group = distribution(&source);
    std::copy_n(group.begin(), std::min(D::kGroup, out.size() - i), out.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

template <template <typename> class D>
void FillFloats(const Philox& source, Tensor* out) {
  switch (out->dtype()) {
    case DT_FLOAT:
      return Fill(D<float>(), source, out->flat<float>());
    case DT_DOUBLE:
      return Fill(D<double>(), source, out->flat<double>());
    case DT_HALF:
      return Fill(D<half>(), source, out->flat<half>());
    default:
      return Fill(D<bfloat16>(), source, out->flat<bfloat16>());
  }
}

// Makes int32 or int64 values in [low, high).
Status FillInts(const Tensor& low, const Tensor& high, const Philox& source, Tensor* out) {
  for (const Tensor* t : {&low, &high}) {
    if (t->dims() == 0) continue;
    return errors::InvalidArgument(t == &low ? "minval" : "maxval", " must be 0-D, got shape ",
                                   t->shape().DebugString());
  }
  const int64_t from = ToInt64s(low)[0];
  const int64_t to = ToInt64s(high)[0];
  if (out->NumElements() == 0) return Status::OK();
  if (from >= to) {
    return errors::InvalidArgument("Need minval < maxval, got ", from, " >= ", to);
  }
  const uint64_t range = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  if (out->dtype() == DT_INT32) {
    Fill(UniformInt<int32_t>{static_cast<uint32_t>(from), static_cast<uint32_t>(range)}, source,
         out->flat<int32_t>());
  } else {
    Fill(UniformInt<int64_t>{static_cast<uint64_t>(from), range}, source, out->flat<int64_t>());
  }
  return Status::OK();
}

StatusOr<TensorShape> ShapeInput(const Tensor& t) {
  if (!IsVector(t)) {
    return errors::InvalidArgument("shape must be a vector of {int32,int64}, got shape ",
                                   t.shape().DebugString());
  }
  return ToShape(t);
}

// A stream that goes on from run to run.
class Generator {
 public:
  Status Init(const OpKernelConstruction& c) {
    int64_t seed = 0;
    int64_t seed2 = 0;
    OS_RETURN_IF_ERROR(c.GetAttr("seed", &seed));
    OS_RETURN_IF_ERROR(c.GetAttr("seed2", &seed2));
    if (seed == 0 && seed2 == 0) {  // means: any
      std::random_device device;
      seed = static_cast<int64_t>((uint64_t{device()} << 32) | device());
      seed2 = static_cast<int64_t>((uint64_t{device()} << 32) | device());
    }
    source_ = Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
    return Status::OK();
  }
  Philox Reserve(uint64_t blocks) {
    std::lock_guard lock(mutex_);
    const Philox taken = source_;
    source_.Skip(blocks);
    return taken;
  }

 private:
  std::mutex mutex_;
  Philox source_{0, 0};
};

template <template <typename> class D>
class RandomOp final : public OpKernel {
 public:
  explicit RandomOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, generator_.Init(*c)); }
  void Compute(OpKernelContext* context) override {
    auto shape = ShapeInput(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    FillFloats<D>(generator_.Reserve(static_cast<uint64_t>(out->NumElements()) * kReserved), out);
  }

 private:
  Generator generator_;
};

class RandomUniformIntOp final : public OpKernel {
 public:
  explicit RandomUniformIntOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, generator_.Init(*c));
  }
  void Compute(OpKernelContext* context) override {
    auto shape = ShapeInput(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    const Philox source =
        generator_.Reserve(static_cast<uint64_t>(out->NumElements()) * kReserved);
    OP_REQUIRES_OK(context, FillInts(context->input(1), context->input(2), source, out));
  }

 private:
  Generator generator_;
};

class RandomShuffleOp final : public OpKernel {
 public:
  explicit RandomShuffleOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, generator_.Init(*c));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (input.NumElements() <= 1 || input.dim_size(0) <= 1) {
      context->set_output(0, input);
      return;
    }
    const int64_t size = input.dim_size(0);
    Philox source = generator_.Reserve(static_cast<uint64_t>((size + 3) / 4));
    PhiloxSingles singles(&source);
    std::vector<int64_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      const auto rest = static_cast<uint32_t>(order.size() - i);
      std::swap(order[i], order[i + singles.Next() % rest]);
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    const int64_t row = input.NumElements() / size;
    for (int64_t i = 0; i < size; ++i) {
      CopyElements(input, order[static_cast<size_t>(i)] * row, row, out, i * row);
    }
  }

 private:
  Generator generator_;
};

// The stream of a stateless op: its two seeds, mixed.
StatusOr<Philox> StatelessSource(const Tensor& seed) {
  if (seed.dims() != 1 || seed.dim_size(0) != 2) {
    return errors::InvalidArgument("seed must have shape [2], not ", seed.shape().DebugString());
  }
  const std::vector<int64_t> seeds = ToInt64s(seed);
  const auto s0 = static_cast<uint64_t>(seeds[0]);
  const auto s1 = static_cast<uint64_t>(seeds[1]);
  const Philox::Block counter = {static_cast<uint32_t>(s0), static_cast<uint32_t>(s0 >> 32),
                                 static_cast<uint32_t>(s1), static_cast<uint32_t>(s1 >> 32)};
  const Philox::Block mix = Philox(counter, {0x3EC8F720, 0x02461E29}).Next();
  return Philox({0, 0, mix[2], mix[3]}, {mix[0], mix[1]});
}

template <template <typename> class D>
class StatelessRandomOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto shape = ShapeInput(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    auto source = StatelessSource(context->input(1));
    OP_REQUIRES_OK(context, source.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    FillFloats<D>(*source, out);
  }
};

class StatelessRandomUniformIntOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto shape = ShapeInput(context->input(0));
    OP_REQUIRES_OK(context, shape.status());
    auto source = StatelessSource(context->input(1));
    OP_REQUIRES_OK(context, source.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *shape, &out));
    OP_REQUIRES_OK(context, FillInts(context->input(2), context->input(3), *source, out));
  }
};

const Constraint kFloats{"dtype", FloatTypes()};
const CpuKernel<RandomOp<Uniform>> uniform({"RandomUniform"}, {kFloats});
const CpuKernel<RandomOp<Normal>> normal({"RandomStandardNormal"}, {kFloats});
const CpuKernel<RandomOp<TruncatedNormal>> truncated({"TruncatedNormal"}, {kFloats});
const CpuKernel<RandomUniformIntOp> uniform_int({"RandomUniformInt"}, {{"Tout", IndexTypes()}});
const CpuKernel<RandomShuffleOp> shuffle({"RandomShuffle"}, {{"T", CopyableTypes()}});
const CpuKernel<StatelessRandomOp<Uniform>> stateless_uniform({"StatelessRandomUniform"}, {kFloats});
const CpuKernel<StatelessRandomOp<Normal>> stateless_normal({"StatelessRandomNormal"}, {kFloats});
const CpuKernel<StatelessRandomOp<TruncatedNormal>> stateless_truncated(
    {"StatelessTruncatedNormal"}, {kFloats});
const CpuKernel<StatelessRandomUniformIntOp> stateless_int({"StatelessRandomUniformInt"},
                                                           {{"dtype", IndexTypes()}});

}  // namespace
}  // namespace opscope::kernels
