#pragma once
// Writes TensorFlow's checkpoints: V2 (tensor bundle) and V1 (a table of SavedTensorSlices).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/io/tensor_slice.h"
#include "engine/proto/saved_tensor_slice.pb.h"
#include "engine/proto/tensor_bundle.pb.h"

namespace opscope {

/// Writes one bundle of one data file. Files get their names when Finish succeeds, so that a checkpoint that was there stays
/// whole until then. Threads: one.
class BundleWriter {
 public:
  explicit BundleWriter(std::string prefix);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  /// ALREADY_EXISTS when the name was added before; UNIMPLEMENTED for types that have no bytes.
  Status Add(const std::string& name, const Tensor& value);
  /// A part of a larger tensor.
  Status AddSlice(const std::string& name, const TensorShape& shape, const TensorSlice& slice, const Tensor& value);
  Status Finish();

 private:
  Status Open();
  Status WriteBytes(std::string_view bytes);
  Status WriteStrings(const Tensor& value, tensorflow::BundleEntryProto* entry);

  const std::string prefix_, data_path_, temporary_;
  int fd_ = -1;
  int64_t offset_ = 0;
  std::map<std::string, tensorflow::BundleEntryProto> entries_;
};

/// Joins bundles (their indexes; the data files are renamed) to one at `destination`. With `delete_old_dirs` the folders of the
/// old ones go when they are empty. With `allow_missing` prefixes without files are skipped.
Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination, bool delete_old_dirs,
                    bool allow_missing);

/// Collects the slices of a V1 checkpoint and writes them as one table.
class SliceTableWriter {
 public:
  explicit SliceTableWriter(std::string path) : path_(std::move(path)) {}
  Status Add(const std::string& name, const TensorShape& shape, const TensorSlice& slice, const Tensor& value);
  Status Finish();

 private:
  std::string path_;
  std::map<std::string, tensorflow::SavedSliceMeta> metas_;
  std::map<std::string, std::string> values_;  ///< By EncodeTensorNameSlice.
};

}  // namespace opscope
