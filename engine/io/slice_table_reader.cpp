// V1 checkpoints: tables whose entries are SavedTensorSlices; the one of key "" tells of all tensors.

#include <limits>

#include "engine/io/checkpoint_reader.h"
#include "engine/io/table_reader.h"
#include "engine/proto/saved_tensor_slice.pb.h"

namespace opscope {
namespace {

class SliceTableReader final : public CheckpointReader {
 public:
  Status Init(const std::string& pattern) {
    const std::vector<std::string> paths = MatchingPaths(pattern);
    if (paths.empty()) {
      return errors::NotFound("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ", pattern);
    }
    for (const std::string& path : paths) {
      OS_ASSIGN_OR_RETURN(auto table, TableReader::Open(path));
      tables_.push_back(std::move(table));
      OS_RETURN_IF_ERROR(ReadMeta(tables_.size() - 1));
    }
    return Status::OK();
  }

  const CheckpointTensor* Find(std::string_view name) const override {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second.tensor;
  }

  std::vector<CheckpointTensor> List() const override {
    std::vector<CheckpointTensor> tensors;
    for (const auto& [name, entry] : entries_) tensors.push_back(entry.tensor);
    return tensors;
  }

  bool is_v2() const override { return false; }

 protected:
  StatusOr<std::vector<TensorSlice>> SlicesOf(const std::string& name) const override {
    std::vector<TensorSlice> slices;
    for (const auto& [slice, table] : entries_.find(name)->second.slices) slices.push_back(slice);
    return slices;
  }

  StatusOr<Tensor> ReadSlice(const CheckpointTensor& tensor, const TensorSlice& slice, Allocator* allocator) const override {
    OS_ASSIGN_OR_RETURN(const TensorShape shape, slice.ShapeIn(tensor.shape));
    for (const auto& [saved, index] : entries_.find(tensor.name)->second.slices) {
      if (!(saved == slice)) continue;
      auto value = ReadFrom(*tables_[index], tensor, slice, shape, allocator);
      return value.ok() ? value : value.status().Prepend(StrCat(tables_[index]->path(), ": tensor ", tensor.name, ": "));
    }
    return errors::NotFound("Key ", tensor.name, " not found in checkpoint");
  }

 private:
  struct Entry {
    CheckpointTensor tensor;
    std::vector<std::pair<TensorSlice, size_t>> slices;  ///< With the table that has each.
  };

  Status ReadMeta(size_t index) {
    const TableReader& table = *tables_[index];
    OS_ASSIGN_OR_RETURN(const auto value, table.Get(""));
    if (!value) return errors::DataLoss(table.path(), ": not a checkpoint: it has no header");
    tensorflow::SavedTensorSlices header;
    if (value->size() > static_cast<size_t>(std::numeric_limits<int>::max()) || !header.ParseFromString(*value)) {
      return errors::DataLoss(table.path(), ": the header of the checkpoint can't be parsed");
    }
    for (const auto& meta : header.meta().tensor()) {
      auto shape = TensorShape::FromProto(meta.shape());
      if (!shape.ok()) return errors::DataLoss(table.path(), ": tensor ", meta.name(), ": ", shape.status().message());
      Entry& entry = entries_[meta.name()];
      if (entry.slices.empty()) entry.tensor = {meta.name(), meta.type(), *shape};
      if (entry.tensor.dtype != meta.type() || !(entry.tensor.shape == *shape)) {
        return errors::DataLoss(table.path(), ": tensor ", meta.name(), " has several types or shapes");
      }
      for (const auto& proto : meta.slice()) {
        auto slice = TensorSlice::FromProto(proto);
        if (slice.ok() && !slice->ShapeIn(*shape).ok()) slice = slice->ShapeIn(*shape).status();
        if (!slice.ok()) return errors::DataLoss(table.path(), ": tensor ", meta.name(), ": ", slice.status().message());
        entry.slices.emplace_back(std::move(slice).value(), index);
      }
    }
    return Status::OK();
  }

  static StatusOr<Tensor> ReadFrom(const TableReader& table, const CheckpointTensor& tensor, const TensorSlice& slice,
                                   const TensorShape& shape, Allocator* allocator) {
    OS_ASSIGN_OR_RETURN(const auto bytes, table.Get(EncodeTensorNameSlice(tensor.name, slice)));
    if (!bytes) return errors::DataLoss("slice ", slice.ToString(), " is missing");
    tensorflow::SavedTensorSlices saved;
    if (bytes->size() > static_cast<size_t>(std::numeric_limits<int>::max()) || !saved.ParseFromString(*bytes)) {
      return errors::DataLoss("slice ", slice.ToString(), " can't be parsed");
    }
    // The values are kept without type and shape. Half a slice would be filled up silently: count what is there.
    tensorflow::TensorProto& proto = *saved.mutable_data()->mutable_data();
    proto.set_dtype(tensor.dtype);
    shape.ToProto(proto.mutable_tensor_shape());
    if (CountValues(proto, tensor.dtype) != shape.num_elements()) {
      return errors::DataLoss("slice ", slice.ToString(), " has ", CountValues(proto, tensor.dtype), " values instead of ",
                              shape.num_elements());
    }
    return Tensor::FromProto(proto, allocator);
  }

  static int64_t CountValues(const tensorflow::TensorProto& proto, DataType dtype) {
    const auto width = static_cast<int64_t>(DataTypeSize(dtype));
    if (!proto.tensor_content().empty() && width > 0) return static_cast<int64_t>(proto.tensor_content().size()) / width;
    switch (dtype) {
      case DT_FLOAT: return proto.float_val_size();
      case DT_DOUBLE: return proto.double_val_size();
      case DT_INT64: return proto.int64_val_size();
      case DT_UINT64: return proto.uint64_val_size();
      case DT_UINT32: return proto.uint32_val_size();
      case DT_BOOL: return proto.bool_val_size();
      case DT_STRING: return proto.string_val_size();
      case DT_COMPLEX64: return proto.scomplex_val_size() / 2;
      case DT_COMPLEX128: return proto.dcomplex_val_size() / 2;
      case DT_HALF:
      case DT_BFLOAT16: return proto.half_val_size();
      default: return proto.int_val_size();
    }
  }

  std::vector<std::shared_ptr<const TableReader>> tables_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace

StatusOr<std::shared_ptr<const CheckpointReader>> OpenSliceTables(const std::string& pattern) {
  auto reader = std::make_shared<SliceTableReader>();
  OS_RETURN_IF_ERROR(reader->Init(pattern));
  return std::shared_ptr<const CheckpointReader>(std::move(reader));
}

}  // namespace opscope
