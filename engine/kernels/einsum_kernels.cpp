// Einsum of one or two operands: each is brought into the form [batch, free, contracted], the rest is
// a matrix product.

#include <algorithm>
#include <map>

#include "engine/kernels/arithmetic.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/onednn.h"
#include "engine/kernels/strided.h"

namespace opscope::kernels {
namespace {

// Labels of the dims; those of an ellipsis are numbered from the right, from kEllipsis on.
using Labels = std::vector<int>;
constexpr int kEllipsis = 256;

struct Operand {
  Tensor tensor;
  Labels labels;             ///< Without repetitions.
  std::vector<int64_t> sizes, strides;

  bool Has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
  size_t IndexOf(int label) const {
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
};

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

StatusOr<Equation> Parse(const std::string& text, size_t inputs) {
  Equation equation;
  std::string compact;
  for (const char c : text) {
    if (c != ' ') compact += c;
  }
  const size_t arrow = compact.find("->");
  if (arrow == std::string::npos) {
    return errors::InvalidArgument("Expecting exactly one '->' in einsum equation: ", text);
  }
  equation.output = compact.substr(arrow + 2);
  std::string rest = compact.substr(0, arrow) + ",";
  for (size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    equation.inputs.push_back(rest.substr(0, comma));
    rest = rest.substr(comma + 1);
  }
  if (equation.inputs.size() != inputs || inputs > 2) {
    return errors::InvalidArgument("Expected ", equation.inputs.size(), " inputs (at most 2) for equation ",
                                   text, " but got: ", inputs);
  }
  return equation;
}

// One subscript as labels; `ellipsis_rank` dims stand for "...".
StatusOr<Labels> ToLabels(const std::string& subscript, int ellipsis_rank) {
  Labels labels;
  bool seen = false;
  for (size_t i = 0; i < subscript.size(); ++i) {
    if (subscript.compare(i, 3, "...") == 0 && !seen) {
      for (int d = ellipsis_rank; d > 0; --d) labels.push_back(kEllipsis + d - 1);
      seen = true;
      i += 2;
      continue;
    }
    const char c = subscript[i];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      return errors::InvalidArgument("Invalid character in einsum subscript: ", subscript);
    }
    labels.push_back(c);
  }
  return labels;
}

// Dims with the same label are walked together (a diagonal).
StatusOr<Operand> MakeOperand(const Tensor& tensor, const std::string& subscript, int* ellipsis_rank) {
  const bool has_ellipsis = subscript.find("...") != std::string::npos;
  const int named = static_cast<int>(subscript.size()) - (has_ellipsis ? 3 : 0);
  const int rest = tensor.dims() - named;
  if (rest < 0 || (!has_ellipsis && rest != 0)) {
    return errors::InvalidArgument("Expected input to have rank ", has_ellipsis ? "at least " : "",
                                   named, " for subscript ", subscript, " but got shape ",
                                   tensor.shape().DebugString());
  }
  *ellipsis_rank = std::max(*ellipsis_rank, rest);
  OS_ASSIGN_OR_RETURN(const Labels labels, ToLabels(subscript, rest));
  const std::vector<int64_t> dense = DenseStrides(tensor.shape());
  Operand operand{tensor, {}, {}, {}};
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t size = tensor.dim_size(static_cast<int>(i));
    if (operand.Has(labels[i])) {
      const size_t at = operand.IndexOf(labels[i]);
      if (operand.sizes[at] != size) {
        return errors::InvalidArgument("Expected dimension ", size, " at axis ", i,
                                       " of the input shaped ", tensor.shape().DebugString(),
                                       " but got dimension ", operand.sizes[at]);
      }
      operand.strides[at] += dense[i];
      continue;
    }
    operand.labels.push_back(labels[i]);
    operand.sizes.push_back(size);
    operand.strides.push_back(dense[i]);
  }
  return operand;
}

using Sizes = std::map<int, int64_t>;

Status JoinSizes(const Operand& operand, Sizes* sizes) {
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    const int label = operand.labels[i];
    auto [it, added] = sizes->emplace(label, operand.sizes[i]);
    if (added || it->second == operand.sizes[i]) continue;
    if (label < kEllipsis || (it->second != 1 && operand.sizes[i] != 1)) {
      return errors::InvalidArgument("Expected dimension ", it->second, " at axis ", i,
                                     " of the input shaped ", operand.tensor.shape().DebugString(),
                                     " but got dimension ", operand.sizes[i]);
    }
    it->second = std::max(it->second, operand.sizes[i]);
  }
  return Status::OK();
}

