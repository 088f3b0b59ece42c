#include "engine/runtime/host_memory.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace opscope {
namespace {

/// Bit i: argument i. Ops whose list arguments come first are asked by name below.
struct HostArguments {
  std::string_view op;
  unsigned inputs = 0, outputs = 0;
};

constexpr std::array<HostArguments, 88> kHostArguments = {{
    {"All", 2, 0},
    {"Any", 2, 0},
    {"ArgMax", 2, 0},
    {"ArgMin", 2, 0},
    {"AvgPoolGrad", 1, 0},
    {"BatchToSpace", 2, 0},
    {"BatchToSpaceND", 6, 0},
    {"BroadcastArgs", 3, 1},
    {"BroadcastGradientArgs", 3, 3},
    {"Concat", 1, 0},
    {"ConjugateTranspose", 2, 0},
    {"CropAndResize", 8, 0},
    {"CumulativeLogsumexp", 2, 0},
    {"Empty", 1, 0},
    {"ExpandDims", 2, 0},
    {"Fill", 1, 0},
    {"GatherV2", 4, 0},
    {"InTopK", 3, 1},
    {"InTopKV2", 7, 1},
    {"LinSpace", 7, 1},
    {"MaxPoolGradV2", 24, 0},
    {"MirrorPad", 2, 0},
    {"MirrorPadGrad", 2, 0},
    {"OneHot", 2, 0},
    {"Pad", 2, 0},
    {"PadV2", 6, 0},
    {"RandomStandardNormal", 1, 0},
    {"RandomUniform", 1, 0},
    {"RandomUniformInt", 7, 0},
    {"Range", 7, 0},
    {"Rank", 0, 1},
    {"RefSelect", 1, 0},
    {"RefSwitch", 2, 0},
    {"RemoteCall", 1, 0},
    {"Reshape", 2, 0},
    {"ResizeArea", 2, 0},
    {"ResizeBicubic", 2, 0},
    {"ResizeBilinear", 2, 0},
    {"ResizeNearestNeighbor", 2, 0},
    {"ResizeNearestNeighborGrad", 2, 0},
    {"ResourceApplyAdaMax", 7, 0},
    {"ResourceApplyAdadelta", 7, 0},
    {"ResourceApplyAdagrad", 3, 0},
    {"ResourceApplyAdagradV2", 3, 0},
    {"ResourceApplyAdam", 7, 0},
    {"ResourceApplyCenteredRMSProp", 15, 0},
    {"ResourceApplyFtrl", 7, 0},
    {"ResourceApplyGradientDescent", 1, 0},
    {"ResourceApplyKerasMomentum", 3, 0},
    {"ResourceApplyMomentum", 3, 0},
    {"ResourceApplyProximalGradientDescent", 1, 0},
    {"ResourceApplyRMSProp", 7, 0},
    {"ResourceGather", 1, 0},
    {"ResourceGatherNd", 1, 0},
    {"ResourceScatterAdd", 1, 0},
    {"ResourceScatterSub", 1, 0},
    {"ResourceScatterUpdate", 1, 0},
    {"ResourceStridedSliceAssign", 15, 0},
    {"Reverse", 2, 0},
    {"ReverseV2", 2, 0},
    {"Roll", 6, 0},
    {"ScatterNd", 4, 0},
    {"Shape", 0, 1},
    {"ShapeN", 0, 1},
    {"Size", 0, 1},
    {"Slice", 6, 0},
    {"SpaceToBatch", 2, 0},
    {"SpaceToBatchND", 6, 0},
    {"SparseTensorDenseMatMul", 4, 0},
    {"Split", 1, 0},
    {"SplitV", 6, 0},
    {"StatelessRandomGetAlg", 0, 1},
    {"StatelessRandomGetKeyCounter", 1, 3},
    {"StatelessRandomNormal", 3, 0},
    {"StatelessRandomNormalV2", 9, 0},
    {"StatelessRandomUniform", 3, 0},
    {"StatelessRandomUniformInt", 15, 0},
    {"StatelessRandomUniformV2", 9, 0},
    {"StatelessTruncatedNormal", 3, 0},
    {"StridedSlice", 14, 0},
    {"StridedSliceAssign", 14, 0},
    {"StridedSliceGrad", 15, 0},
    {"Switch", 2, 0},
    {"TensorArrayConcatV3", 1, 2},
    {"Tile", 2, 0},
    {"Transpose", 2, 0},
    {"TruncatedNormal", 1, 0},
    {"_SwitchN", 2, 0},
}};

bool IsAlwaysOnHost(DataType dtype) {
  dtype = RemoveRef(dtype);
  return dtype == DT_STRING || dtype == DT_RESOURCE || dtype == DT_VARIANT;
}

const HostArguments* Find(std::string_view op) {
  const auto found = std::lower_bound(kHostArguments.begin(), kHostArguments.end(), op,
                                      [](const HostArguments& a, std::string_view b) { return a.op < b; });
  return found != kHostArguments.end() && found->op == op ? &*found : nullptr;
}

}  // namespace

bool InputOnHost(const RunNode& node, size_t input) {
  if (input >= node.input_types.size()) return false;
  if (IsAlwaysOnHost(node.input_types[input])) return true;
  if (node.op == "NextIteration") return node.input_types[input] == DT_INT32;
  if (node.op == "ConcatV2") return input + 1 == node.input_types.size();
  if (node.op == "DynamicStitch" || node.op == "ParallelDynamicStitch") return input < node.input_types.size() / 2;
  const HostArguments* const host = Find(node.op);
  return host && input < 32 && (host->inputs >> input & 1U) != 0;
}

bool OutputOnHost(const RunNode& node, int output) {
  if (output < 0 || static_cast<size_t>(output) >= node.output_types.size()) return false;
  if (IsAlwaysOnHost(node.output_types[static_cast<size_t>(output)])) return true;
  const HostArguments* const host = Find(node.op);
  if (node.op == "ShapeN") return true;
  return host && output < 32 && (host->outputs >> output & 1U) != 0;
}

}  // namespace opscope
