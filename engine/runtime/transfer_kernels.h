#pragma once
// What carries a value from one device of a process to another inside one plan.

#include <memory>
#include <string>

#include "engine/framework/op_kernel.h"
#include "engine/runtime/graph_partition.h"

namespace opscope {

/// Hands its input on: the sending end.
std::shared_ptr<OpKernel> MakeSendKernel(const Transfer& transfer);
/// Copies its input into the memory of the device that it arrives at, on account of `owner`, the node that made the value.
/// RESOURCE_EXHAUSTED when there is none.
std::shared_ptr<OpKernel> MakeRecvKernel(const Transfer& transfer, const std::string& owner);
/// The dummy that a control edge sends.
std::shared_ptr<OpKernel> MakeDummyKernel(const Transfer& transfer);
/// What waits for a control edge at the receiving end.
std::shared_ptr<OpKernel> MakeControlIdentityKernel(const Transfer& transfer);

}  // namespace opscope
