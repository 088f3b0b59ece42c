// Ops through which nothing flows back, and those whose gradient is TensorFlow's but not ours yet.

#include "engine/gradients/gradient_registry.h"

namespace opscope::gradients {
namespace {

void UnsupportedGrad(OpGradient& g) { g.Unimplemented(""); }

OS_GRADIENT(nullptr,
            "ApproximateEqual", "AsString", "Assert", "Assign", "AssignAdd", "AssignSub", "BitwiseAnd", "BitwiseOr",
            "BitwiseXor", "BroadcastGradientArgs", "ConcatOffset", "Const", "DecodeBase64", "DecodeRaw",
            "DrawBoundingBoxes", "EditDistance", "EncodeBase64", "Equal", "ExtractGlimpse", "Greater", "GreaterEqual",
            "HSVToRGB", "HashTableV2", "HistogramSummary", "ImageSummary", "InitializeTableV2", "Invert",
            "InvertPermutation", "LeftShift", "Less", "LessEqual", "LinSpace", "LogicalAnd", "LogicalNot", "LogicalOr",
            "LookupTableFindV2", "LookupTableInsertV2", "LookupTableSizeV2", "MergeSummary", "Multinomial",
            "MutableHashTableV2", "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionWithOverlaps", "NotEqual",
            "OneHot", "OnesLike", "ParameterizedTruncatedNormal", "PyFunc", "RandomShuffle", "RandomStandardNormal",
            "RandomUniform", "Range", "Rank", "ReduceJoin", "RegexReplace", "ResizeBilinearGrad", "RightShift",
            "SampleDistortedBoundingBoxV2", "ScalarSummary", "ScatterAdd", "ScatterNdAdd", "ScatterNdUpdate", "ScatterSub",
            "Shape", "ShapeN", "Size", "StatelessMultinomial", "StatelessRandomNormal", "StatelessRandomNormalV2",
            "StatelessRandomUniform", "StatelessRandomUniformInt", "StatelessRandomUniformV2", "StatelessTruncatedNormal",
            "StopGradient", "StringJoin", "StringSplit", "StringToHashBucket", "StringToHashBucketFast", "StringToNumber",
            "TensorArrayCloseV3", "TensorArrayGradV3", "TensorArraySizeV3", "TensorArrayV3", "TensorListLength",
            "TensorSummaryV2", "Timestamp", "TruncatedNormal", "VarIsInitializedOp", "VariableShape", "ZerosLike");
OS_GRADIENT(UnsupportedGrad, "Case", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FusedBatchNormGrad",
            "FusedBatchNormGradV2", "FusedBatchNormGradV3", "If", "RandomGamma", "RGBToHSV", "StatelessCase",
            "StatelessIf", "StatelessWhile", "While");

}  // namespace
}  // namespace opscope::gradients
