// Diagonals of matrices: Diag, DiagPart, and the MatrixDiag family with bands of diagonals.

#include <algorithm>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

/// The band of diagonals [low, high] of matrices, and how the diagonals lie in a tensor of their own.
struct Band {
  int64_t low = 0, high = 0;
  bool left_super = false, left_sub = true;  ///< Shorter diagonals begin at the left (else they end at the right).
  int64_t rows = 0, cols = 0, longest = 0;

  int64_t count() const { return high - low + 1; }
  int64_t Length(int64_t d) const { return std::min(rows + std::min<int64_t>(0, d), cols - std::max<int64_t>(0, d)); }
  bool Has(int64_t row, int64_t col) const { return col - row >= low && col - row <= high; }
  /// Where the element lies among the diagonals of its matrix.
  int64_t Place(int64_t row, int64_t col) const {
    const int64_t d = col - row;
    const bool left = (d >= 0 && left_super) || (d <= 0 && left_sub);
    return (high - d) * longest + (left ? 0 : longest - Length(d)) + std::min(row, col);
  }
  void SetLongest() { longest = std::min(rows + std::min<int64_t>(high, 0), cols - std::max<int64_t>(low, 0)); }
};

Status ReadAlign(OpKernelConstruction* c, Band* band) {
  if (!c->HasAttr("align")) return Status::OK();
  std::string align;
  OS_RETURN_IF_ERROR(c->GetAttr("align", &align));
  band->left_super = align.starts_with("LEFT");
  band->left_sub = align.ends_with("LEFT");
  return Status::OK();
}

Status ReadDiagonals(const Tensor& k, Band* band) {
  if (k.dims() > 1 || k.NumElements() < 1 || k.NumElements() > 2) {
    return errors::InvalidArgument("diag_index must be a scalar or vector, received shape: ", k.shape().DebugString());
  }
  const std::vector<int64_t> values = ToInt64s(k);
  band->low = values.front();
  band->high = values.back();
  if (band->low > band->high) {
    return errors::InvalidArgument("lower_diag_index must not be larger than upper_diag_index: ", band->low, " > ", band->high);
  }
  return Status::OK();
}

// The matrix has to have all diagonals of the band.
Status CheckInside(const Band& band) {
  for (const auto& [name, d] : {std::pair("lower_diag_index", band.low), std::pair("upper_diag_index", band.high)}) {
    if ((-band.rows < d && d < band.cols) || d == 0) continue;
    return errors::InvalidArgument(name, " is out of bound: ", d, ". It must be between ", -band.rows, " and ", band.cols);
  }
  return Status::OK();
}

template <typename T>
T PaddingOf(const Tensor* padding) {
  if constexpr (std::is_default_constructible_v<T>) {
    return padding ? Data<T>(*padding)[0] : T();
  }
}

