#include "engine/kernels/gemm.h"

#include <algorithm>
#include <complex>

#include "engine/framework/current_cancellation.h"
#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

// Only the types that matter get Eigen's blocked product; it is large code.
template <typename T>
using Strided = Eigen::Map<const MatrixRowMajor<T>, 0, Eigen::OuterStride<>>;

// Of one piece of work; a cancelled step ends behind it.
constexpr int64_t kMultiplicationsOfPiece = int64_t{1} << 27;

template <typename T>
void BlockedPiece(const GemmShape& s, const T* a, const T* b, T* out) {
  Eigen::Map<MatrixRowMajor<T>, 0, Eigen::OuterStride<>> c(out, s.rows, s.cols,
                                                           Eigen::OuterStride<>(s.stride_out));
  const Strided<T> am(a, s.transpose_a ? s.depth : s.rows, s.transpose_a ? s.rows : s.depth,
                      Eigen::OuterStride<>(s.stride_a));
  const Strided<T> bm(b, s.transpose_b ? s.cols : s.depth, s.transpose_b ? s.depth : s.cols,
                      Eigen::OuterStride<>(s.stride_b));
  if (s.transpose_a && s.transpose_b) {
    c.noalias() = am.transpose() * bm.transpose();
  } else if (s.transpose_a) {
    c.noalias() = am.transpose() * bm;
  } else if (s.transpose_b) {
    c.noalias() = am * bm.transpose();
  } else {
    c.noalias() = am * bm;
  }
}

// In pieces of rows.
template <typename T>
void BlockedGemm(const GemmShape& s, const T* a, const T* b, T* out) {
  const double row = std::max(1.0, static_cast<double>(s.cols) * static_cast<double>(s.depth));
  const auto step = std::max<int64_t>(64, static_cast<int64_t>(static_cast<double>(kMultiplicationsOfPiece) / row));
  for (int64_t i = 0; i < s.rows && !CurrentStepIsCancelled(); i += step) {
    GemmShape piece = s;
    piece.rows = std::min(step, s.rows - i);
    BlockedPiece(piece, a + i * (s.transpose_a ? 1 : s.stride_a), b, out + i * s.stride_out);
  }
}

// For small products the call into oneDNN costs more than it gains.
constexpr double kOneDnnMultiplications = 4096;

void FloatGemm(const GemmShape& s, const float* a, const float* b, float* out, ThreadPool* pool) {
  const double multiplications = static_cast<double>(s.rows) * static_cast<double>(s.cols) *
                                 static_cast<double>(s.depth);
  if (multiplications >= kOneDnnMultiplications && OneDnnGemm(s, a, b, out, pool)) return;
  BlockedGemm(s, a, b, out);
}

template <typename T>
T Conjugated(const T& value, bool conjugate) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return conjugate ? std::conj(value) : value;
  } else {
    return value;
  }
}

// Sum is the type in which products are added up: unsigned for integers, so that they wrap.
template <typename T, typename Sum>
void PlainGemm(const GemmShape& s, const T* a, const T* b, T* out) {
  const int64_t a_row = s.transpose_a ? 1 : s.stride_a;
  const int64_t a_col = s.transpose_a ? s.stride_a : 1;
  const int64_t b_row = s.transpose_b ? 1 : s.stride_b;
  const int64_t b_col = s.transpose_b ? s.stride_b : 1;
  std::vector<Sum> row(static_cast<size_t>(s.cols));
  for (int64_t i = 0; i < s.rows; ++i) {
    if (CurrentStepIsCancelled()) return;
    std::fill(row.begin(), row.end(), Sum(0));
    for (int64_t k = 0; k < s.depth; ++k) {
      const Sum left = static_cast<Sum>(Conjugated(a[i * a_row + k * a_col], s.conjugate_a));
      const T* right = b + k * b_row;
      for (int64_t j = 0; j < s.cols; ++j) {
        row[static_cast<size_t>(j)] +=
            left * static_cast<Sum>(Conjugated(right[j * b_col], s.conjugate_b));
      }
    }
    for (int64_t j = 0; j < s.cols; ++j) {
      out[i * s.stride_out + j] = static_cast<T>(row[static_cast<size_t>(j)]);
    }
  }
}

template <typename T, typename Sum>
void Plain(const GemmShape& s, const void* a, const void* b, void* out) {
  PlainGemm<T, Sum>(s, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out));
}
template <typename T>
void Blocked(const GemmShape& s, const void* a, const void* b, void* out) {
  BlockedGemm(s, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out));
}

}  // namespace

const TypeList& GemmTypes() {
  static const TypeList types = Union(
      {FloatTypes(), ComplexTypes(), {DT_INT16, DT_INT32, DT_INT64}});
  return types;
}

Status Gemm(DataType dtype, const GemmShape& shape, const void* a, const void* b, void* out,
            ThreadPool* pool) {
  if (shape.rows == 0 || shape.cols == 0 || CurrentStepIsCancelled()) return Status::OK();
  GemmShape s = shape;
  if (s.stride_a == 0) s.stride_a = s.transpose_a ? s.rows : s.depth;
  if (s.stride_b == 0) s.stride_b = s.transpose_b ? s.depth : s.cols;
  if (s.stride_out == 0) s.stride_out = s.cols;
  switch (dtype) {
    case DT_FLOAT:
      FloatGemm(s, static_cast<const float*>(a), static_cast<const float*>(b),
                static_cast<float*>(out), pool);
      break;
    case DT_DOUBLE:
      Blocked<double>(s, a, b, out);
      break;
    case DT_HALF:
      Plain<half, float>(s, a, b, out);
      break;
    case DT_BFLOAT16:
      Plain<bfloat16, float>(s, a, b, out);
      break;
    case DT_INT16:
      Plain<int16_t, uint32_t>(s, a, b, out);
      break;
    case DT_INT32:
      Plain<int32_t, uint32_t>(s, a, b, out);
      break;
    case DT_INT64:
      Plain<int64_t, uint64_t>(s, a, b, out);
      break;
    case DT_COMPLEX64:
      Plain<std::complex<float>, std::complex<float>>(s, a, b, out);
      break;
    case DT_COMPLEX128:
      Plain<std::complex<double>, std::complex<double>>(s, a, b, out);
      break;
    default:
      return errors::Unimplemented("Matrix product of ", DataTypeString(dtype));
  }
  return Status::OK();
}

}  // namespace opscope::kernels
