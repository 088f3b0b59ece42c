#pragma once
// Reads TensorFlow's checkpoints of both forms: V2 (tensor bundle: PREFIX.index and PREFIX.data-00000-of-00001 …) and V1 (one
// or more tables of SavedTensorSlices). Formats: tensor_bundle.proto, saved_tensor_slice.proto, and what TensorFlow writes.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/io/tensor_slice.h"

namespace opscope {

/// One tensor of a checkpoint.
struct CheckpointTensor {
  std::string name;
  DataType dtype = DT_INVALID;
  TensorShape shape;
};

/// An open checkpoint. Threads: all functions from any thread. All messages name the file or the tensor; what a hostile file
/// says is checked before memory is taken.
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;

  /// The checkpoint of a prefix (V2) or of the files that a pattern or name fits (V1), whichever is there. NOT_FOUND
  /// "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for …".
  static StatusOr<std::shared_ptr<const CheckpointReader>> Open(const std::string& prefix);

  /// nullptr when the checkpoint has no such tensor.
  virtual const CheckpointTensor* Find(std::string_view name) const = 0;
  virtual std::vector<CheckpointTensor> List() const = 0;
  virtual bool is_v2() const = 0;
  /// The tensor, or the part of it that `wanted` tells, put together from the slices that were saved. NOT_FOUND "Key … not
  /// found in checkpoint", DATA_LOSS for wrong checksums or sizes, RESOURCE_EXHAUSTED.
  StatusOr<Tensor> Read(const std::string& name, const ShapeAndSlice& wanted = {},
                        Allocator* allocator = cpu_allocator()) const;

 protected:
  /// One saved part and how to get at it.
  virtual StatusOr<std::vector<TensorSlice>> SlicesOf(const std::string& name) const = 0;
  virtual StatusOr<Tensor> ReadSlice(const CheckpointTensor& tensor, const TensorSlice& slice,
                                     Allocator* allocator) const = 0;
};

/// "PREFIX.index", "PREFIX.data-00000-of-00001".
std::string BundleIndexName(std::string_view prefix);
std::string BundleDataName(std::string_view prefix, int shard, int num_shards);

/// The paths that a pattern (`?`, `*`, `[…]`) fits, sorted. A path without such signs is looked for as it is.
std::vector<std::string> MatchingPaths(const std::string& pattern);

StatusOr<std::shared_ptr<const CheckpointReader>> OpenBundle(const std::string& prefix);
StatusOr<std::shared_ptr<const CheckpointReader>> OpenSliceTables(const std::string& pattern);

}  // namespace opscope
