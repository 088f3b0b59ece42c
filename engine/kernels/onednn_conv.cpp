#include <omp.h>

#include <atomic>
#include <optional>
#include <vector>

#include "engine/base/parallel_for.h"
#include "engine/kernels/onednn.h"
#include "engine/kernels/onednn_engine.h"

namespace opscope::kernels {
namespace {

// Shapes that one kernel keeps prepared; a graph rarely runs with more.
constexpr size_t kMaxPrepared = 16;
// A filter that changed this often is a variable in training: keeping it would only cost a copy.
constexpr int kMaxChanges = 2;

using dnnl::memory;

memory::desc Nhwc(int64_t batch, int64_t depth, int64_t rows, int64_t cols) {
  return {{batch, depth, rows, cols}, memory::data_type::f32, memory::format_tag::nhwc};
}

// As the filter lies: [rows, cols, in / groups, out], the groups side by side in the last dim. With
// one channel a group the same bytes are [rows, cols, in, multiplier].
memory::desc FilterDesc(const OneDnnConvShape& s) {
  const int64_t in = s.in_depth / s.groups;
  const int64_t out = s.out_depth / s.groups;
  const int64_t col = in * s.out_depth;
  if (s.groups == 1) {
    return {{s.out_depth, in, s.filter[0], s.filter[1]},
            memory::data_type::f32,
            memory::dims{1, s.out_depth, s.filter[1] * col, col}};
  }
  return {{s.groups, out, in, s.filter[0], s.filter[1]},
          memory::data_type::f32,
          memory::dims{out, 1, s.out_depth, s.filter[1] * col, col}};
}

memory::desc AnyFilterDesc(const OneDnnConvShape& s) {
  return {FilterDesc(s).dims(), memory::data_type::f32, memory::format_tag::any};
}

dnnl::convolution_forward::primitive_desc MakePrimitiveDesc(const OneDnnConvShape& s,
                                                            const memory::desc& weights) {
  const auto src = Nhwc(s.batch, s.in_depth, s.in[0], s.in[1]);
  const auto dst = Nhwc(s.batch, s.out_depth, s.out[0], s.out[1]);
  memory::dims pad_after;
  for (int i = 0; i < 2; ++i) {
    const int64_t window = (s.filter[i] - 1) * s.dilation[i] + 1;
    const int64_t used = (s.out[i] - 1) * s.stride[i] + window - s.pad[i];
    pad_after.push_back(std::max<int64_t>(0, used - s.in[i]));
  }
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return {{dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src, weights, dst,
           memory::dims{s.stride[0], s.stride[1]},
           memory::dims{s.dilation[0] - 1, s.dilation[1] - 1}, memory::dims{s.pad[0], s.pad[1]},
           pad_after},
          attributes,
          Cpu()};
}

// Images [begin, begin + count) of a batch, or rows of the output of its one image.
struct Cut {
  OneDnnConvShape shape;
  int64_t src_offset = 0, dst_offset = 0;  // elements
};

Cut CutImages(const OneDnnConvShape& s, int64_t begin, int64_t count) {
  Cut cut{s, begin * s.in[0] * s.in[1] * s.in_depth, begin * s.out[0] * s.out[1] * s.out_depth};
  cut.shape.batch = count;
  return cut;
}

// Nothing when the rows see only padding: no convolution of oneDNN's is without input.
std::optional<Cut> CutRows(const OneDnnConvShape& s, int64_t begin, int64_t count) {
  const int64_t first = begin * s.stride[0] - s.pad[0];
  const int64_t last = (begin + count - 1) * s.stride[0] - s.pad[0] + (s.filter[0] - 1) * s.dilation[0];
  const int64_t from = std::max<int64_t>(first, 0);
  const int64_t to = std::min(last + 1, s.in[0]);
  if (to <= from) return std::nullopt;
  Cut cut{s, from * s.in[1] * s.in_depth, begin * s.out[1] * s.out_depth};
  cut.shape.in[0] = to - from;
  cut.shape.out[0] = count;
  cut.shape.pad[0] = from - first;
  return cut;
}

std::vector<Cut> CutUp(const OneDnnConvShape& s, int parts) {
  const bool by_images = s.batch >= parts;
  if (!by_images && s.batch > 1) return {{s, 0, 0}};
  const int64_t whole = by_images ? s.batch : s.out[0];
  const int64_t part = (whole + parts - 1) / parts;
  std::vector<Cut> cuts;
  for (int64_t begin = 0; begin < whole; begin += part) {
    const int64_t count = std::min(part, whole - begin);
    auto cut = by_images ? CutImages(s, begin, count) : CutRows(s, begin, count);
    if (!cut) return {{s, 0, 0}};
    cuts.push_back(*cut);
  }
  return cuts;
}

double Flops(const OneDnnConvShape& s) {
  double flops = 2.0;
  for (const int64_t n : {s.batch, s.out_depth, s.out[0], s.out[1], s.filter[0], s.filter[1],
                          s.in_depth / s.groups}) {
    flops *= static_cast<double>(n);
  }
  return flops;
}

StatusOr<Tensor> Bytes(OpKernelContext* context, size_t size) {
  Tensor bytes;
  OS_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::array{static_cast<int64_t>(size)}));
  OS_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, shape, &bytes));
  return bytes;
}