// diagonal(, k, num_rows, num_cols, padding_value) -> matrices
class MatrixDiagOp final : public OpKernel {
 public:
  explicit MatrixDiagOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadAlign(c, &align_)); }

  void Compute(OpKernelContext* context) override {
    const Tensor& diagonal = context->input(0);
    Band band = align_;
    int outer_dims = diagonal.dims() - 1;
    OP_REQUIRES(context, outer_dims >= 0,
                errors::InvalidArgument("diagonal must be at least 1-dim, received shape: ", diagonal.shape().DebugString()));
    int64_t rows = -1, cols = -1;
    const Tensor* padding = nullptr;
    if (context->num_inputs() > 1) {
      OP_REQUIRES_OK(context, ReadDiagonals(context->input(1), &band));
      for (int i = 2; i < 5; ++i) {
        OP_REQUIRES(context, context->input(i).NumElements() == 1,
                    errors::InvalidArgument("input ", i, " must be a scalar, received shape: ",
                                            context->input(i).shape().DebugString()));
      }
      rows = ToInt64s(context->input(2))[0];
      cols = ToInt64s(context->input(3))[0];
      padding = &context->input(4);
    }
    if (band.count() > 1) --outer_dims;
    OP_REQUIRES(context, outer_dims >= 0 && (band.count() == 1 || diagonal.dim_size(outer_dims) == band.count()),
                errors::InvalidArgument("The number of diagonals provided in the input does not match the lower_diag_index and "
                                        "upper_diag_index range."));
    OP_REQUIRES_OK(context, FindSize(diagonal.dim_size(diagonal.dims() - 1), rows, cols, &band));
    TensorShape shape;
    for (int d = 0; d < outer_dims; ++d) OP_REQUIRES_OK(context, shape.AddDim(diagonal.dim_size(d)));
    OP_REQUIRES_OK(context, shape.AddDim(band.rows));
    OP_REQUIRES_OK(context, shape.AddDim(band.cols));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    DispatchBySize(diagonal.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T fill = PaddingOf<T>(padding);
      const int64_t batch = ProductOfDims(shape, 0, outer_dims);
      T* to = Data<T>(out);
      for (int64_t b = 0; b < batch; ++b) {
        const T* from = Data<T>(diagonal) + b * band.count() * band.longest;
        for (int64_t i = 0; i < band.rows; ++i) {
          for (int64_t j = 0; j < band.cols; ++j) *to++ = band.Has(i, j) ? from[band.Place(i, j)] : fill;
        }
      }
    });
  }

 private:
  static Status FindSize(int64_t longest, int64_t rows, int64_t cols, Band* band) {
    const int64_t least_rows = longest - std::min<int64_t>(band->high, 0);
    const int64_t least_cols = longest + std::max<int64_t>(band->low, 0);
    if (rows != -1 && rows < least_rows) return errors::InvalidArgument("The number of rows is too small.");
    if (cols != -1 && cols < least_cols) return errors::InvalidArgument("The number of columns is too small.");
    if (rows == -1 && cols == -1) {
      rows = cols = std::max(least_rows, least_cols);
    } else if (rows == -1) {
      rows = least_rows;
    } else if (cols == -1) {
      cols = least_cols;
    }
    if (rows != least_rows && cols != least_cols) {
      return errors::InvalidArgument("The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
                                     "diagonal.");
    }
    band->rows = rows;
    band->cols = cols;
    band->longest = longest;
    return Status::OK();
  }

  Band align_;
};

// input(, k, padding_value) -> diagonals
class MatrixDiagPartOp final : public OpKernel {
 public:
  explicit MatrixDiagPartOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadAlign(c, &align_)); }

  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    OP_REQUIRES(context, in.dims() >= 2,
                errors::InvalidArgument("input must be at least 2-dim, received shape: ", in.shape().DebugString()));
    Band band = align_;
    const Tensor* padding = nullptr;
    if (context->num_inputs() > 1) {
      OP_REQUIRES_OK(context, ReadDiagonals(context->input(1), &band));
      padding = &context->input(2);
      OP_REQUIRES(context, padding->NumElements() == 1,
                  errors::InvalidArgument("padding_value must be a scalar, received shape: ", padding->shape().DebugString()));
    }
    band.rows = in.dim_size(in.dims() - 2);
    band.cols = in.dim_size(in.dims() - 1);
    OP_REQUIRES_OK(context, CheckInside(band));
    band.SetLongest();
    TensorShape shape;
    for (int d = 0; d + 2 < in.dims(); ++d) OP_REQUIRES_OK(context, shape.AddDim(in.dim_size(d)));
    if (band.count() > 1) OP_REQUIRES_OK(context, shape.AddDim(band.count()));
    OP_REQUIRES_OK(context, shape.AddDim(band.longest));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    DispatchBySize(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* to = Data<T>(out);
      std::fill_n(to, out->NumElements(), PaddingOf<T>(padding));
      const int64_t batch = ProductOfDims(in.shape(), 0, in.dims() - 2);
      for (int64_t b = 0; b < batch; ++b, to += band.count() * band.longest) {
        const T* from = Data<T>(in) + b * band.rows * band.cols;
        for (int64_t d = band.low; d <= band.high; ++d) {
          for (int64_t n = 0; n < band.Length(d); ++n) {
            const int64_t i = n - std::min<int64_t>(d, 0), j = n + std::max<int64_t>(d, 0);
            to[band.Place(i, j)] = from[i * band.cols + j];
          }
        }
      }
    });
  }

 private:
  Band align_;
};

