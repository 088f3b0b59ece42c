// Shapes of matrix ops.

#include <algorithm>
#include <array>
#include <map>

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// [rows, cols] of one operand, turned over when `transposed`.
struct MatrixDims {
  DimensionHandle rows;
  DimensionHandle cols;
};

MatrixDims LastTwo(const ShapeHandle& s, bool transposed) {
  MatrixDims dims{s.dim(-2), s.dim(-1)};
  if (transposed) std::swap(dims.rows, dims.cols);
  return dims;
}

Status MatMulShape(InferenceContext* c) {
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false;
  bool transpose_b = false;
  OS_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  OS_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  const MatrixDims left = LastTwo(a, transpose_a);
  const MatrixDims right = LastTwo(b, transpose_b);
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Merge(left.cols, right.rows, &unused));
  c->set_output(0, c->Matrix(left.rows, right.cols));
  return Status::OK();
}

// `broadcast`: batch dims follow numpy's rules; otherwise they are the same.
Status BatchMatMulOf(InferenceContext* c, bool broadcast) {
  ShapeHandle a;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  bool adj_x = false;
  bool adj_y = false;
  OS_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  OS_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const MatrixDims left = LastTwo(a, adj_x);
  const MatrixDims right = LastTwo(b, adj_y);
  ShapeHandle batch_a;
  ShapeHandle batch_b;
  ShapeHandle batch;
  DimensionHandle unused;
  OS_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &batch_a));
  OS_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &batch_b));
  if (broadcast) {
    OS_RETURN_IF_ERROR(c->Merge(left.cols, right.rows, &unused));
    OS_RETURN_IF_ERROR(BroadcastShapes(batch_a, batch_b, true, &batch));
  } else {
    OS_RETURN_IF_ERROR(c->Merge(batch_a, batch_b, &batch));
    OS_RETURN_IF_ERROR(c->Merge(left.cols, right.rows, &unused));
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(left.rows, right.cols), &out));
  c->set_output(0, out);
  return Status::OK();
}

Status BatchMatMulShape(InferenceContext* c) { return BatchMatMulOf(c, false); }
Status BatchMatMulV2Shape(InferenceContext* c) { return BatchMatMulOf(c, true); }

// "ab...c" taken apart: labels before and after the dots.
struct EinsumTerm {
  std::string before;
  std::string after;
  bool dots = false;
  int64_t rank() const { return static_cast<int64_t>(before.size() + after.size()); }
};

Status ParseEinsumTerm(const std::string& text, EinsumTerm* term) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == ' ') continue;
    if (text.compare(i, 3, "...") == 0 && !term->dots) {
      term->dots = true;
      i += 2;
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
      (term->dots ? term->after : term->before) += letter;
    } else {
      return errors::InvalidArgument("Invalid character in einsum equation: ", text);
    }
  }
  return Status::OK();
}

Status ParseEinsum(const std::string& equation, std::vector<EinsumTerm>* inputs, EinsumTerm* output) {
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) {
    return errors::InvalidArgument("Expecting exactly one '->' in einsum equation: ", equation);
  }
  OS_RETURN_IF_ERROR(ParseEinsumTerm(equation.substr(arrow + 2), output));
  std::string left = equation.substr(0, arrow) + ",";
  for (size_t comma = left.find(','); comma != std::string::npos; comma = left.find(',')) {
    OS_RETURN_IF_ERROR(ParseEinsumTerm(left.substr(0, comma), &inputs->emplace_back()));
    left.erase(0, comma + 1);
  }
  return Status::OK();
}

const char* Ordinal(size_t i) { return i == 1 ? "st" : i == 2 ? "nd" : i == 3 ? "rd" : "th"; }

using LabelDims = std::map<char, DimensionHandle>;

Status MergeLabels(const std::string& labels, const ShapeHandle& input, int64_t start, LabelDims* dims) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const DimensionHandle d = input.dim(start + static_cast<int64_t>(i));
    const auto [at, is_new] = dims->emplace(labels[i], d);
    if (!is_new) OS_RETURN_IF_ERROR(InferenceContext::Merge(at->second, d, &at->second));
  }
  return Status::OK();
}

