#pragma once
// What is said when memory isn't to be had.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/framework/allocator.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"

namespace opscope {

/// RESOURCE_EXHAUSTED with TensorFlow's first line, and then what DescribeAllocationFailure says.
/// `bytes` absent: more than 2^63 - 1. `node`: for whom; "" = nobody in particular.
Status AllocationFailure(DataType dtype, const TensorShape& shape, const Allocator& allocator, std::optional<uint64_t> bytes,
                         std::string_view node);

/// Why `allocator` had no `bytes`, each line after a newline: node, device, bytes asked, free, largest free chunk, in use,
/// limit; whether the memory is used up or fragmented; and, where the allocator knows its chunks, which nodes hold how much:
/// the large ones one a line, the rest in sum, together all bytes in use.
std::string DescribeAllocationFailure(const Allocator& allocator, std::optional<uint64_t> bytes, std::string_view node);

}  // namespace opscope
