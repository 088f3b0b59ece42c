// Cast. Plain numbers go directly; narrow floats and complex numbers by way of float or double.

#include <complex>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

using CastLoop = void (*)(const void* from, void* to, int64_t count);

// Out of range a conversion to integers isn't defined by C++; this gives what the x86 instructions
// give, which is what TensorFlow answers.
template <typename I, typename F>
I FloatToSigned(F x) {
  constexpr F kLimit = -static_cast<F>(std::numeric_limits<I>::min());
  return x >= -kLimit && x < kLimit ? static_cast<I>(x) : std::numeric_limits<I>::min();
}

template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint64_t>) {
    constexpr From kHalf = 9223372036854775808.0;
    if (x < kHalf) return static_cast<uint64_t>(FloatToSigned<int64_t>(x));
    return static_cast<uint64_t>(FloatToSigned<int64_t>(x - kHalf)) ^ (uint64_t{1} << 63);
  } else if constexpr (std::is_floating_point_v<From> && std::integral<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8 || std::is_same_v<To, uint32_t>, int64_t, int32_t>;
    return static_cast<To>(FloatToSigned<Wide>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void RunCast(const void* from_raw, void* to_raw, int64_t count) {
  const From* from = static_cast<const From*>(from_raw);
  To* to = static_cast<To*>(to_raw);
  for (int64_t i = 0; i < count; ++i) to[i] = Convert<To>(from[i]);
}

template <typename From, typename... To>
CastLoop FindTo(DataType to) {
  CastLoop loop = nullptr;
  ((to == DataTypeToEnum<To>::value ? void(loop = &RunCast<From, To>) : void()), ...);
  return loop;
}
template <typename... Ts>
CastLoop FindAmong(DataType from, DataType to) {
  CastLoop loop = nullptr;
  ((from == DataTypeToEnum<Ts>::value ? void(loop = FindTo<Ts, Ts...>(to)) : void()), ...);
  return loop;
}
CastLoop FindPlain(DataType from, DataType to) {
  return FindAmong<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                   uint64_t, bool>(from, to);
}

template <typename From, typename To>
void RunReal(const void* from_raw, void* to_raw, int64_t count) {
  const From* from = static_cast<const From*>(from_raw);
  To* to = static_cast<To*>(to_raw);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i].real());
}
template <typename To>
void RunNarrow(const void* from_raw, void* to_raw, int64_t count) {
  const float* from = static_cast<const float*>(from_raw);
  To* to = static_cast<To*>(to_raw);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}
template <typename From>
void RunWiden(const void* from_raw, void* to_raw, int64_t count) {
  const From* from = static_cast<const From*>(from_raw);
  float* to = static_cast<float*>(to_raw);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}
template <typename From, typename To>
void RunComplex(const void* from_raw, void* to_raw, int64_t count) {
  const From* from = static_cast<const From*>(from_raw);
  To* to = static_cast<To*>(to_raw);
  for (int64_t i = 0; i < count; ++i) to[i] = To(from[i]);
}

// A type that isn't plain, the plain one beside it, and the ways between them.
struct Bridge {
  DataType type, plain;
  CastLoop to_plain, from_plain;
};
const Bridge* FindBridge(DataType type) {
  static const Bridge bridges[] = {
      {DT_HALF, DT_FLOAT, &RunWiden<half>, &RunNarrow<half>},
      {DT_BFLOAT16, DT_FLOAT, &RunWiden<bfloat16>, &RunNarrow<bfloat16>},
      {DT_COMPLEX64, DT_FLOAT, &RunReal<std::complex<float>, float>,
       &RunComplex<float, std::complex<float>>},
      {DT_COMPLEX128, DT_DOUBLE, &RunReal<std::complex<double>, double>,
       &RunComplex<double, std::complex<double>>},
  };
  for (const Bridge& bridge : bridges) {
    if (bridge.type == type) return &bridge;
  }
  return nullptr;
}

CastLoop FindDirect(DataType from, DataType to) {
  if (from == DT_COMPLEX64 && to == DT_COMPLEX128) {
    return &RunComplex<std::complex<float>, std::complex<double>>;
  }
  if (from == DT_COMPLEX128 && to == DT_COMPLEX64) {
    return &RunComplex<std::complex<double>, std::complex<float>>;
  }
  return FindPlain(from, to);
}

class CastOp final : public OpKernel {
 public:
  explicit CastOp(OpKernelConstruction* c) : OpKernel(c) {
    const DataType from = c->input_type(0);
    const DataType to = c->output_type(0);
    if (from == to || (loop_ = FindDirect(from, to))) return;
    from_ = FindBridge(from);
    to_ = FindBridge(to);
    middle_from_ = from_ ? from_->plain : from;
    middle_to_ = to_ ? to_->plain : to;
    loop_ = FindPlain(middle_from_, middle_to_);
    OP_REQUIRES(c, loop_,
                errors::Unimplemented("Cast ", DataTypeString(from), " to ", DataTypeString(to),
                                      " is not supported"));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (!loop_) {
      context->set_output(0, input);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &out));
    if (!from_ && !to_) return loop_(input.raw_data(), out->raw_data(), input.NumElements());
    RunBridged(Data<char>(input), ElementSize(input.dtype()), Data<char>(out),
               ElementSize(out->dtype()), input.NumElements());
  }

 private:
  void RunBridged(const char* from, size_t from_size, char* to, size_t to_size, int64_t count) {
    constexpr int64_t kChunk = 256;
    alignas(8) char first[kChunk * 8];
    alignas(8) char second[kChunk * 8];
    for (int64_t done = 0; done < count; done += kChunk) {
      const int64_t n = std::min(kChunk, count - done);
      const void* source = from + static_cast<size_t>(done) * from_size;
      void* target = to + static_cast<size_t>(done) * to_size;
      if (from_) {
        from_->to_plain(source, first, n);
        source = first;
      }
      loop_(source, to_ ? second : target, n);
      if (to_) to_->from_plain(second, target, n);
    }
  }

  CastLoop loop_ = nullptr;  ///< nullptr: the types are the same.
  const Bridge* from_ = nullptr;
  const Bridge* to_ = nullptr;
  DataType middle_from_ = DT_INVALID, middle_to_ = DT_INVALID;
};

const CpuKernel<CastOp> cast({"Cast"}, {});

}  // namespace
}  // namespace opscope::kernels