// Notes the dims of one operand's labels and what its dots stand for. *known is false where that isn't known.
Status ReadOperand(InferenceContext* c, size_t i, const EinsumTerm& term, const std::string& equation, LabelDims* dims,
                   ShapeHandle* dots, bool* known) {
  ShapeHandle input = c->input(static_cast<int64_t>(i));
  const Status status = term.dots ? c->WithRankAtLeast(input, term.rank(), &input) : c->WithRank(input, term.rank(), &input);
  if (!status.ok()) return status.Append(StrCat("\n\t for ", i, Ordinal(i), " input and equation: ", equation));
  if (!input.rank_known()) {
    for (const char label : term.before + term.after) dims->emplace(label, DimensionHandle());
    *known = false;
    return Status::OK();
  }
  OS_RETURN_IF_ERROR(MergeLabels(term.before, input, 0, dims));
  OS_RETURN_IF_ERROR(MergeLabels(term.after, input, input.rank() - static_cast<int64_t>(term.after.size()), dims));
  ShapeHandle middle;
  OS_RETURN_IF_ERROR(c->Subshape(input, static_cast<int64_t>(term.before.size()),
                                 input.rank() - static_cast<int64_t>(term.after.size()), &middle));
  return BroadcastShapes(*dots, middle, true, dots);
}

Status EinsumShape(InferenceContext* c) {
  std::string equation;
  OS_RETURN_IF_ERROR(c->GetAttr("equation", &equation));
  std::vector<EinsumTerm> terms;
  EinsumTerm output;
  OS_RETURN_IF_ERROR(ParseEinsum(equation, &terms, &output));
  if (static_cast<int>(terms.size()) != c->num_inputs()) {
    return errors::InvalidArgument("Expected ", terms.size(), " inputs for equation ", equation, " but got: ",
                                   c->num_inputs());
  }
  LabelDims labels;
  ShapeHandle dots = c->Scalar();
  bool known = true;
  for (size_t i = 0; i < terms.size(); ++i) {
    OS_RETURN_IF_ERROR(ReadOperand(c, i, terms[i], equation, &labels, &dots, &known));
  }
  if (output.dots && !known) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  std::vector<DimensionHandle> dims;
  for (const char label : output.before) dims.push_back(labels[label]);
  for (int i = 0; output.dots && i < dots.rank(); ++i) dims.push_back(dots.dim(i));
  for (const char label : output.after) dims.push_back(labels[label]);
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status MatrixBandPartShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status DiagShape(InferenceContext* c) {
  ShapeHandle in = c->input(0);
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(in, 1, &in));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(in, in, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status DiagPartShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  if (!in.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  if (in.rank() % 2 != 0 || in.rank() <= 0) {
    return errors::InvalidArgument("Input must have even and non-zero rank, input rank is ", in.rank());
  }
  const int half = in.rank() / 2;
  std::vector<DimensionHandle> dims(static_cast<size_t>(half));
  for (int i = 0; i < half; ++i) OS_RETURN_IF_ERROR(c->Merge(in.dim(i), in.dim(i + half), &dims[static_cast<size_t>(i)]));
  c->set_output(0, c->MakeShape(dims));
  return Status::OK();
}

Status MatrixDiagShape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  ShapeHandle out;
  if (in.rank_known()) OS_RETURN_IF_ERROR(c->Concatenate(in, c->Vector(in.dim(-1)), &out));
  c->set_output(0, out);
  return Status::OK();
}

Status MatrixDiagPartShape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  ShapeHandle out;
  if (in.rank_known()) {
    ShapeHandle batch;
    OS_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &batch));
    DimensionHandle size;
    OS_RETURN_IF_ERROR(c->Min(in.dim(-2), in.dim(-1), &size));
    OS_RETURN_IF_ERROR(c->Concatenate(batch, c->Vector(size), &out));
  }
  c->set_output(0, out);
  return Status::OK();
}

// The diagonals [low, high] that input `i` names; *known is false where it isn't known.
Status ReadDiagonals(InferenceContext* c, int i, int64_t* low, int64_t* high, bool* known) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &unused));
  const Tensor* value = c->input_tensor(i);
  *known = value != nullptr;
  if (!value) return Status::OK();
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> k, IntegerValues(*value));
  if (k.empty() || k.size() > 2) {
    return errors::InvalidArgument("diag_index must be a vector with one or two elements. It has ", k.size(), " elements.");
  }
  *low = k[0];
  *high = k.back();
  if (*low > *high) return errors::InvalidArgument("lower_diag_index is greater than upper_diag_index");
  return Status::OK();
}

