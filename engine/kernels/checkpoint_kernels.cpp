// Ops that save and restore checkpoints. They touch only files that the session allows (file_access.h).

#include "engine/base/file.h"
#include "engine/framework/file_access.h"
#include "engine/io/checkpoint_reader.h"
#include "engine/io/checkpoint_writer.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

/// A checkpoint that is open during a step: graphs restore each variable with an op of its own.
class OpenCheckpoint final : public ResourceBase {
 public:
  explicit OpenCheckpoint(std::shared_ptr<const CheckpointReader> made) : reader(std::move(made)) {}
  std::string DebugString() const override { return "Checkpoint"; }
  const std::shared_ptr<const CheckpointReader> reader;
};

Status CheckAccess(OpKernelContext* context, const std::string& path) {
  return FileAccess::Check(*context->resource_manager(), path);
}

StatusOr<std::shared_ptr<const CheckpointReader>> OpenFor(OpKernelContext* context, const std::string& prefix) {
  OS_RETURN_IF_ERROR(CheckAccess(context, prefix));
  if (!context->step_resources()) return CheckpointReader::Open(prefix);
  OS_ASSIGN_OR_RETURN(const auto open, context->step_resources()->LookupOrCreate<OpenCheckpoint>(
                                           "_checkpoints", prefix, [&]() -> StatusOr<std::shared_ptr<OpenCheckpoint>> {
                                             OS_ASSIGN_OR_RETURN(auto reader, CheckpointReader::Open(prefix));
                                             return std::make_shared<OpenCheckpoint>(std::move(reader));
                                           }));
  return open->reader;
}

StatusOr<std::string> ScalarText(OpKernelContext* context, int i, std::string_view what) {
  const Tensor& t = context->input(i);
  if (t.NumElements() == 1) return t.flat<tstring>()[0];
  return errors::InvalidArgument("Input ", i, " (", what, ") must be a string scalar; got a tensor of ", t.NumElements(),
                                 " elements");
}

StatusOr<Tensor> RestoreOne(OpKernelContext* context, const CheckpointReader& reader, const std::string& name,
                            const std::string& slice_text, DataType dtype) {
  OS_ASSIGN_OR_RETURN(const ShapeAndSlice wanted, ParseShapeAndSlice(slice_text));
  const CheckpointTensor* const saved = reader.Find(name);
  if (!saved) {
    if (reader.is_v2()) return errors::NotFound("Key ", name, " not found in checkpoint");
    return errors::NotFound("Tensor name \"", name, "\" not found in checkpoint files");
  }
  if (saved->dtype != dtype) {
    return errors::InvalidArgument("tensor_name = ", name, "; expected dtype ", DataTypeString(dtype),
                                   " does not equal original dtype ", DataTypeString(saved->dtype));
  }
  return reader.Read(name, wanted, context->device()->allocator());
}

// prefix, tensor_names, shape_and_slices -> tensors
class RestoreV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, Check(context));
    const std::string& prefix = context->input(0).scalar<tstring>();
    auto reader = OpenFor(context, prefix);
    OP_REQUIRES_OK(context, reader.status());
    for (int i = 0; i < num_outputs(); ++i) {
      OP_REQUIRES(context, !context->is_cancelled(), errors::Cancelled("Restoring ", prefix, " was cancelled"));
      const auto at = static_cast<size_t>(i);
      auto value = RestoreOne(context, **reader, context->input(1).flat<tstring>()[at],
                              context->input(2).flat<tstring>()[at], output_type(i));
      OP_REQUIRES_OK(context, WithFile(value.status(), prefix));
      context->set_output(i, std::move(value).value());
    }
  }

 private:
  // Which checkpoint it was: the first line stays TensorFlow's.
  static Status WithFile(const Status& status, const std::string& prefix) {
    if (status.ok() || status.message().find(prefix) != std::string::npos) return status;
    return status.Append(StrCat("\n\t The checkpoint is ", prefix));
  }

  Status Check(OpKernelContext* context) const {
    const Tensor &prefix = context->input(0), &names = context->input(1), &slices = context->input(2);
    if (prefix.dims() != 0) {
      return errors::InvalidArgument("Input prefix should be a scalar tensor, got ", prefix.dims(), " instead.");
    }
    if (names.dims() != 1 || slices.dims() != 1) {
      return errors::InvalidArgument("Input tensor_names and shape_and_slices should be an 1-D tensors, got ",
                                     names.shape().DebugString(), " and ", slices.shape().DebugString(), " instead.");
    }
    if (names.NumElements() != slices.NumElements()) {
      return errors::InvalidArgument("tensor_names and shape_and_slices have different number of elements: ",
                                     names.NumElements(), " vs. ", slices.NumElements());
    }
    if (names.NumElements() != num_outputs()) {
      return errors::InvalidArgument("Got ", names.NumElements(), " tensor names, but expected ", num_outputs());
    }
    return Status::OK();
  }
};

