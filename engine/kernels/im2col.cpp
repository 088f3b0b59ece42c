#include "engine/kernels/im2col.h"

#include <algorithm>
#include <cstring>

namespace opscope::kernels {

bool ConvShape::IsPointwise() const {
  return groups == 1 && rows.filter == 1 && cols.filter == 1 && rows.stride == 1 &&
         cols.stride == 1 && rows.out == rows.in && cols.out == cols.in && rows.pad_before == 0 &&
         cols.pad_before == 0;
}

Status MakeConvShape(const WindowAttrs& attrs, const TensorShape& input, const TensorShape& filter,
                     ConvShape* shape) {
  if (input.dims() != 4) {
    return errors::InvalidArgument("input must be 4-dimensional", input.DebugString());
  }
  if (filter.dims() != 4) {
    return errors::InvalidArgument("filter must be 4-dimensional: ", filter.DebugString());
  }
  shape->batch = input.dim_size(0);
  shape->in_depth = input.dim_size(3);
  shape->out_depth = filter.dim_size(3);
  const int64_t filter_depth = filter.dim_size(2);
  if (filter_depth <= 0) {
    return errors::InvalidArgument("filter depth must be stricly greated than 0: ",
                                   filter.DebugString());
  }
  if (shape->in_depth % filter_depth != 0) {
    return errors::InvalidArgument("input depth must be evenly divisible by filter depth: ",
                                   shape->in_depth, " vs ", filter_depth);
  }
  shape->groups = std::max<int64_t>(1, shape->in_depth / filter_depth);
  if (shape->out_depth % shape->groups != 0) {
    return errors::InvalidArgument("output depth must be evenly divisible by number of groups: ",
                                   shape->out_depth, " vs ", shape->groups);
  }
  OS_ASSIGN_OR_RETURN(shape->rows, attrs.MakeDim(0, input.dim_size(1), filter.dim_size(0)));
  OS_ASSIGN_OR_RETURN(shape->cols, attrs.MakeDim(1, input.dim_size(2), filter.dim_size(1)));
  return Status::OK();
}

int64_t RowsAtOnce(const ConvShape& shape, size_t element_size) {
  constexpr int64_t kBytes = int64_t{2} << 20;
  const int64_t row = shape.cols.out * shape.window() * static_cast<int64_t>(element_size);
  return std::clamp<int64_t>(row > 0 ? kBytes / row : shape.rows.out, 1,
                             std::max<int64_t>(1, shape.rows.out));
}

void Im2Col(const ConvShape& shape, int64_t first, int64_t count, int64_t group,
            size_t element_size, const char* image, char* matrix) {
  const size_t pixel = static_cast<size_t>(shape.in_depth) * element_size;
  const size_t part = static_cast<size_t>(shape.group_depth()) * element_size;
  const size_t window_row = static_cast<size_t>(shape.cols.filter) * part;
  const char* channels = image + static_cast<size_t>(group) * part;
  const bool together = shape.groups == 1 && shape.cols.dilation == 1;
  for (int64_t r = first; r < first + count; ++r) {
    int64_t row_begin = 0;
    int64_t row_end = 0;
    shape.rows.Taps(r, &row_begin, &row_end);
    for (int64_t c = 0; c < shape.cols.out; ++c) {
      int64_t col_begin = 0;
      int64_t col_end = 0;
      shape.cols.Taps(c, &col_begin, &col_end);
      const size_t left = static_cast<size_t>(col_begin) * part;
      const size_t middle = static_cast<size_t>(col_end - col_begin) * part;
      for (int64_t k = 0; k < shape.rows.filter; ++k, matrix += window_row) {
        if (k < row_begin || k >= row_end) {
          std::memset(matrix, 0, window_row);
          continue;
        }
        const int64_t at = shape.rows.At(r, k) * shape.cols.in;
        std::memset(matrix, 0, left);
        if (together) {
          const char* from = channels + static_cast<size_t>(at + shape.cols.At(c, col_begin)) * pixel;
          if (middle > 0) std::memcpy(matrix + left, from, middle);
        } else {
          char* to = matrix + left;
          for (int64_t j = col_begin; j < col_end; ++j, to += part) {
            std::memcpy(to, channels + static_cast<size_t>(at + shape.cols.At(c, j)) * pixel, part);
          }
        }
        std::memset(matrix + left + middle, 0, window_row - left - middle);
      }
    }
  }
}

}  // namespace opscope::kernels