std::vector<int64_t> SizesOf(const Labels& labels, const Sizes& sizes) {
  std::vector<int64_t> result;
  for (const int label : labels) result.push_back(sizes.at(label));
  return result;
}

// The operand as a dense tensor with dims in the order of `labels`; what it lacks or has once is repeated.
StatusOr<Tensor> Arrange(OpKernelContext* context, const Operand& operand, const Labels& labels,
                         const Sizes& sizes) {
  StridedView from{0, SizesOf(labels, sizes), {}};
  for (const int label : labels) {
    const bool has = operand.Has(label);
    const size_t at = has ? operand.IndexOf(label) : 0;
    from.strides.push_back(has && (operand.sizes[at] != 1 || sizes.at(label) == 1) ? operand.strides[at]
                                                                                   : 0);
  }
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(from.sizes));
  Tensor dense;
  OS_RETURN_IF_ERROR(context->allocate_temp(operand.tensor.dtype(), shape, &dense));
  CopyStrided(operand.tensor, from, &dense, {0, from.sizes, DenseStrides(shape)});
  return dense;
}

Operand Dense(Tensor tensor, Labels labels) {
  const auto sizes = tensor.shape().dim_sizes();
  std::vector<int64_t> strides = DenseStrides(tensor.shape());
  return Operand{std::move(tensor), std::move(labels), {sizes.begin(), sizes.end()}, std::move(strides)};
}

// Adds up the dims whose labels neither the output nor the other operand has.
Status SumAlone(OpKernelContext* context, const Labels& wanted, Operand* operand) {
  Labels kept;
  Labels order;
  for (const int label : operand->labels) {
    const bool keep = std::find(wanted.begin(), wanted.end(), label) != wanted.end();
    (keep ? kept : order).push_back(label);
  }
  if (order.empty()) return Status::OK();
  order.insert(order.end(), kept.begin(), kept.end());
  Sizes sizes;
  OS_RETURN_IF_ERROR(JoinSizes(*operand, &sizes));
  OS_ASSIGN_OR_RETURN(const Tensor dense, Arrange(context, *operand, order, sizes));
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(SizesOf(kept, sizes)));
  Tensor sum;
  OS_RETURN_IF_ERROR(context->allocate_temp(dense.dtype(), shape, &sum));
  const auto row = static_cast<size_t>(shape.num_elements()) * ElementSize(dense.dtype());
  if (row > 0) std::memset(sum.raw_data(), 0, row);
  const int64_t rows = row > 0 ? dense.NumElements() / shape.num_elements() : 0;
  const BinaryLoop add = AddLoop(dense.dtype());
  for (int64_t r = 0; r < rows; ++r) {
    add(sum.raw_data(), Data<char>(dense) + static_cast<size_t>(r) * row, sum.raw_data(),
        shape.num_elements(), BroadcastMode::kBoth);
  }
  *operand = Dense(std::move(sum), std::move(kept));
  return Status::OK();
}

int64_t Product(const Labels& labels, const Sizes& sizes) {
  int64_t product = 1;
  for (const int label : labels) product *= sizes.at(label);
  return product;
}

