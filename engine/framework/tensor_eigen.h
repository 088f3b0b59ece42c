#pragma once
// Eigen views of a tensor's elements. The only header of the framework that brings Eigen in; half
// and bfloat16 become complete types with it.

#include <Eigen/Core>

#include <limits>

#include "engine/framework/tensor.h"

namespace opscope {

template <typename T>
using MatrixRowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using MatrixMap = Eigen::Map<MatrixRowMajor<T>>;
template <typename T>
using ConstMatrixMap = Eigen::Map<const MatrixRowMajor<T>>;
template <typename T>
using ArrayMap = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <typename T>
using ConstArrayMap = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

/// All elements as one array. REQUIRES: T is the type of the tensor.
template <typename T>
ArrayMap<T> EigenFlat(Tensor& t) {
  return ArrayMap<T>(t.flat<T>().data(), t.NumElements());
}
template <typename T>
ConstArrayMap<T> EigenFlat(const Tensor& t) {
  return ConstArrayMap<T>(t.flat<T>().data(), t.NumElements());
}

/// The elements as a matrix of `rows` x `cols`. REQUIRES: rows * cols == t.NumElements().
template <typename T>
MatrixMap<T> EigenMatrix(Tensor& t, int64_t rows, int64_t cols) {
  return MatrixMap<T>(t.flat<T>().data(), rows, cols);
}
template <typename T>
ConstMatrixMap<T> EigenMatrix(const Tensor& t, int64_t rows, int64_t cols) {
  return ConstMatrixMap<T>(t.flat<T>().data(), rows, cols);
}

}  // namespace opscope