// Restore and RestoreSlice: one tensor.
class RestoreOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    auto pattern = ScalarText(context, 0, "file_pattern");
    OP_REQUIRES_OK(context, pattern.status());
    auto name = ScalarText(context, 1, "tensor_name");
    OP_REQUIRES_OK(context, name.status());
    StatusOr<std::string> slice{std::string()};
    if (context->num_inputs() > 2) slice = ScalarText(context, 2, "shape_and_slice");
    OP_REQUIRES_OK(context, slice.status());
    auto reader = OpenFor(context, *pattern);
    OP_REQUIRES_OK(context, reader.status());
    auto value = RestoreOne(context, **reader, *name, *slice, output_type(0));
    OP_REQUIRES_OK(context, value.status());
    context->set_output(0, std::move(value).value());
  }
};

Status CheckSaveInputs(OpKernelContext* context, int first_tensor, bool has_slices) {
  const Tensor& prefix = context->input(0);
  const Tensor& names = context->input(1);
  const int count = context->num_inputs() - first_tensor;
  if (prefix.NumElements() != 1) {
    return errors::InvalidArgument("Input prefix should be a scalar tensor, got ", prefix.dims(), " instead.");
  }
  if (names.NumElements() != count) {
    return errors::InvalidArgument("Got ", names.NumElements(), " tensor names but ", count, " tensors.");
  }
  if (has_slices && context->input(2).NumElements() != count) {
    return errors::InvalidArgument("Got ", context->input(2).NumElements(), " shapes and slices but ", count, " tensors.");
  }
  return Status::OK();
}

// Calls `add(name, shape, slice, value)` for all tensors; `slice` is null for a whole one.
template <typename Add>
Status ForEachSaved(OpKernelContext* context, int first_tensor, bool has_slices, Add&& add) {
  for (int i = first_tensor; i < context->num_inputs(); ++i) {
    const auto at = static_cast<size_t>(i - first_tensor);
    const Tensor& value = context->input(i);
    const std::string& name = context->input(1).flat<tstring>()[at];
    ShapeAndSlice spec;
    if (has_slices) {
      OS_ASSIGN_OR_RETURN(spec, ParseShapeAndSlice(context->input(2).flat<tstring>()[at]));
    }
    if (!spec.is_whole && !(spec.slice_shape == value.shape())) {
      return errors::InvalidArgument("Slice in shape_and_slice specification does not match the shape of the tensor to save: ",
                                     context->input(2).flat<tstring>()[at], ", tensor: ", value.shape().DebugString());
    }
    OS_RETURN_IF_ERROR(spec.is_whole ? add(name, value.shape(), nullptr, value) : add(name, spec.shape, &spec.slice, value));
  }
  return Status::OK();
}

class SaveV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_OK(context, CheckSaveInputs(context, 3, true));
    const std::string& prefix = context->input(0).flat<tstring>()[0];
    OP_REQUIRES_OK(context, CheckAccess(context, prefix));
    BundleWriter writer(prefix);
    OP_REQUIRES_OK(context, ForEachSaved(context, 3, true, [&](const std::string& name, const TensorShape& shape,
                                                               const TensorSlice* slice, const Tensor& value) {
                     return slice ? writer.AddSlice(name, shape, *slice, value) : writer.Add(name, value);
                   }));
    OP_REQUIRES_OK(context, writer.Finish());
  }
};

// Save and SaveSlices: the old form.
template <bool kSlices>
class SaveOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    constexpr int kFirst = kSlices ? 3 : 2;
    OP_REQUIRES_OK(context, CheckSaveInputs(context, kFirst, kSlices));
    const std::string& path = context->input(0).flat<tstring>()[0];
    OP_REQUIRES_OK(context, CheckAccess(context, path));
    SliceTableWriter writer(path);
    OP_REQUIRES_OK(context, ForEachSaved(context, kFirst, kSlices, [&](const std::string& name, const TensorShape& shape,
                                                                       const TensorSlice* slice, const Tensor& value) {
                     return writer.Add(name, shape, slice ? *slice : TensorSlice(shape.dims()), value);
                   }));
    OP_REQUIRES_OK(context, writer.Finish());
  }
};

