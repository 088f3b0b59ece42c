#pragma once
// Tensors as JSON (interfaces.md, 3 "Values in JSON").

#include <optional>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/io/json.h"

namespace opscope {

/// Nested lists in the tensor's shape, a bare scalar for rank 0.
JsonValue TensorValueToJson(const Tensor& tensor);
/// {"dtype":"float32","shape":[2],"value":[1,2]}
JsonValue TensorToJson(const Tensor& tensor);

/// A tensor of `dtype` (guessed when absent: int32, else float32, bool, string) in the shape of the nested lists.
/// INVALID_ARGUMENT for ragged lists and values that the type can't hold exactly (float rounding is fine).
StatusOr<Tensor> TensorFromJson(const JsonValue& value, std::optional<DataType> dtype);

}  // namespace opscope
