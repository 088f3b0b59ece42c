#pragma once
// Which allocator the memory of a CPU device comes from.

#include <memory>

#include "engine/base/status.h"
#include "engine/framework/allocator.h"
#include "engine/runtime/session.h"

namespace opscope {

/// An allocator for one CPU device: "cpu" counts what it takes from cpu_allocator(), "bfc" is a BFCAllocator over it, named as
/// TensorFlow's for CPUs; the environment variable TF_CPU_ALLOCATOR_USE_BFC=true makes it "bfc" too. At most
/// options.memory_limit_bytes. INVALID_ARGUMENT for another name.
StatusOr<std::unique_ptr<Allocator>> NewCpuDeviceAllocator(const SessionOptions& options);

}  // namespace opscope