class MergeV2CheckpointsOp final : public OpKernel {
 public:
  explicit MergeV2CheckpointsOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("delete_old_dirs", &delete_old_dirs_));
    if (c->HasAttr("allow_missing_files")) OP_REQUIRES_OK(c, c->GetAttr("allow_missing_files", &allow_missing_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& prefixes = context->input(0);
    auto destination = ScalarText(context, 1, "destination_prefix");
    OP_REQUIRES_OK(context, destination.status());
    OP_REQUIRES(context, prefixes.dims() == 1,
                errors::InvalidArgument("Input checkpoint_prefixes should be an 1-D tensor, got ",
                                        prefixes.shape().DebugString(), " instead."));
    OP_REQUIRES_OK(context, CheckAccess(context, *destination));
    std::vector<std::string> from;
    for (const tstring& prefix : prefixes.flat<tstring>()) {
      OP_REQUIRES_OK(context, CheckAccess(context, prefix));
      from.push_back(prefix);
    }
    OP_REQUIRES_OK(context, MergeBundles(from, *destination, delete_old_dirs_, allow_missing_));
  }

 private:
  bool delete_old_dirs_ = true, allow_missing_ = false;
};

class ShardedFilenameOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    static constexpr const char* kNames[] = {"basename", "shard", "num_shards"};
    for (int i = 0; i < 3; ++i) {
      OP_REQUIRES(context, IsScalar(context->input(i)),
                  errors::InvalidArgument(kNames[i], " must be a scalar, got shape ", context->input(i).shape().DebugString()));
    }
    char text[40];
    std::snprintf(text, sizeof(text), "-%05d-of-%05d", context->input(1).scalar<int32_t>(), context->input(2).scalar<int32_t>());
    context->set_output(0, Tensor::Scalar<tstring>(context->input(0).scalar<tstring>() + text));
  }
  bool IsExpensive() const override { return false; }
};

class ReadFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES(context, IsScalar(context->input(0)),
                errors::InvalidArgument("Input filename tensor must be scalar, but had shape: ",
                                        context->input(0).shape().DebugString()));
    const std::string& path = context->input(0).scalar<tstring>();
    OP_REQUIRES_OK(context, CheckAccess(context, path));
    auto bytes = ReadFile(path);
    OP_REQUIRES_OK(context, bytes.status());
    context->set_output(0, Tensor::Scalar<tstring>(std::move(bytes).value()));
  }
};

class WriteFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    for (const int i : {0, 1}) {
      OP_REQUIRES(context, IsScalar(context->input(i)),
                  errors::InvalidArgument(i == 0 ? "Input filename" : "Contents", " tensor must be scalar, but had shape: ",
                                          context->input(i).shape().DebugString()));
    }
    const std::string& path = context->input(0).scalar<tstring>();
    OP_REQUIRES_OK(context, CheckAccess(context, path));
    OP_REQUIRES_OK(context, WriteFileAtomic(path, context->input(1).scalar<tstring>()));
  }
};

class MatchingFilesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    const Tensor& patterns = context->input(0);
    OP_REQUIRES(context, patterns.dims() <= 1,
                errors::InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                                        patterns.shape().DebugString()));
    std::vector<tstring> found;
    for (const tstring& pattern : patterns.flat<tstring>()) {
      // What is allowed is decided by the part before the first sign of a pattern.
      OP_REQUIRES_OK(context, CheckAccess(context, pattern.substr(0, pattern.find_first_of("?*["))));
      for (std::string& path : MatchingPaths(pattern)) found.push_back(std::move(path));
    }
    context->set_output(0, Tensor::Vector<tstring>(found));
  }
};

const CpuKernel<RestoreV2Op> restore_v2({"RestoreV2"}, {});
const CpuKernel<RestoreOp> restore({"Restore", "RestoreSlice"}, {});
const CpuKernel<SaveV2Op> save_v2({"SaveV2"}, {});
const CpuKernel<SaveOp<false>> save({"Save"}, {});
const CpuKernel<SaveOp<true>> save_slices({"SaveSlices"}, {});
const CpuKernel<MergeV2CheckpointsOp> merge({"MergeV2Checkpoints"}, {});
const CpuKernel<ShardedFilenameOp> sharded_filename({"ShardedFilename"}, {});
const CpuKernel<ReadFileOp> read_file({"ReadFile"}, {});
const CpuKernel<WriteFileOp> write_file({"WriteFile"}, {});
const CpuKernel<MatchingFilesOp> matching_files({"MatchingFiles"}, {});

}  // namespace
}  // namespace opscope::kernels