// Why it failed; null when it didn't. Exceptions end here: the caller is a thread of the pool.
const char* RunPart(const dnnl::convolution_forward& primitive,
                    const dnnl::convolution_forward::primitive_desc& desc, const float* src, void* weights,
                    float* dst, void* scratch) {
  try {
    omp_set_num_threads(1);
    dnnl::stream stream(Cpu());
    primitive.execute(stream,
                      {{DNNL_ARG_SRC, {desc.src_desc(), Cpu(), const_cast<float*>(src)}},
                       {DNNL_ARG_WEIGHTS, {desc.weights_desc(), Cpu(), weights}},
                       {DNNL_ARG_DST, {desc.dst_desc(), Cpu(), dst}},
                       {DNNL_ARG_SCRATCHPAD, {desc.scratchpad_desc(), Cpu(), scratch}}});
    stream.wait();
    return nullptr;
  } catch (const dnnl::error&) {
    return "a convolution could not be run";
  }
}

}  // namespace

void OneDnnConvShape::SetWindows(const WindowDim& rows, const WindowDim& cols) {
  const WindowDim* const dims[] = {&rows, &cols};
  for (size_t i = 0; i < 2; ++i) {
    in[i] = dims[i]->in;
    filter[i] = dims[i]->filter;
    out[i] = dims[i]->out;
    stride[i] = dims[i]->stride;
    dilation[i] = dims[i]->dilation;
    pad[i] = dims[i]->pad_before;
  }
}

struct OneDnnConv::Part {
  Part(const Cut& cut, const memory::desc& weights)
      : desc(MakePrimitiveDesc(cut.shape, weights)),
        primitive(desc),
        src_offset(cut.src_offset),
        dst_offset(cut.dst_offset) {}

  dnnl::convolution_forward::primitive_desc desc;
  dnnl::convolution_forward primitive;
  int64_t src_offset, dst_offset;
};

// The first part chooses how the filter lies, the others follow.
struct OneDnnConv::Plan {
  Plan(const OneDnnConvShape& shape, ThreadPool* pool) : filter(FilterDesc(shape)) {
    omp_set_num_threads(1);
    for (const Cut& cut : CutUp(shape, NumParts(pool, Flops(shape)))) {
      parts.emplace_back(cut, parts.empty() ? AnyFilterDesc(shape) : weights);
      if (parts.size() == 1) weights = parts[0].desc.weights_desc();
      scratch_bytes = std::max(scratch_bytes, parts.back().desc.scratchpad_desc().get_size());
    }
    // Scratch memory of the parts lies side by side.
    scratch_bytes = (scratch_bytes + Allocator::kAlignment - 1) / Allocator::kAlignment * Allocator::kAlignment;
    reorders = weights != filter;
    if (!reorders) return;
    reorder = dnnl::reorder(dnnl::reorder::primitive_desc(Cpu(), filter, Cpu(), weights));
  }

