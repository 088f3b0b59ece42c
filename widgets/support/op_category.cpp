#include "widgets/support/op_category.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "engine/framework/op_registry.h"

namespace opscope::ui {
namespace {

bool startsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool isActivation(std::string_view op) {
  constexpr std::array<std::string_view, 14> kParts = {"Relu",     "Elu",     "Selu",    "Softmax",     "Softplus",
                                                       "Softsign", "Sigmoid", "Tanh",    "CrossEntropy", "L2Loss",
                                                       "Dropout",  "InTopK",  "LeakyRelu", "Gelu"};
  return std::any_of(kParts.begin(), kParts.end(), [op](std::string_view part) { return contains(op, part); });
}

bool isLinear(std::string_view op) {
  constexpr std::array<std::string_view, 9> kParts = {"MatMul",    "Conv",   "Einsum",   "Matrix",  "Cholesky",
                                                      "Dilation2D", "Apply", "BackpropInput", "BackpropFilter"};
  return std::any_of(kParts.begin(), kParts.end(), [op](std::string_view part) { return contains(op, part); });
}

bool isIo(std::string_view op) {
  return startsWith(op, "Placeholder") || op == "NoOp" || contains(op, "Save") || contains(op, "Restore") ||
         contains(op, "Read") || contains(op, "Write") || contains(op, "Summary") || contains(op, "Assert") ||
         contains(op, "Print") || startsWith(op, "_");
}

bool isVariable(std::string_view op) {
  return op == "Const" || contains(op, "Variable") || op == "VarHandleOp" || startsWith(op, "Assign") ||
         startsWith(op, "Scatter") || contains(op, "Random") || op == "TruncatedNormal" || op == "ImmutableConst";
}

// Ops that every graph has, for when the catalogue has no groups.
bool isShape(std::string_view op) {
  constexpr std::array<std::string_view, 28> kNames = {
      "Reshape", "Shape",   "Size",   "Rank",     "Squeeze",      "ExpandDims", "Transpose",
      "Concat",  "ConcatV2", "Split", "SplitV",   "Pack",         "Unpack",     "Slice",
      "StridedSlice", "Gather", "GatherV2", "GatherNd", "Tile",   "Pad",        "PadV2",
      "Fill",    "Range",   "OneHot", "Cast",     "BroadcastTo",  "UniqueV2",   "Identity"};
  return std::find(kNames.begin(), kNames.end(), op) != kNames.end();
}

bool isElementwise(std::string_view op) {
  constexpr std::array<std::string_view, 44> kNames = {
      "Add",  "AddV2", "AddN", "Sub",     "Mul",     "Div",     "RealDiv", "FloorDiv", "Mod",     "FloorMod", "Pow",
      "Abs",  "Neg",   "Sign", "Square",  "Sqrt",    "Rsqrt",   "Exp",     "Log",      "Log1p",   "Sin",      "Cos",
      "Floor", "Ceil", "Round", "Maximum", "Minimum", "Sum",    "Mean",    "Prod",     "Max",     "Min",      "All",
      "Any",  "ArgMax", "ArgMin", "Equal", "Less",   "Greater", "Select",  "Reciprocal", "SquaredDifference", "BiasAdd",
      "LessEqual"};
  return std::find(kNames.begin(), kNames.end(), op) != kNames.end();
}

OpCategory byName(std::string_view op) {
  if (isVariable(op)) return OpCategory::kVariable;
  if (isShape(op)) return OpCategory::kShape;
  if (isElementwise(op)) return OpCategory::kElementwise;
  if (isActivation(op)) return OpCategory::kActivation;
  if (isIo(op)) return OpCategory::kIo;
  if (isLinear(op) || contains(op, "Pool")) return OpCategory::kLinear;
  return OpCategory::kIo;
}

}  // namespace

OpCategory categoryOf(std::string_view group, std::string_view op) {
  if (startsWith(group, "math") || startsWith(group, "compare") || startsWith(group, "reduction")) {
    return isActivation(op) ? OpCategory::kActivation : OpCategory::kElementwise;
  }
  if (startsWith(group, "core/variables") || startsWith(group, "random")) return OpCategory::kVariable;
  if (startsWith(group, "linalg") || startsWith(group, "training") || startsWith(group, "image")) {
    return OpCategory::kLinear;
  }
  if (startsWith(group, "array") || startsWith(group, "string") || startsWith(group, "tensor array")) {
    return OpCategory::kShape;
  }
  if (startsWith(group, "nn")) {
    if (isActivation(op)) return OpCategory::kActivation;
    return op == "BiasAdd" ? OpCategory::kElementwise : OpCategory::kLinear;
  }
  return byName(op);
}

OpCategory categoryOf(std::string_view op) {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  static std::unordered_map<std::string, OpCategory, Hash, std::equal_to<>> known;
  if (const auto it = known.find(op); it != known.end()) return it->second;
  const OpRegistrationData* data = OpRegistry::Global().Find(op);
  const OpCategory category = data != nullptr ? categoryOf(data->group, op) : byName(op);
  if (known.size() < 4096) known.emplace(std::string(op), category);  // a hostile graph may name any number of ops
  return category;
}

}  // namespace opscope::ui
