#pragma once
// The variables that a step of an optimiser changes, of either kind, locked and ready to be written.

#include <memory>
#include <mutex>
#include <vector>

#include "engine/framework/op_kernel.h"

namespace opscope::kernels {

/// Inputs [0, count) of a kernel that are variables: references or handles. Locked from Open on as long as it lives
/// (always in the same order, so that steps that share variables don't wait for each other). Values are snapshots to
/// those who read them: a buffer that somebody else holds is copied before it is written.
class ApplySlots {
 public:
  explicit ApplySlots(OpKernelContext* context) : context_(context) {}

  /// FAILED_PRECONDITION for a variable without a value, INVALID_ARGUMENT for one of another type.
  Status Open(int count, DataType dtype);
  /// Makes slot `i` writable.
  Status Prepare(int i);
  Tensor& operator[](int i) { return slots_[static_cast<size_t>(i)]->value(); }
  int size() const { return static_cast<int>(slots_.size()); }
  /// The outputs of ops on references: the first one.
  void Forward();

 private:
  OpKernelContext* context_;
  std::vector<std::shared_ptr<Var>> slots_;
  std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace opscope::kernels
