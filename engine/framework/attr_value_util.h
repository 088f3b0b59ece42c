#pragma once
// Typed access to the attributes of a node.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"
#include "engine/proto/attr_value.pb.h"
#include "engine/proto/node_def.pb.h"

namespace opscope {

/// nullptr when the node has no such attribute.
const AttrValue* FindAttr(const NodeDef& node, std::string_view name);

/// Each: NOT_FOUND "No attr named 'x' in NodeDef:" when missing, INVALID_ARGUMENT "AttrValue had value with type 'int'
/// when 'float' expected" when of another type.
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::string* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, int64_t* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, int32_t* value);  ///< INVALID_ARGUMENT when it doesn't fit.
Status GetNodeAttr(const NodeDef& node, std::string_view name, float* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, bool* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, DataType* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, TensorShape* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, PartialTensorShape* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, Tensor* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, const TensorProto** value);  ///< Borrowed from `node`.
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<std::string>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<int64_t>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<int32_t>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<float>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<bool>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<DataType>* value);
Status GetNodeAttr(const NodeDef& node, std::string_view name, std::vector<PartialTensorShape>* value);

void SetAttrValue(std::string_view value, AttrValue* out);
void SetAttrValue(const char* value, AttrValue* out);
void SetAttrValue(int64_t value, AttrValue* out);
void SetAttrValue(int value, AttrValue* out);
void SetAttrValue(float value, AttrValue* out);
void SetAttrValue(bool value, AttrValue* out);
void SetAttrValue(DataType value, AttrValue* out);
void SetAttrValue(const PartialTensorShape& value, AttrValue* out);
void SetAttrValue(const Tensor& value, AttrValue* out);

template <typename T>
void AddNodeAttr(std::string_view name, const T& value, NodeDef* node) {
  SetAttrValue(value, &(*node->mutable_attr())[std::string(name)]);
}

/// "DT_FLOAT", "[2,?]", "\"VALID\"", "Tensor<type: float …>": one short line, as TensorFlow summarises attributes.
std::string SummarizeAttrValue(const AttrValue& value);

}  // namespace opscope
