#include "engine/base/file.h"
#include "engine/io/checkpoint_writer.h"
#include "engine/io/table_writer.h"

namespace opscope {

Status SliceTableWriter::Add(const std::string& name, const TensorShape& shape, const TensorSlice& slice,
                             const Tensor& value) {
  OS_ASSIGN_OR_RETURN(const TensorShape expected, slice.ShapeIn(shape));
  if (!(expected == value.shape())) {
    return errors::InvalidArgument("tensor ", name, ": slice ", slice.ToString(), " of ", shape.DebugString(), " has shape ",
                                   expected.DebugString(), ", not ", value.shape().DebugString());
  }
  auto [meta, is_new] = metas_.try_emplace(name);
  if (is_new) {
    meta->second.set_name(name);
    shape.ToProto(meta->second.mutable_shape());
    meta->second.set_type(value.dtype());
  } else {
    tensorflow::TensorShapeProto proto;
    shape.ToProto(&proto);
    if (meta->second.shape().SerializeAsString() != proto.SerializeAsString() || meta->second.type() != value.dtype()) {
      return errors::InvalidArgument("Mismatching shapes or types: existing tensor ", name);
    }
  }
  slice.ToProto(meta->second.add_slice());
  tensorflow::SavedTensorSlices saved;
  saved.mutable_data()->set_name(name);
  slice.ToProto(saved.mutable_data()->mutable_slice());
  tensorflow::TensorProto* const proto = saved.mutable_data()->mutable_data();
  value.AsProtoField(proto);
  if (proto->dtype() == DT_INVALID) return errors::Unimplemented("tensor ", name, " can't be saved");
  if (!values_.emplace(EncodeTensorNameSlice(name, slice), saved.SerializeAsString()).second) {
    return errors::InvalidArgument("Adding duplicate key: ", name);
  }
  return Status::OK();
}

Status SliceTableWriter::Finish() {
  tensorflow::SavedTensorSlices header;
  header.mutable_meta()->mutable_versions()->set_producer(1);
  for (const auto& [name, meta] : metas_) *header.mutable_meta()->add_tensor() = meta;
  TableWriter table;
  table.Add("", header.SerializeAsString());
  for (const auto& [key, value] : values_) table.Add(key, value);
  return WriteFileAtomic(path_, table.Finish());
}

}  // namespace opscope