// Both operands into one over batch, left and right labels.
StatusOr<Operand> Contract(OpKernelContext* context, const Operand& x, const Operand& y,
                           const Labels& output, const Sizes& sizes) {
  Labels batch;
  Labels left;
  Labels right;
  Labels contracted;
  const auto in_output = [&](int label) {
    return std::find(output.begin(), output.end(), label) != output.end();
  };
  for (const int label : x.labels) {
    if (!y.Has(label)) {
      left.push_back(label);
    } else {
      (in_output(label) ? batch : contracted).push_back(label);
    }
  }
  for (const int label : y.labels) {
    if (!x.Has(label)) right.push_back(label);
  }
  const auto joined = [](Labels a, const Labels& b, const Labels& c) {
    a.insert(a.end(), b.begin(), b.end());
    a.insert(a.end(), c.begin(), c.end());
    return a;
  };
  OS_ASSIGN_OR_RETURN(const Tensor a, Arrange(context, x, joined(batch, left, contracted), sizes));
  OS_ASSIGN_OR_RETURN(const Tensor b, Arrange(context, y, joined(batch, contracted, right), sizes));
  const Labels labels = joined(batch, left, right);
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(SizesOf(labels, sizes)));
  Tensor out;
  OS_RETURN_IF_ERROR(context->allocate_temp(a.dtype(), shape, &out));
  const GemmShape gemm{Product(left, sizes), Product(right, sizes), Product(contracted, sizes)};
  const auto size = static_cast<int64_t>(ElementSize(a.dtype()));
  const int64_t batches = shape.num_elements() == 0 ? 0 : Product(batch, sizes);
  for (int64_t i = 0; i < batches; ++i) {
    OS_RETURN_IF_ERROR(Gemm(a.dtype(), gemm, Data<char>(a) + i * gemm.rows * gemm.depth * size,
                            Data<char>(b) + i * gemm.depth * gemm.cols * size,
                            Data<char>(&out) + i * gemm.rows * gemm.cols * size,
                            context->device()->intra_op_pool()));
  }
  return Dense(std::move(out), labels);
}

class EinsumOp final : public OpKernel {
 public:
  explicit EinsumOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("equation", &text_));
    auto equation = Parse(text_, static_cast<size_t>(c->num_inputs()));
    OP_REQUIRES_OK(c, equation.status());
    equation_ = std::move(equation).value();
  }

  void Compute(OpKernelContext* context) override {
    auto result = Run(context);
    OP_REQUIRES_OK(context, result.status());
    context->set_output(0, std::move(result).value());
  }

 private:
  StatusOr<Tensor> Run(OpKernelContext* context) const {
    std::vector<Operand> operands;
    Sizes sizes;
    int ellipsis_rank = 0;
    for (int i = 0; i < context->num_inputs(); ++i) {
      OS_ASSIGN_OR_RETURN(Operand operand,
                          MakeOperand(context->input(i), equation_.inputs[static_cast<size_t>(i)],
                                      &ellipsis_rank));
      OS_RETURN_IF_ERROR(JoinSizes(operand, &sizes));
      operands.push_back(std::move(operand));
    }
    OS_ASSIGN_OR_RETURN(const Labels output, ToLabels(equation_.output, ellipsis_rank));
    for (size_t i = 0; i < output.size(); ++i) {
      const bool repeated = std::count(output.begin(), output.end(), output[i]) > 1;
      if (!repeated && sizes.contains(output[i])) continue;
      return errors::Unimplemented("Einsum with a repeated or new label in its output: ", text_);
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      Labels wanted = output;
      if (operands.size() == 2) {
        const Labels& other = operands[1 - i].labels;
        wanted.insert(wanted.end(), other.begin(), other.end());
      }
      OS_RETURN_IF_ERROR(SumAlone(context, wanted, &operands[i]));
    }
    if (operands.size() == 1) return Arrange(context, operands[0], output, sizes);
    OS_ASSIGN_OR_RETURN(const Operand product,
                        Contract(context, operands[0], operands[1], output, sizes));
    return Arrange(context, product, output, sizes);
  }

  std::string text_;
  Equation equation_;
};

const CpuKernel<EinsumOp> einsum({"Einsum"}, {{"T", GemmTypes()}});

}  // namespace
}  // namespace opscope::kernels
