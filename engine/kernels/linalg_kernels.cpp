// Linear algebra on batches of matrices: inverse, determinant, solving, Cholesky. Plain loops: Eigen's decompositions take
// minutes to compile.

#include <complex>
#include <limits>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/broadcast.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

/// A row-major matrix with elements of its own.
template <typename T>
struct Matrix {
  Matrix(int64_t r, int64_t c) : rows(r), cols(c), values(static_cast<size_t>(r * c)) {}
  T& operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(i * cols + j)]; }
  const T& operator()(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * cols + j)]; }
  int64_t rows, cols;
  std::vector<T> values;
};

template <typename T>
T Conjugate(const T& v) {
  if constexpr (std::is_floating_point_v<T>) {
    return v;
  } else {
    return std::conj(v);
  }
}

template <typename T>
Matrix<T> Adjoint(const Matrix<T>& m) {
  Matrix<T> out(m.cols, m.rows);
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.cols; ++j) out(j, i) = Conjugate(m(i, j));
  }
  return out;
}

/// Elimination with the largest element of the column as pivot: `m` becomes both factors, `order` the rows that they stand for.
/// False when a pivot is zero (or not a number); `odd` tells whether an odd number of rows was exchanged.
template <typename T>
bool Eliminate(Matrix<T>* m, std::vector<int64_t>* order, bool* odd) {
  const int64_t n = m->rows;
  order->resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) (*order)[static_cast<size_t>(i)] = i;
  bool regular = true;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs((*m)(i, k)) > std::abs((*m)(best, k))) best = i;
    }
    if (best != k) {
      for (int64_t j = 0; j < n; ++j) std::swap((*m)(k, j), (*m)(best, j));
      std::swap((*order)[static_cast<size_t>(k)], (*order)[static_cast<size_t>(best)]);
      *odd = !*odd;
    }
    if (!(std::abs((*m)(k, k)) > 0)) {
      regular = false;
      continue;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = (*m)(i, k) /= (*m)(k, k);
      for (int64_t j = k + 1; j < n; ++j) (*m)(i, j) -= factor * (*m)(k, j);
    }
  }
  return regular;
}

/// x of triangle * x = x, in place.
template <typename T>
void SolveTriangle(const Matrix<T>& triangle, bool lower, bool unit, Matrix<T>* x) {
  const int64_t n = triangle.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) {
      const T factor = triangle(i, k);
      for (int64_t j = 0; j < x->cols; ++j) (*x)(i, j) -= factor * (*x)(k, j);
    }
    for (int64_t j = 0; !unit && j < x->cols; ++j) (*x)(i, j) /= triangle(i, i);
  }
}

/// matrix * x = rhs; false for a singular matrix.
template <typename T>
bool Solve(Matrix<T> matrix, const Matrix<T>& rhs, Matrix<T>* x) {
  std::vector<int64_t> order;
  bool odd = false;
  if (!Eliminate(&matrix, &order, &odd)) return false;
  for (int64_t i = 0; i < rhs.rows; ++i) {
    for (int64_t j = 0; j < rhs.cols; ++j) (*x)(i, j) = rhs(order[static_cast<size_t>(i)], j);
  }
  SolveTriangle(matrix, true, true, x);
  SolveTriangle(matrix, false, false, x);
  return true;
}

// Half is computed as float.
template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, half>, float, T>;

/// A tensor as a batch of matrices.
struct BatchShape {
  int64_t batch = 1, rows = 0, cols = 0;
};

StatusOr<BatchShape> ReadBatch(const Tensor& t, bool square) {
  if (t.dims() < 2) {
    return errors::InvalidArgument("Input tensor 0 must have rank >= 2, got ", t.dims());
  }
  BatchShape shape;
  shape.rows = t.dim_size(t.dims() - 2);
  shape.cols = t.dim_size(t.dims() - 1);
  shape.batch = ProductOfDims(t.shape(), 0, t.dims() - 2);
  if (square && shape.rows != shape.cols) return errors::InvalidArgument("Input matrix must be square.");
  return shape;
}

template <typename T>
Matrix<Computed<T>> Load(const Tensor& t, int64_t batch, int64_t rows, int64_t cols) {
  Matrix<Computed<T>> matrix(rows, cols);
  const T* const from = t.flat<T>().data() + batch * rows * cols;
  for (int64_t i = 0; i < rows * cols; ++i) matrix.values[static_cast<size_t>(i)] = static_cast<Computed<T>>(from[i]);
  return matrix;
}
template <typename T>
void Store(const Matrix<Computed<T>>& matrix, int64_t batch, Tensor* t) {
  T* const to = t->flat<T>().data() + batch * matrix.rows * matrix.cols;
  for (size_t i = 0; i < matrix.values.size(); ++i) to[i] = static_cast<T>(matrix.values[i]);
}