Status MatrixDiagPartV3Shape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  int64_t low = 0;
  int64_t high = 0;
  bool known = false;
  OS_RETURN_IF_ERROR(ReadDiagonals(c, 1, &low, &high, &known));
  if (!known || !in.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  const DimensionHandle rows = in.dim(-2);
  const DimensionHandle cols = in.dim(-1);
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  if (low < high) OS_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(high - low + 1), &out));
  DimensionHandle longest;
  if (rows.known() && cols.known()) {
    longest = std::min(rows.value() + std::min<int64_t>(high, 0), cols.value() - std::max<int64_t>(low, 0));
  }
  OS_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(longest), &out));
  c->set_output(0, out);
  return Status::OK();
}

Status MatrixDiagV3Shape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  int64_t low = 0;
  int64_t high = 0;
  bool known = false;
  OS_RETURN_IF_ERROR(ReadDiagonals(c, 1, &low, &high, &known));
  DimensionHandle rows;
  DimensionHandle cols;
  for (int i = 2; i < 4; ++i) {
    const Tensor* value = c->input_tensor(i);
    if (!value) continue;
    OS_ASSIGN_OR_RETURN(const std::vector<int64_t> size, IntegerValues(*value));
    (i == 2 ? rows : cols) = size.empty() || size[0] < 0 ? DimensionHandle() : DimensionHandle(size[0]);
  }
  if (!known || !in.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  const DimensionHandle longest = in.dim(-1);
  // With neither given the matrix is square, and just large enough.
  if (!rows.known() && !cols.known() && c->input_tensor(2) && c->input_tensor(3) && longest.known()) {
    rows = cols = longest.value() + (low == high ? std::abs(low) : std::max(std::max<int64_t>(low, 0), std::max<int64_t>(-high, 0)));
  }
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Subshape(in, 0, low < high ? -2 : -1, &out));
  OS_RETURN_IF_ERROR(c->Concatenate(out, c->Matrix(rows, cols), &out));
  c->set_output(0, out);
  return Status::OK();
}

Status SquareMatrices(InferenceContext* c, ShapeHandle* out) {
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, out));
  DimensionHandle side;
  OS_RETURN_IF_ERROR(c->Merge(out->dim(-2), out->dim(-1), &side));
  if (!out->rank_known()) return Status::OK();
  OS_RETURN_IF_ERROR(c->ReplaceDim(*out, -2, side, out));
  return c->ReplaceDim(*out, -1, side, out);
}

Status SquareUnchanged(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(SquareMatrices(c, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status DeterminantShape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(SquareMatrices(c, &in));
  ShapeHandle out;
  if (in.rank_known()) OS_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  c->set_output(0, out);
  return Status::OK();
}

Status SelfAdjointEigShape(InferenceContext* c) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(SquareMatrices(c, &in));
  bool vectors = true;
  OS_RETURN_IF_ERROR(c->GetAttr("compute_v", &vectors));
  ShapeHandle values;
  if (in.rank_known()) OS_RETURN_IF_ERROR(c->Subshape(in, 0, -1, &values));
  c->set_output(0, values);
  c->set_output(1, vectors ? in : c->Vector(0));
  return Status::OK();
}

Status SolveShape(InferenceContext* c) {
  ShapeHandle lhs;
  OS_RETURN_IF_ERROR(SquareMatrices(c, &lhs));
  ShapeHandle rhs;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &rhs));
  if (!lhs.rank_known() || !rhs.rank_known()) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  ShapeHandle batch_l;
  ShapeHandle batch_r;
  ShapeHandle batch;
  DimensionHandle rows;
  OS_RETURN_IF_ERROR(c->Subshape(lhs, 0, -2, &batch_l));
  OS_RETURN_IF_ERROR(c->Subshape(rhs, 0, -2, &batch_r));
  OS_RETURN_IF_ERROR(BroadcastShapes(batch_l, batch_r, true, &batch));
  OS_RETURN_IF_ERROR(c->Merge(lhs.dim(-1), rhs.dim(-2), &rows));
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, rhs.dim(-1)), &out));
  c->set_output(0, out);
  return Status::OK();
}

// Batch and the matrix dims of input 0 when its rank is known.
struct Decomposed {
  ShapeHandle batch;
  DimensionHandle m;
  DimensionHandle n;
  DimensionHandle p;
};

Status ReadDecomposed(InferenceContext* c, Decomposed* parts) {
  ShapeHandle in;
  OS_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  parts->m = in.dim(-2);
  parts->n = in.dim(-1);
  if (in.rank_known()) OS_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &parts->batch));
  return c->Min(parts->m, parts->n, &parts->p);
}

