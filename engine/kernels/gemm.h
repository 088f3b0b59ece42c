#pragma once
// Products of row-major matrices in memory.

#include "engine/base/thread_pool.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {

/// out[rows, cols] = op(a) * op(b) with op(a) rows x depth and op(b) depth x cols; the operands lie
/// transposed where the flags say so.
struct GemmShape {
  int64_t rows = 0, cols = 0, depth = 0;
  bool transpose_a = false, transpose_b = false;
  bool conjugate_a = false, conjugate_b = false;  ///< Of complex types.
  /// Elements from one row to the next as they lie in memory; 0: rows are next to each other.
  int64_t stride_a = 0, stride_b = 0, stride_out = 0;
};

/// The types that Gemm takes.
const TypeList& GemmTypes();

/// Writes all of `out`; zeros where depth is 0. UNIMPLEMENTED for a type not in GemmTypes(). Large products of floats
/// use the threads of `pool`, too (null: none); all others the calling thread alone.
Status Gemm(DataType dtype, const GemmShape& shape, const void* a, const void* b, void* out,
            ThreadPool* pool);

}  // namespace opscope::kernels