// `out` has the leading dims of `t` and these at its end.
StatusOr<TensorShape> WithLast(const Tensor& t, std::initializer_list<int64_t> last) {
  std::vector<int64_t> dims(t.shape().dim_sizes().begin(), t.shape().dim_sizes().end() - 2);
  dims.insert(dims.end(), last);
  return TensorShape::Make(dims);
}

/// Calls Run<T>() for the type of the first input.
template <typename Op>
void Dispatch(Op* op, OpKernelContext* context) {
  switch (context->input(0).dtype()) {
    case DT_FLOAT: return op->template Run<float>(context);
    case DT_DOUBLE: return op->template Run<double>(context);
    case DT_COMPLEX64: return op->template Run<std::complex<float>>(context);
    case DT_COMPLEX128: return op->template Run<std::complex<double>>(context);
    default: context->CtxFailure(errors::Unimplemented(op->type_string(), " of this type"));
  }
}

class MatrixInverseOp final : public OpKernel {
 public:
  explicit MatrixInverseOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("adjoint", &adjoint_)); }
  void Compute(OpKernelContext* context) override {
    if (context->input(0).dtype() == DT_HALF) return Run<half>(context);
    Dispatch(this, context);
  }

  template <typename T>
  void Run(OpKernelContext* context) {
    const Tensor& in = context->input(0);
    auto shape = ReadBatch(in, true);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    if (in.NumElements() == 0) return;
    for (int64_t b = 0; b < shape->batch; ++b) {
      Matrix<Computed<T>> matrix = Load<T>(in, b, shape->rows, shape->cols);
      if (adjoint_) matrix = Adjoint(matrix);
      Matrix<Computed<T>> one(shape->rows, shape->cols), inverse(shape->rows, shape->cols);
      for (int64_t i = 0; i < shape->rows; ++i) one(i, i) = Computed<T>(1);
      OP_REQUIRES(context, Solve(matrix, one, &inverse), errors::InvalidArgument("Input is not invertible."));
      Store<T>(inverse, b, out);
    }
  }

 private:
  bool adjoint_ = false;
};

class MatrixDeterminantOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { Dispatch(this, context); }

  template <typename T>
  void Run(OpKernelContext* context) {
    const Tensor& in = context->input(0);
    auto shape = ReadBatch(in, true);
    OP_REQUIRES_OK(context, shape.status());
    auto out_shape = WithLast(in, {});
    OP_REQUIRES_OK(context, out_shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, *out_shape, &out));
    for (int64_t b = 0; b < shape->batch; ++b) {
      Matrix<T> matrix = Load<T>(in, b, shape->rows, shape->cols);
      std::vector<int64_t> order;
      bool odd = false;
      Eliminate(&matrix, &order, &odd);
      T value(odd ? -1 : 1);
      for (int64_t i = 0; i < shape->rows; ++i) value *= matrix(i, i);
      out->flat<T>()[static_cast<size_t>(b)] = value;
    }
  }
};

class CholeskyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override { Dispatch(this, context); }

  template <typename T>
  void Run(OpKernelContext* context) {
    const Tensor& in = context->input(0);
    auto shape = ReadBatch(in, true);
    OP_REQUIRES_OK(context, shape.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, in.shape(), &out));
    if (in.NumElements() == 0) return;
    for (int64_t b = 0; b < shape->batch; ++b) {
      Matrix<T> lower = Load<T>(in, b, shape->rows, shape->cols);
      const bool done = Decompose(&lower);
      for (int64_t i = 0; i < lower.rows; ++i) {
        for (int64_t j = 0; j < lower.cols; ++j) {
          // As TensorFlow: no error, but no numbers either.
          if (j > i) lower(i, j) = T(0);
          if (j <= i && !done) lower(i, j) = T(std::numeric_limits<float>::quiet_NaN());
        }
      }
      Store<T>(lower, b, out);
    }
  }

 private:
  // The lower triangle of `m` becomes its Cholesky factor; false when the matrix isn't positive definite.
  template <typename T>
  static bool Decompose(Matrix<T>* m) {
    for (int64_t j = 0; j < m->rows; ++j) {
      T sum = (*m)(j, j);
      for (int64_t k = 0; k < j; ++k) sum -= (*m)(j, k) * Conjugate((*m)(j, k));
      if (!(std::real(sum) > 0)) return false;
      (*m)(j, j) = T(std::sqrt(std::real(sum)));
      for (int64_t i = j + 1; i < m->rows; ++i) {
        T rest = (*m)(i, j);
        for (int64_t k = 0; k < j; ++k) rest -= (*m)(i, k) * Conjugate((*m)(j, k));
        (*m)(i, j) = rest / (*m)(j, j);
      }
    }
    return true;
  }
};

