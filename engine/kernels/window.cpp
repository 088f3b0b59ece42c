#include "engine/kernels/window.h"

#include <algorithm>

namespace opscope::kernels {
namespace {

// The list `name` of four numbers of at least 1; `what` is how messages call it.
Status ReadFour(const OpKernelConstruction& c, const char* name, const char* what,
                std::vector<int32_t>* list) {
  OS_RETURN_IF_ERROR(c.GetAttr(name, list));
  if (list->size() != 4) {
    return errors::InvalidArgument("Sliding window ", what, " field must specify 4 dimensions");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i] < 1) {
      return errors::InvalidArgument("Sliding window ", what, " for dimension ", i,
                                     (*list)[i] == 0 ? " was zero." : " was negative.");
    }
  }
  return Status::OK();
}

Status CheckExplicit(const std::string& padding, const std::vector<int64_t>& paddings) {
  if (padding != "EXPLICIT") {
    if (paddings.empty()) return Status::OK();
    return errors::InvalidArgument("explicit_paddings attribute must be empty if the padding "
                                   "attribute is not EXPLICIT");
  }
  if (paddings.size() != 8) {
    return errors::InvalidArgument("explicit_paddings attribute must contain 8 values, but got: ",
                                   paddings.size());
  }
  constexpr int64_t kMost = int64_t{1} << 40;
  for (const int64_t p : paddings) {
    if (p < 0) return errors::InvalidArgument("All elements of explicit_paddings must be nonnegative");
    if (p > kMost) return errors::InvalidArgument("explicit_paddings has an element over ", kMost);
  }
  if (paddings[0] != 0 || paddings[1] != 0 || paddings[6] != 0 || paddings[7] != 0) {
    return errors::InvalidArgument("Nonzero explicit padding in the batch or depth dimensions is not "
                                   "supported");
  }
  return Status::OK();
}

}  // namespace

void WindowDim::Taps(int64_t o, int64_t* begin, int64_t* end) const {
  const int64_t first = o * stride - pad_before;
  *begin = first >= 0 ? 0 : (-first + dilation - 1) / dilation;
  const int64_t room = in - first;  // taps k with k * dilation < room are inside
  *end = room <= 0 ? 0 : std::min(filter, (room + dilation - 1) / dilation);
  if (*end < *begin) *end = *begin;
}

Status WindowAttrs::Read(const OpKernelConstruction& c) {
  const std::string& op = c.def().op();
  data_format = "NHWC";
  if (c.HasAttr("data_format")) OS_RETURN_IF_ERROR(c.GetAttr("data_format", &data_format));
  if (c.HasAttr("ksize")) OS_RETURN_IF_ERROR(ReadFour(c, "ksize", "ksize", &ksize));
  if (c.HasAttr("strides")) OS_RETURN_IF_ERROR(ReadFour(c, "strides", "strides", &strides));
  dilations = {1, 1, 1, 1};
  if (c.HasAttr("dilations")) OS_RETURN_IF_ERROR(ReadFour(c, "dilations", "dilations", &dilations));
  OS_RETURN_IF_ERROR(c.GetAttr("padding", &padding));
  if (c.HasAttr("explicit_paddings")) {
    OS_RETURN_IF_ERROR(c.GetAttr("explicit_paddings", &explicit_paddings));
  }
  OS_RETURN_IF_ERROR(CheckExplicit(padding, explicit_paddings));
  if (data_format != "NHWC") return Status::OK();  // refused when run, as TensorFlow does
  if (!strides.empty() && (strides[0] != 1 || (ksize.empty() && strides[3] != 1))) {
    return ksize.empty()
               ? errors::Unimplemented("Current implementation does not yet support strides in the "
                                       "batch and depth dimensions.")
               : errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
  }
  if (dilations[0] != 1 || dilations[3] != 1) {
    return errors::Unimplemented("Current implementation does not yet support dilations in the batch "
                                 "and depth dimensions.");
  }
  if (!ksize.empty() && ksize[0] != 1) {
    return errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
  }
  if (!ksize.empty() && (ksize[3] != 1 || strides[3] != 1)) {
    return errors::Unimplemented(op, " with a window over channels is not supported here");
  }
  return Status::OK();
}

StatusOr<WindowDim> WindowAttrs::MakeDim(int which, int64_t in, int64_t filter) const {
  const auto at = static_cast<size_t>(which + 1);
  WindowDim dim{in, filter, strides[at], dilations[at], 0, 0};
  const int64_t reach = filter == 0 ? 0 : (filter - 1) * dim.dilation + 1;
  if (padding == "SAME") {
    dim.out = (in + dim.stride - 1) / dim.stride;
    dim.pad_before = std::max<int64_t>(0, (dim.out - 1) * dim.stride + reach - in) / 2;
    return dim;
  }
  int64_t pad_after = 0;
  if (padding == "EXPLICIT") {
    dim.pad_before = explicit_paddings[2 * at];
    pad_after = explicit_paddings[2 * at + 1];
  }
  const int64_t room = in + dim.pad_before + pad_after - reach;
  if (room < -dim.stride) {
    return errors::InvalidArgument("Computed output size would be negative: ",
                                   (room + dim.stride) / dim.stride, " [input_size: ", in,
                                   ", effective_filter_size: ", reach,
                                   ", stride: ", dim.stride, "]");
  }
  dim.out = room < 0 ? 0 : room / dim.stride + 1;
  return dim;
}

}  // namespace opscope::kernels
