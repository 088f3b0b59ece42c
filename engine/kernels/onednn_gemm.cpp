// One product by oneDNN: its matmul primitive is ready in a millisecond, where its sgemm makes code
// for some thirty before the first product.

#include <omp.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/kernels/onednn.h"
#include "engine/kernels/onednn_engine.h"

namespace opscope::kernels {
namespace {

using dnnl::memory;

constexpr size_t kMaxPrepared = 512;

memory::desc Matrix(int64_t rows, int64_t cols, bool transposed, int64_t stride) {
  return {{rows, cols},
          memory::data_type::f32,
          transposed ? memory::dims{1, stride} : memory::dims{stride, 1}};
}

dnnl::matmul::primitive_desc Describe(const GemmShape& s) {
  dnnl::primitive_attr attributes;
  // A primitive runs on other threads than the one that made it: the library's scratchpad is no use.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {{Matrix(s.rows, s.depth, s.transpose_a, s.stride_a),
           Matrix(s.depth, s.cols, s.transpose_b, s.stride_b),
           Matrix(s.rows, s.cols, false, s.stride_out)},
          attributes,
          Cpu()};
}

struct Prepared {
  explicit Prepared(const GemmShape& s) : desc(Describe(s)), primitive(desc) {}
  dnnl::matmul::primitive_desc desc;
  dnnl::matmul primitive;
};

// Null where oneDNN has no code of its own kind for the shape; its sgemm is better than its reference.
std::shared_ptr<const Prepared> Find(const GemmShape& s) {
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, bool, bool>;
  static std::mutex mutex;
  static auto* const known = new std::map<Key, std::shared_ptr<const Prepared>>;
  const Key key{s.rows, s.cols, s.depth, s.stride_a, s.stride_b, s.stride_out, s.transpose_a, s.transpose_b};
  const std::lock_guard lock(mutex);
  const auto found = known->find(key);
  if (found != known->end()) return found->second;
  if (known->size() >= kMaxPrepared) known->clear();
  std::shared_ptr<const Prepared> made;
  try {
    made = std::make_shared<const Prepared>(s);
    if (!std::string_view(made->desc.impl_info_str()).starts_with("brg")) made = nullptr;
  } catch (const dnnl::error&) {
    made = nullptr;
  }
  known->emplace(key, made);
  return made;
}

bool Sgemm(const GemmShape& s, const float* a, const float* b, float* out) {
  return dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', s.rows, s.cols, s.depth, 1.0F,
                    a, s.stride_a, b, s.stride_b, 0.0F, out, s.stride_out) == dnnl_success;
}

}  // namespace

bool OneDnnProduct(const GemmShape& shape, const float* a, const float* b, float* out) {
  // A value of the thread; nobody else in it cares.
  omp_set_num_threads(1);
  const auto prepared = Find(shape);
  if (!prepared) return Sgemm(shape, a, b, out);
  thread_local std::vector<std::byte> scratch;
  try {
    const memory::desc scratch_desc = prepared->desc.scratchpad_desc();
    if (scratch.size() < scratch_desc.get_size()) scratch.resize(scratch_desc.get_size());
    dnnl::stream stream(Cpu());
    prepared->primitive.execute(
        stream, {{DNNL_ARG_SRC, {prepared->desc.src_desc(), Cpu(), const_cast<float*>(a)}},
                 {DNNL_ARG_WEIGHTS, {prepared->desc.weights_desc(), Cpu(), const_cast<float*>(b)}},
                 {DNNL_ARG_DST, {prepared->desc.dst_desc(), Cpu(), out}},
                 {DNNL_ARG_SCRATCHPAD, {scratch_desc, Cpu(), scratch.data()}}});
    stream.wait();
    return true;
  } catch (const dnnl::error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace opscope::kernels
