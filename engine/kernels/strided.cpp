#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

struct Dim {
  int64_t size, from, to;
};

// Dims of size 1 left out, and neighbours that are one run in both views joined. Outer first.
std::vector<Dim> Joined(const StridedView& from, const StridedView& to) {
  std::vector<Dim> dims;
  for (size_t i = 0; i < from.sizes.size(); ++i) {
    const Dim dim{from.sizes[i], from.strides[i], to.strides[i]};
    if (dim.size == 1) continue;
    if (!dims.empty() && dims.back().from == dim.from * dim.size &&
        dims.back().to == dim.to * dim.size) {
      dims.back() = {dims.back().size * dim.size, dim.from, dim.to};
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) dims.push_back({1, 1, 1});
  return dims;
}

template <typename T>
void CopyInner(const T* from, T* to, const Dim& dim) {
  if (dim.from == 1 && dim.to == 1) {
    std::copy_n(from, dim.size, to);
  } else if (dim.to == 1) {
    for (int64_t i = 0; i < dim.size; ++i) to[i] = from[i * dim.from];
  } else {
    for (int64_t i = 0; i < dim.size; ++i) to[i * dim.to] = from[i * dim.from];
  }
}

// The two innermost dims in blocks, so that a transposition stays within the cache.
template <typename T>
void CopyPlane(const T* from, T* to, const Dim& outer, const Dim& inner) {
  constexpr int64_t kBlock = 32;
  if (inner.from == 1 || outer.size < kBlock || inner.size < kBlock) {
    for (int64_t i = 0; i < outer.size; ++i) {
      CopyInner(from + i * outer.from, to + i * outer.to, inner);
    }
    return;
  }
  for (int64_t j = 0; j < inner.size; j += kBlock) {
    const Dim part{std::min(kBlock, inner.size - j), inner.from, inner.to};
    for (int64_t i = 0; i < outer.size; ++i) {
      CopyInner(from + i * outer.from + j * inner.from, to + i * outer.to + j * inner.to, part);
    }
  }
}

template <typename T>
void Copy(const T* from, T* to, const std::vector<Dim>& dims) {
  if (dims.size() == 1) return CopyInner(from, to, dims[0]);
  const size_t odometer = dims.size() - 2;
  std::vector<int64_t> index(odometer, 0);
  for (;;) {
    CopyPlane(from, to, dims[odometer], dims[odometer + 1]);
    size_t i = odometer;
    while (i-- > 0) {
      from += dims[i].from;
      to += dims[i].to;
      if (++index[i] < dims[i].size) break;
      from -= dims[i].from * dims[i].size;
      to -= dims[i].to * dims[i].size;
      index[i] = 0;
    }
    if (i == static_cast<size_t>(-1)) return;
  }
}

}  // namespace

std::vector<int64_t> DenseStrides(const TensorShape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.dims()), 1);
  if (shape.num_elements() == 0) return strides;
  for (int i = shape.dims() - 2; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    strides[at] = strides[at + 1] * shape.dim_size(i + 1);
  }
  return strides;
}

void CopyStrided(const Tensor& from, const StridedView& from_view, Tensor* to,
                 const StridedView& to_view) {
  for (const int64_t size : from_view.sizes) {
    if (size == 0) return;
  }
  const std::vector<Dim> dims = Joined(from_view, to_view);
  DispatchBySize(from.dtype(), [&](auto element) {
    using T = decltype(element);
    Copy(Data<T>(from) + from_view.base, Data<T>(to) + to_view.base, dims);
  });
}

}  // namespace opscope::kernels
