#include <oneapi/dnnl/dnnl.hpp>

#include "engine/kernels/onednn.h"

namespace opscope::kernels {
namespace {

// Shapes that one kernel keeps prepared; a graph rarely runs with more.
constexpr size_t kMaxPrepared = 16;
// A filter that changed this often is a variable in training: keeping it would only cost a copy.
constexpr int kMaxChanges = 2;

using dnnl::memory;

const dnnl::engine& Cpu() {
  static const auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

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

dnnl::convolution_forward::primitive_desc MakePrimitiveDesc(const OneDnnConvShape& s) {
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
  return {{dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src,
           AnyFilterDesc(s), dst, memory::dims{s.stride[0], s.stride[1]},
           memory::dims{s.dilation[0] - 1, s.dilation[1] - 1}, memory::dims{s.pad[0], s.pad[1]},
           pad_after},
          attributes,
          Cpu()};
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

struct OneDnnConv::Prepared {
  explicit Prepared(const OneDnnConvShape& s)
      : desc(MakePrimitiveDesc(s)),
        primitive(desc),
        filter(FilterDesc(s)),
        reorders(desc.weights_desc() != filter),
        flops(Flops(s)) {
    if (!reorders) return;
    const dnnl::reorder::primitive_desc reorder_desc(Cpu(), filter, Cpu(), desc.weights_desc());
    reorder = dnnl::reorder(reorder_desc);
  }

  dnnl::convolution_forward::primitive_desc desc;
  dnnl::convolution_forward primitive;
  dnnl::reorder reorder;
  memory::desc filter;
  bool reorders;
  double flops;
};

OneDnnConv::OneDnnConv() = default;
OneDnnConv::~OneDnnConv() = default;

// Null when oneDNN has none for this shape; that is remembered, too.
std::shared_ptr<const OneDnnConv::Prepared> OneDnnConv::Prepare(const OneDnnConvShape& shape) {
  const std::lock_guard lock(mutex_);
  const auto found = prepared_.find(shape);
  if (found != prepared_.end()) return found->second;
  if (prepared_.size() >= kMaxPrepared) {
    prepared_.clear();
    last_prepared_ = nullptr;
  }
  std::shared_ptr<const Prepared> made;
  try {
    made = std::make_shared<const Prepared>(shape);
  } catch (const dnnl::error&) {
    made = nullptr;
  }
  prepared_.emplace(shape, made);
  return made;
}

// The filter in oneDNN's order. Kept while every run brings the same buffer of the device's own
// memory, which nobody writes to while it is shared; what was fed may change behind our back.
StatusOr<Tensor> OneDnnConv::Reordered(OpKernelContext* context, const Prepared& prepared,
                                       const Tensor& filter) {
  {
    const std::lock_guard lock(mutex_);
    if (last_prepared_ == &prepared && last_filter_.SharesBufferWith(filter)) return last_reordered_;
  }
  OS_ASSIGN_OR_RETURN(Tensor reordered, Bytes(context, prepared.desc.weights_desc().get_size()));
  dnnl::stream stream(Cpu());
  const memory from(prepared.filter, Cpu(), filter.raw_data());
  memory to(prepared.desc.weights_desc(), Cpu(), reordered.raw_data());
  prepared.reorder.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  const std::lock_guard lock(mutex_);
  if (last_filter_.IsInitialized() && !last_filter_.SharesBufferWith(filter)) ++changes_;
  last_filter_ = last_reordered_ = Tensor();
  last_prepared_ = nullptr;
  const Allocator* const owner = filter.buffer() ? filter.buffer()->allocator() : nullptr;
  if (changes_ < kMaxChanges && owner == context->device()->allocator()) {
    last_filter_ = filter;
    last_reordered_ = reordered;
    last_prepared_ = &prepared;
  }
  return reordered;
}

StatusOr<bool> OneDnnConv::Run(OpKernelContext* context, const OneDnnConvShape& shape,
                               const Tensor& input, const Tensor& filter, Tensor* out) {
  const auto prepared = Prepare(shape);
  if (!prepared) return false;
  try {
    const OneDnnThreads team(IntraOpThreads(context), prepared->flops);
    Tensor weights = filter;
    if (prepared->reorders) {
      OS_ASSIGN_OR_RETURN(weights, Reordered(context, *prepared, filter));
    }
    const auto scratch_desc = prepared->desc.scratchpad_desc();
    OS_ASSIGN_OR_RETURN(const Tensor scratch, Bytes(context, scratch_desc.get_size()));
    dnnl::stream stream(Cpu());
    prepared->primitive.execute(
        stream, {{DNNL_ARG_SRC, {prepared->desc.src_desc(), Cpu(), input.raw_data()}},
                 {DNNL_ARG_WEIGHTS, {prepared->desc.weights_desc(), Cpu(), weights.raw_data()}},
                 {DNNL_ARG_DST, {prepared->desc.dst_desc(), Cpu(), out->raw_data()}},
                 {DNNL_ARG_SCRATCHPAD, {scratch_desc, Cpu(), scratch.raw_data()}}});
    stream.wait();
  } catch (const dnnl::error& error) {
    return errors::Internal("oneDNN: ", error.message);
  }
  return true;
}

}  // namespace opscope::kernels
