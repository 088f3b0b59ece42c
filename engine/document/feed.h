#pragma once
// What is fed into a graph's tensors: text, or the name of a file.

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/proto/node_def.pb.h"

namespace opscope {

/// The declared shape of a Placeholder; unknown for other nodes.
PartialTensorShape DeclaredShape(const tensorflow::NodeDef& node);
/// The type of output `output` where the node's own attribute says it ("dtype", else "T"); DT_INVALID when unknown.
DataType DeclaredType(const tensorflow::NodeDef& node);

/// TensorFlow's Python client's check: INVALID_ARGUMENT "Cannot feed value of shape (3, 2) for Tensor x:0, which has shape
/// (2, 3)".
Status CheckFedShape(const TensorShape& shape, const PartialTensorShape& declared, std::string_view tensor);

/// The value of a feed: JSON text, "@file.npy", or "@file.csv" (rows of numbers). The shape is checked. `tensor` is its name
/// ("x:0"), `node` the node that makes it. UNIMPLEMENTED for files of another kind.
StatusOr<Tensor> ParseFeed(std::string_view text, std::string_view tensor, const tensorflow::NodeDef& node);
/// The file of "@file" or "\"@file\""; "" when the text is a value.
std::string FeedFile(std::string_view text);
/// A tensor in another type, element by element, where each fits: 1 → 1.0.
StatusOr<Tensor> ConvertFeed(const Tensor& tensor, DataType dtype);

}  // namespace opscope