  std::vector<Part> parts;
  memory::desc filter, weights;
  dnnl::reorder reorder;
  bool reorders = false;
  size_t scratch_bytes = 0;  ///< Of each part.
};

OneDnnConv::OneDnnConv() = default;
OneDnnConv::~OneDnnConv() = default;

// Null when oneDNN has none for this shape; that is remembered, too.
std::shared_ptr<const OneDnnConv::Plan> OneDnnConv::Prepare(const OneDnnConvShape& shape,
                                                            ThreadPool* pool) {
  const std::lock_guard lock(mutex_);
  const auto found = plans_.find(shape);
  if (found != plans_.end()) return found->second;
  if (plans_.size() >= kMaxPrepared) plans_.clear();
  std::shared_ptr<const Plan> made;
  try {
    made = std::make_shared<const Plan>(shape, pool);
  } catch (const dnnl::error&) {
    made = nullptr;
  }
  plans_.emplace(shape, made);
  return made;
}

// The filter in oneDNN's order. Kept while every run brings the same buffer of the device's own
// memory, which nobody writes to while it is shared; what was fed may change behind our back.
StatusOr<Tensor> OneDnnConv::Reordered(OpKernelContext* context, const std::shared_ptr<const Plan>& plan,
                                       const Tensor& filter) {
  {
    const std::lock_guard lock(mutex_);
    if (last_plan_ == plan && last_filter_.SharesBufferWith(filter)) return last_reordered_;
  }
  OS_ASSIGN_OR_RETURN(Tensor reordered, Bytes(context, plan->weights.get_size()));
  omp_set_num_threads(1);
  dnnl::stream stream(Cpu());
  const memory from(plan->filter, Cpu(), filter.raw_data());
  memory to(plan->weights, Cpu(), reordered.raw_data());
  plan->reorder.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  const std::lock_guard lock(mutex_);
  if (last_filter_.IsInitialized() && !last_filter_.SharesBufferWith(filter)) ++changes_;
  last_filter_ = last_reordered_ = Tensor();
  last_plan_ = nullptr;
  const Allocator* const owner = filter.buffer() ? filter.buffer()->allocator() : nullptr;
  if (changes_ < kMaxChanges && owner == context->device()->allocator()) {
    last_filter_ = filter;
    last_reordered_ = reordered;
    last_plan_ = plan;
  }
  return reordered;
}

StatusOr<bool> OneDnnConv::Run(OpKernelContext* context, const OneDnnConvShape& shape,
                               const Tensor& input, const Tensor& filter, Tensor* out) {
  ThreadPool* const pool = context->device()->intra_op_pool();
  const auto plan = Prepare(shape, pool);
  if (!plan) return false;
  std::atomic<const char*> failure{nullptr};
  try {
    Tensor weights = filter;
    if (plan->reorders) {
      OS_ASSIGN_OR_RETURN(weights, Reordered(context, plan, filter));
    }
    OS_ASSIGN_OR_RETURN(const Tensor scratch, Bytes(context, plan->scratch_bytes * plan->parts.size()));
    const auto* const src = static_cast<const float*>(input.raw_data());
    auto* const dst = static_cast<float*>(out->raw_data());
    ParallelFor(pool, static_cast<int>(plan->parts.size()), [&](int i) {
      const Part& part = plan->parts[static_cast<size_t>(i)];
      const size_t at = static_cast<size_t>(i) * plan->scratch_bytes;
      const char* const why = RunPart(part.primitive, part.desc, src + part.src_offset, weights.raw_data(),
                                      dst + part.dst_offset, static_cast<char*>(scratch.raw_data()) + at);
      if (why) failure = why;
    });
  } catch (const dnnl::error& error) {
    return errors::Internal("oneDNN: ", error.message);
  }
  if (failure) return errors::Internal("oneDNN: ", failure.load());
  return true;
}

}  // namespace opscope::kernels