Status QrShape(InferenceContext* c) {
  Decomposed parts;
  OS_RETURN_IF_ERROR(ReadDecomposed(c, &parts));
  bool full = false;
  OS_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  ShapeHandle q;
  ShapeHandle r;
  OS_RETURN_IF_ERROR(c->Concatenate(parts.batch, c->Matrix(parts.m, full ? parts.m : parts.p), &q));
  OS_RETURN_IF_ERROR(c->Concatenate(parts.batch, c->Matrix(full ? parts.m : parts.p, parts.n), &r));
  c->set_output(0, q);
  c->set_output(1, r);
  return Status::OK();
}

Status SvdShape(InferenceContext* c) {
  Decomposed parts;
  OS_RETURN_IF_ERROR(ReadDecomposed(c, &parts));
  bool compute_uv = true;
  bool full = false;
  OS_RETURN_IF_ERROR(c->GetAttr("compute_uv", &compute_uv));
  OS_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  ShapeHandle s;
  ShapeHandle u = c->Vector(0);
  ShapeHandle v = c->Vector(0);
  OS_RETURN_IF_ERROR(c->Concatenate(parts.batch, c->Vector(parts.p), &s));
  if (compute_uv) {
    OS_RETURN_IF_ERROR(c->Concatenate(parts.batch, c->Matrix(parts.m, full ? parts.m : parts.p), &u));
    OS_RETURN_IF_ERROR(c->Concatenate(parts.batch, c->Matrix(parts.n, full ? parts.n : parts.p), &v));
  }
  c->set_output(0, s);
  c->set_output(1, u);
  c->set_output(2, v);
  return Status::OK();
}

Status SparseMatMulShape(InferenceContext* c) { return MatMulShape(c); }

Status SparseTensorDenseMatMulShape(InferenceContext* c) {
  ShapeHandle unused;
  ShapeHandle shape;
  ShapeHandle b;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  OS_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &shape));
  OS_RETURN_IF_ERROR(c->WithRank(shape, 2, &shape));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(3), 2, &b));
  bool adjoint_a = false;
  bool adjoint_b = false;
  OS_RETURN_IF_ERROR(c->GetAttr("adjoint_a", &adjoint_a));
  OS_RETURN_IF_ERROR(c->GetAttr("adjoint_b", &adjoint_b));
  const MatrixDims left = LastTwo(shape, adjoint_a);
  const MatrixDims right = LastTwo(b, adjoint_b);
  DimensionHandle inner;
  OS_RETURN_IF_ERROR(c->Merge(left.cols, right.rows, &inner));
  c->set_output(0, c->Matrix(left.rows, right.cols));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(MatMulShape, "MatMul", "_FusedMatMul");
OS_REGISTER_SHAPE(SparseMatMulShape, "SparseMatMul");
OS_REGISTER_SHAPE(BatchMatMulShape, "BatchMatMul");
OS_REGISTER_SHAPE(BatchMatMulV2Shape, "BatchMatMulV2", "BatchMatMulV3");
OS_REGISTER_SHAPE(EinsumShape, "Einsum");
OS_REGISTER_SHAPE(MatrixBandPartShape, "MatrixBandPart");
OS_REGISTER_SHAPE(ScalarOutputs, "L2Loss");
OS_REGISTER_SHAPE(DiagShape, "Diag");
OS_REGISTER_SHAPE(DiagPartShape, "DiagPart");
OS_REGISTER_SHAPE(MatrixDiagShape, "MatrixDiag");
OS_REGISTER_SHAPE(MatrixDiagPartShape, "MatrixDiagPart");
OS_REGISTER_SHAPE(MatrixDiagV3Shape, "MatrixDiagV3");
OS_REGISTER_SHAPE(MatrixDiagPartV3Shape, "MatrixDiagPartV3");
OS_REGISTER_SHAPE(Unchanged, "MatrixSetDiagV3");
OS_REGISTER_SHAPE(SquareUnchanged, "MatrixInverse", "Cholesky");
OS_REGISTER_SHAPE(DeterminantShape, "MatrixDeterminant");
OS_REGISTER_SHAPE(SelfAdjointEigShape, "SelfAdjointEigV2");
OS_REGISTER_SHAPE(SolveShape, "MatrixSolve", "MatrixTriangularSolve");
OS_REGISTER_SHAPE(QrShape, "Qr");
OS_REGISTER_SHAPE(SvdShape, "Svd");
OS_REGISTER_SHAPE(SparseTensorDenseMatMulShape, "SparseTensorDenseMatMul");

}  // namespace opscope::shapes
