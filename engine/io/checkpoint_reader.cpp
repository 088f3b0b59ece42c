#include "engine/io/checkpoint_reader.h"

#include <glob.h>

#include <cstdio>

#include "engine/base/file.h"

namespace opscope {

std::string BundleIndexName(std::string_view prefix) { return std::string(prefix) + ".index"; }

std::string BundleDataName(std::string_view prefix, int shard, int num_shards) {
  char text[64];
  std::snprintf(text, sizeof(text), ".data-%05d-of-%05d", shard, num_shards);
  return std::string(prefix) + text;
}

std::vector<std::string> MatchingPaths(const std::string& pattern) {
  std::vector<std::string> paths;
  if (pattern.find_first_of("?*[") == std::string::npos) {
    if (FileExists(pattern)) paths.push_back(pattern);
    return paths;
  }
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_NOESCAPE, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  return paths;
}

StatusOr<std::shared_ptr<const CheckpointReader>> CheckpointReader::Open(const std::string& prefix) {
  // A V1 checkpoint may be named by a pattern; so may its newer form, which TensorFlow takes for the prefix itself.
  if (FileExists(BundleIndexName(prefix))) return OpenBundle(prefix);
  return OpenSliceTables(prefix);
}

StatusOr<Tensor> CheckpointReader::Read(const std::string& name, const ShapeAndSlice& wanted, Allocator* allocator) const {
  const CheckpointTensor* const tensor = Find(name);
  if (!tensor) return errors::NotFound("Key ", name, " not found in checkpoint");
  if (!wanted.is_whole && !(wanted.shape == tensor->shape)) {
    return errors::InvalidArgument("tensor_name = ", name, "; shape in shape_and_slice spec ", wanted.shape.DebugString(),
                                   " does not match the shape stored in checkpoint: ", tensor->shape.DebugString());
  }
  const TensorSlice target_slice = wanted.is_whole ? TensorSlice(tensor->shape.dims()) : wanted.slice;
  const TensorShape& target_shape = wanted.is_whole ? tensor->shape : wanted.slice_shape;
  OS_ASSIGN_OR_RETURN(const std::vector<TensorSlice> slices, SlicesOf(name));
  for (const TensorSlice& slice : slices) {
    if (slice == target_slice) return ReadSlice(*tensor, slice, allocator);
  }
  OS_ASSIGN_OR_RETURN(Tensor target, Tensor::Make(tensor->dtype, target_shape, allocator));
  int64_t filled = 0;
  for (const TensorSlice& slice : slices) {
    OS_ASSIGN_OR_RETURN(const TensorShape shape, slice.ShapeIn(tensor->shape));
    OS_ASSIGN_OR_RETURN(const Tensor part, ReadSlice(*tensor, slice, allocator));
    filled += CopySlice(tensor->shape, slice, part, target_slice, &target);
  }
  if (filled < target_shape.num_elements()) {
    return errors::NotFound("Key ", name, ": the checkpoint has only ", filled, " of the ", target_shape.num_elements(),
                            " elements of slice ", target_slice.ToString());
  }
  return target;
}

}  // namespace opscope