// input, diagonal(, k) -> input with these diagonals
class MatrixSetDiagOp final : public OpKernel {
 public:
  explicit MatrixSetDiagOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadAlign(c, &align_)); }

  void Compute(OpKernelContext* context) override {
    const Tensor &in = context->input(0), &diagonal = context->input(1);
    OP_REQUIRES(context, in.dims() >= 2,
                errors::InvalidArgument("input must be at least 2-dim, received shape: ", in.shape().DebugString()));
    Band band = align_;
    if (context->num_inputs() > 2) OP_REQUIRES_OK(context, ReadDiagonals(context->input(2), &band));
    band.rows = in.dim_size(in.dims() - 2);
    band.cols = in.dim_size(in.dims() - 1);
    OP_REQUIRES_OK(context, CheckInside(band));
    band.SetLongest();
    std::vector<int64_t> expected(in.shape().dim_sizes().begin(), in.shape().dim_sizes().end() - 2);
    if (band.count() > 1) expected.push_back(band.count());
    expected.push_back(band.longest);
    OP_REQUIRES(context, std::ranges::equal(expected, diagonal.shape().dim_sizes()),
                errors::InvalidArgument("Either first dimensions of diagonal don't match input.shape[:-2], or "
                                        "diagonal.shape[:-1] is not equal to the longests diagonal in range [lower_diag_index:"
                                        "upper_diag_index].\nInput shape: ", in.shape().DebugString(),
                                        "\nDiagonal shape: ", diagonal.shape().DebugString()));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    CopyElements(in, 0, in.NumElements(), out, 0);
    DispatchBySize(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const int64_t batch = ProductOfDims(in.shape(), 0, in.dims() - 2);
      for (int64_t b = 0; b < batch; ++b) {
        T* to = Data<T>(out) + b * band.rows * band.cols;
        const T* from = Data<T>(diagonal) + b * band.count() * band.longest;
        for (int64_t d = band.low; d <= band.high; ++d) {
          for (int64_t n = 0; n < band.Length(d); ++n) {
            const int64_t i = n - std::min<int64_t>(d, 0), j = n + std::max<int64_t>(d, 0);
            to[i * band.cols + j] = from[band.Place(i, j)];
          }
        }
      }
    });
  }

 private:
  Band align_;
};

// Diag and DiagPart: a tensor of twice the rank with the elements where the first half of the indices equals the second.
template <bool kPart>
class DiagOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& in = context->input(0);
    TensorShape shape;
    if constexpr (kPart) {
      const int half_rank = in.dims() / 2;
      OP_REQUIRES(context, in.dims() > 0 && in.dims() % 2 == 0,
                  errors::InvalidArgument("The rank of the tensor should be even and positive, got shape ",
                                          in.shape().DebugString()));
      for (int d = 0; d < half_rank; ++d) {
        OP_REQUIRES(context, in.dim_size(d) == in.dim_size(d + half_rank),
                    errors::InvalidArgument("Invalid shape ", in.shape().DebugString(), ": dimensions ", d, " and ",
                                            d + half_rank, " do not match."));
        OP_REQUIRES_OK(context, shape.AddDim(in.dim_size(d)));
      }
    } else {
      OP_REQUIRES(context, in.dims() > 0, errors::InvalidArgument("Input must be at least rank 1, got 0"));
      for (int d = 0; d < 2 * in.dims(); ++d) OP_REQUIRES_OK(context, shape.AddDim(in.dim_size(d % in.dims())));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    DispatchBySize(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const T* from = Data<T>(in);
      T* to = Data<T>(out);
      const int64_t n = kPart ? out->NumElements() : in.NumElements();
      if (!kPart) std::fill_n(to, out->NumElements(), T());
      for (int64_t i = 0; i < n; ++i) {
        if (kPart) {
          to[i] = from[i * (n + 1)];
        } else {
          to[i * (n + 1)] = from[i];
        }
      }
    });
  }
};

TypeList DiagTypes() { return {DT_HALF, DT_COMPLEX128, DT_COMPLEX64, DT_INT64, DT_INT32, DT_FLOAT, DT_DOUBLE}; }
TypeList MatrixTypes() { return Union({NumberTypes(), {DT_BOOL}}); }

const CpuKernel<DiagOp<false>> diag({"Diag"}, {{"T", DiagTypes()}});
const CpuKernel<DiagOp<true>> diag_part({"DiagPart"}, {{"T", DiagTypes()}});
const CpuKernel<MatrixDiagOp> matrix_diag({"MatrixDiag", "MatrixDiagV3"}, {{"T", MatrixTypes()}});
const CpuKernel<MatrixDiagPartOp> matrix_diag_part({"MatrixDiagPart", "MatrixDiagPartV3"}, {{"T", MatrixTypes()}});
const CpuKernel<MatrixSetDiagOp> matrix_set_diag({"MatrixSetDiagV3"}, {{"T", MatrixTypes()}});

}  // namespace
}  // namespace opscope::kernels
