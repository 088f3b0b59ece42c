#pragma once
// TensorArray: the array of tensors that loops write and read, kept among the resources of a step.

#include <mutex>
#include <string>
#include <vector>

#include "engine/framework/resource_mgr.h"

namespace opscope {
class OpKernelContext;
}

namespace opscope::kernels {

/// One array. Rules and wording of errors as in TensorFlow: an element is written once (gradients add up instead), and may be
/// cleared by its first read. Threads: all functions from any thread.
class TensorArray final : public ResourceBase {
 public:
  struct Options {
    DataType dtype = DT_INVALID;
    PartialTensorShape element_shape;
    bool dynamic_size = false, clear_after_read = true, identical_element_shapes = false;
    bool is_grad = false;  ///< Writes add up; what wasn't written reads as zeros.
  };
  TensorArray(std::string name, int64_t size, Options options)
      : name_(std::move(name)), options_(std::move(options)), elements_(static_cast<size_t>(size)) {}
  std::string DebugString() const override { return "TensorArray " + name_; }

  const std::string& name() const { return name_; }
  DataType dtype() const { return options_.dtype; }
  PartialTensorShape element_shape() const;
  /// Narrows the shape of elements; INVALID_ARGUMENT when it doesn't fit what is known.
  Status MergeElementShape(const PartialTensorShape& shape);
  StatusOr<int64_t> Size() const;
  /// Size that a write to `needed - 1` will find; INVALID_ARGUMENT when the array can't grow so far.
  bool dynamic_size() const { return options_.dynamic_size; }
  /// The next two give the failure of the first element in question.
  Status Write(OpKernelContext* context, int64_t first, std::vector<Tensor> values);
  Status Read(OpKernelContext* context, const std::vector<int64_t>& indices, std::vector<Tensor>* values);
  /// An array for the gradients of this one: the same size, zero where nothing was written.
  StatusOr<std::shared_ptr<TensorArray>> MakeGrad(const std::string& grad_name, const std::vector<int64_t>& leading_dims);
  void Close();

 private:
  struct Element {
    Tensor value;
    TensorShape shape;      ///< Of the value, kept when that was cleared.
    bool written = false, read = false, cleared = false, shape_known = false;
  };
  Status CheckOpen() const;
  Status WriteLocked(OpKernelContext* context, int64_t index, Tensor value);
  Status ReadLocked(OpKernelContext* context, int64_t index, Tensor* value);

  const std::string name_;
  mutable std::mutex mutex_;
  Options options_;
  std::vector<Element> elements_;
  bool closed_ = false;
};

/// a += b, element by element, into a new tensor. UNIMPLEMENTED for types that can't be added.
StatusOr<Tensor> AddTensors(OpKernelContext* context, const Tensor& a, const Tensor& b);
/// A tensor of zeros (strings: empty).
StatusOr<Tensor> ZerosTensor(OpKernelContext* context, DataType dtype, const TensorShape& shape);

}  // namespace opscope::kernels