class MatrixSolveOp final : public OpKernel {
 public:
  explicit MatrixSolveOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("adjoint", &adjoint_)); }
  void Compute(OpKernelContext* context) override { Dispatch(this, context); }

  template <typename T>
  void Run(OpKernelContext* context) {
    const Tensor &in = context->input(0), &rhs = context->input(1);
    auto shape = ReadBatch(in, true);
    OP_REQUIRES_OK(context, shape.status());
    auto rhs_shape = ReadBatch(rhs, false);
    OP_REQUIRES_OK(context, rhs_shape.status());
    OP_REQUIRES(context, rhs_shape->rows == shape->rows, errors::InvalidArgument("Input matrix and rhs are incompatible."));
    OP_REQUIRES(context, in.dims() == rhs.dims() && std::equal(in.shape().dim_sizes().begin(), in.shape().dim_sizes().end() - 2,
                                                               rhs.shape().dim_sizes().begin()),
                errors::InvalidArgument("All input tensors must have the same outer dimensions."));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, rhs.shape(), &out));
    if (rhs.NumElements() == 0) return;
    for (int64_t b = 0; b < shape->batch; ++b) {
      Matrix<T> matrix = Load<T>(in, b, shape->rows, shape->cols);
      if (adjoint_) matrix = Adjoint(matrix);
      Matrix<T> x(rhs_shape->rows, rhs_shape->cols);
      OP_REQUIRES(context, Solve(matrix, Load<T>(rhs, b, rhs_shape->rows, rhs_shape->cols), &x),
                  errors::InvalidArgument("Input matrix is not invertible."));
      Store<T>(x, b, out);
    }
  }

 private:
  bool adjoint_ = false;
};

class MatrixTriangularSolveOp final : public OpKernel {
 public:
  explicit MatrixTriangularSolveOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("adjoint", &adjoint_));
    OP_REQUIRES_OK(c, c->GetAttr("lower", &lower_));
  }
  void Compute(OpKernelContext* context) override { Dispatch(this, context); }

  template <typename T>
  void Run(OpKernelContext* context) {
    const Tensor &in = context->input(0), &rhs = context->input(1);
    auto shape = ReadBatch(in, true);
    OP_REQUIRES_OK(context, shape.status());
    auto rhs_shape = ReadBatch(rhs, false);
    OP_REQUIRES_OK(context, rhs_shape.status());
    OP_REQUIRES(context, rhs_shape->rows == shape->rows,
                errors::InvalidArgument("Input matrix and rhs are incompatible."));
    auto in_batch = WithLast(in, {});
    auto rhs_batch = WithLast(rhs, {});
    OP_REQUIRES(context, in_batch.ok() && rhs_batch.ok(), errors::InvalidArgument("bad batch dimensions"));
    auto broadcast = Broadcast::Make(*in_batch, *rhs_batch);
    OP_REQUIRES_OK(context, broadcast.status());
    TensorShape out_shape = broadcast->output_shape();
    OP_REQUIRES_OK(context, out_shape.AddDim(rhs_shape->rows));
    OP_REQUIRES_OK(context, out_shape.AddDim(rhs_shape->cols));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, out_shape, &out));
    if (out->NumElements() == 0) return;
    broadcast->ForEachRow([&](int64_t left, int64_t right, int64_t to, int64_t count, BroadcastMode mode) {
      for (int64_t i = 0; i < count; ++i) {
        Matrix<T> matrix = Load<T>(in, mode == BroadcastMode::kLeftStays ? left : left + i, shape->rows, shape->cols);
        Matrix<T> x = Load<T>(rhs, mode == BroadcastMode::kRightStays ? right : right + i, rhs_shape->rows, rhs_shape->cols);
        for (int64_t k = 0; k < matrix.rows; ++k) {
          if (std::abs(matrix(k, k)) > 0) continue;
          context->CtxFailure(errors::InvalidArgument("Input matrix is not invertible."));
          return false;
        }
        // The adjoint of a lower triangle is an upper one.
        if (adjoint_) matrix = Adjoint(matrix);
        SolveTriangle(matrix, lower_ != adjoint_, false, &x);
        Store<T>(x, to + i, out);
      }
      return true;
    });
  }

 private:
  bool adjoint_ = false, lower_ = true;
};

const TypeList kTypes{DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128};
const CpuKernel<MatrixInverseOp> inverse({"MatrixInverse"}, {{"T", {DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128, DT_HALF}}});
const CpuKernel<MatrixDeterminantOp> determinant({"MatrixDeterminant"}, {{"T", kTypes}});
const CpuKernel<CholeskyOp> cholesky({"Cholesky"}, {{"T", kTypes}});
const CpuKernel<MatrixSolveOp> solve({"MatrixSolve"}, {{"T", kTypes}});
const CpuKernel<MatrixTriangularSolveOp> triangular_solve({"MatrixTriangularSolve"}, {{"T", kTypes}});

}  // namespace
}  // namespace opscope::kernels
