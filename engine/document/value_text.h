#pragma once
// Values as people write them: JSON (interfaces.md, 3 "Values in JSON") to and from tensors and attributes.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/proto/attr_value.pb.h"
#include "engine/proto/op_def.pb.h"

namespace opscope {

/// "3", "[[1,2],[3,4]]", "[\"a\"]", "true", "\"nan\"", {"b64":…}, or {"dtype":…,"shape":…,"value":…}. Without `dtype` the
/// type follows the text (int32, else float32, bool, string). A single value fills `shape` when one is given.
/// INVALID_ARGUMENT says what is wrong and where.
StatusOr<Tensor> ParseTensorText(std::string_view json, std::optional<DataType> dtype,
                                 const PartialTensorShape& shape = PartialTensorShape());
/// Nested lists, a bare scalar for rank 0; at most `max_elements` elements, then "…" (which isn't JSON any more).
std::string TensorToText(const Tensor& tensor, int64_t max_elements = int64_t{1} << 20);

/// One element as a field, more as bytes (as TensorFlow's Python front end does).
void TensorToProto(const Tensor& tensor, tensorflow::TensorProto* proto);

/// An attribute of the type that its op declares ("type", "int", "list(shape)", "func" …).
StatusOr<tensorflow::AttrValue> ParseAttrText(std::string_view json, std::string_view attr_type);
std::string AttrToText(const tensorflow::AttrValue& value);

}  // namespace opscope
