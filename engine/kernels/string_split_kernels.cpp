// StringSplit and StringSplitV2: texts to a sparse matrix of their parts.

#include <algorithm>

#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

using Parts = std::vector<std::string_view>;

// At any of the signs in `delimiters`; without any, every byte by itself.
Parts SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty) {
  Parts parts;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
    return parts;
  }
  for (size_t from = 0;;) {
    const size_t at = text.find_first_of(delimiters, from);
    const std::string_view part = text.substr(from, at == std::string_view::npos ? at : at - from);
    if (!skip_empty || !part.empty()) parts.push_back(part);
    if (at == std::string_view::npos) return parts;
    from = at + 1;
  }
}

// As Python's str.split: at the whole separator, or at runs of spaces when it is empty.
Parts SplitAsPython(std::string_view text, std::string_view separator, int64_t most) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  Parts parts;
  if (separator.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    while (!text.empty()) {
      const size_t end = most >= 0 && static_cast<int64_t>(parts.size()) == most ? std::string_view::npos
                                                                                  : text.find_first_of(kSpaces);
      parts.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end);
      text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    }
    return parts;
  }
  while (most < 0 || static_cast<int64_t>(parts.size()) < most) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

void SetSparse(OpKernelContext* context, const std::vector<Parts>& rows) {
  int64_t count = 0, widest = 0;
  for (const Parts& parts : rows) {
    count += static_cast<int64_t>(parts.size());
    widest = std::max(widest, static_cast<int64_t>(parts.size()));
  }
  Tensor *indices = nullptr, *values = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({count, 2}), &indices));
  OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape({count}), &values));
  size_t at = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t k = 0; k < rows[row].size(); ++k, ++at) {
      indices->flat<int64_t>()[2 * at] = static_cast<int64_t>(row);
      indices->flat<int64_t>()[2 * at + 1] = static_cast<int64_t>(k);
      values->flat<tstring>()[at] = tstring(rows[row][k]);
    }
  }
  const std::vector<int64_t> shape{static_cast<int64_t>(rows.size()), widest};
  context->set_output(2, Tensor::Vector<int64_t>(shape));
}

class StringSplitOp final : public OpKernel {
 public:
  explicit StringSplitOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("skip_empty", &skip_empty_)); }
  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &delimiter = context->input(1);
    OP_REQUIRES(context, IsVector(input), errors::InvalidArgument("input must be a vector, got shape: ", input.shape().DebugString()));
    OP_REQUIRES(context, IsScalar(delimiter),
                errors::InvalidArgument("delimiter must scalar, got shape: ", delimiter.shape().DebugString()));
    std::vector<Parts> rows;
    for (const tstring& text : input.flat<tstring>()) {
      rows.push_back(SplitAtAny(text, delimiter.scalar<tstring>(), skip_empty_));
    }
    SetSparse(context, rows);
  }

 private:
  bool skip_empty_ = true;
};

class StringSplitV2Op final : public OpKernel {
 public:
  explicit StringSplitV2Op(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("maxsplit", &most_)); }
  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &separator = context->input(1);
    OP_REQUIRES(context, IsVector(input), errors::InvalidArgument("input must be a vector, got shape: ", input.shape().DebugString()));
    OP_REQUIRES(context, IsScalar(separator),
                errors::InvalidArgument("sep must be a scalar, got shape: ", separator.shape().DebugString()));
    std::vector<Parts> rows;
    for (const tstring& text : input.flat<tstring>()) rows.push_back(SplitAsPython(text, separator.scalar<tstring>(), most_));
    SetSparse(context, rows);
  }

 private:
  int64_t most_ = -1;
};

const CpuKernel<StringSplitOp> split({"StringSplit"}, {});
const CpuKernel<StringSplitV2Op> split_v2({"StringSplitV2"}, {});

}  // namespace
}  // namespace opscope::kernels
