// Shapes of checkpoints, files and summaries.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

// A prefix and vectors of names and slices, all of one length.
Status CheckNames(InferenceContext* c, DimensionHandle* count) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  ShapeHandle names;
  ShapeHandle slices;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &names));
  OS_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &slices));
  return c->Merge(names.dim(0), slices.dim(0), count);
}

Status SaveV2Shape(InferenceContext* c) {
  DimensionHandle count;
  OS_RETURN_IF_ERROR(CheckNames(c, &count));
  return c->WithValue(count, c->num_inputs() - 3, &count);
}

// "20 30 0,10:-" tells the whole shape and the part that is read.
bool SliceShapeFromText(const std::string& text, ShapeHandle* out) {
  std::vector<std::string> words;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  if (words.size() < 2) return false;
  std::vector<int64_t> dims;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    char* end = nullptr;
    const long long size = std::strtoll(words[i].c_str(), &end, 10);
    if (words[i].empty() || *end != '\0' || size < 0) return false;
    dims.push_back(size);
  }
  const std::string& parts = words.back();
  size_t start = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (start > parts.size()) return false;
    const size_t end = std::min(parts.find(':', start), parts.size());
    const std::string part = parts.substr(start, end - start);
    start = end + 1;
    if (part == "-") continue;
    const size_t comma = part.find(',');
    if (comma == std::string::npos) return false;
    const long long length = std::strtoll(part.c_str() + comma + 1, nullptr, 10);
    if (length < 0 || length > dims[i]) return false;
    dims[i] = length;
  }
  *out = ShapeHandle(std::move(dims));
  return start > parts.size();
}

Status RestoreV2Shape(InferenceContext* c) {
  DimensionHandle count;
  OS_RETURN_IF_ERROR(CheckNames(c, &count));
  const Tensor* slices = c->input_tensor(2);
  for (int i = 0; i < c->num_outputs(); ++i) {
    ShapeHandle shape;
    if (slices && slices->dtype() == DT_STRING && i < slices->NumElements()) {
      const std::string& text = slices->flat<tstring>()[static_cast<size_t>(i)];
      if (!text.empty() && !SliceShapeFromText(text, &shape)) {
        return errors::InvalidArgument("Expected a shape and a slice of it, separated by spaces: ", text);
      }
    }
    c->set_output(i, shape);
  }
  return Status::OK();
}

Status RestoreShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) OS_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return UnknownOutputs(c);
}

Status ScalarFirstInput(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(0), 0, &unused);
}

Status MergeCheckpointsShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  return c->WithRank(c->input(1), 0, &unused);
}

Status MatchingFilesShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return Status::OK();
}

Status DecodeRawShape(InferenceContext* c) {
  ShapeHandle out;
  OS_RETURN_IF_ERROR(c->Concatenate(c->input(0), c->Vector(c->UnknownDim()), &out));
  c->set_output(0, out);
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(SaveV2Shape, "SaveV2");
OS_REGISTER_SHAPE(RestoreV2Shape, "RestoreV2");
OS_REGISTER_SHAPE(ScalarFirstInput, "Save", "SaveSlices");
OS_REGISTER_SHAPE(RestoreShape, "Restore", "RestoreSlice");
OS_REGISTER_SHAPE(MergeCheckpointsShape, "MergeV2Checkpoints");
OS_REGISTER_SHAPE(ScalarInputsAndOutputs, "ShardedFilename", "ReadFile", "WriteFile");
OS_REGISTER_SHAPE(MatchingFilesShape, "MatchingFiles");
OS_REGISTER_SHAPE(DecodeRawShape, "DecodeRaw");
OS_REGISTER_SHAPE(ScalarOutputs, "ScalarSummary", "HistogramSummary", "ImageSummary", "MergeSummary", "TensorSummary", "TensorSummaryV2");

}  // namespace opscope::shapes
