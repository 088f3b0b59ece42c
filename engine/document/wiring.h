#pragma once
// Types of ports while a graph is being drawn: attributes may be missing, inputs may be empty.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/graph/graph.h"
#include "engine/proto/node_def.pb.h"
#include "engine/proto/op_def.pb.h"

namespace opscope {

/// Which argument an input or output number belongs to.
struct PortArg {
  const tensorflow::OpDef::ArgDef* arg = nullptr;  ///< nullptr: the op has no such port.
  int index = 0;       ///< Within the argument's list.
  bool grows = false;  ///< One past the end of the last list: wiring it makes the list longer.
};
PortArg InputArgAt(const tensorflow::NodeDef& node, const tensorflow::OpDef& op, int input);
PortArg OutputArgAt(const tensorflow::NodeDef& node, const tensorflow::OpDef& op, int output);
/// Number of inputs and outputs as far as the attributes tell.
int NumInputs(const tensorflow::NodeDef& node, const tensorflow::OpDef& op);
int NumOutputs(const tensorflow::NodeDef& node, const tensorflow::OpDef& op);

/// The type of a port, _REF included; nothing while its attribute is missing or there is no such port.
std::optional<DataType> InputType(const tensorflow::NodeDef& node, const tensorflow::OpDef& op, int input);
std::optional<DataType> OutputType(const tensorflow::NodeDef& node, const tensorflow::OpDef& op, int output);

/// The attribute that decides a port's type ("T"); empty for a fixed type or a list of types.
std::string TypeAttrOf(const PortArg& port);
/// Whether an attribute is a type that inputs decide (so that it may be left out until they are wired).
bool IsInputTypeAttr(const tensorflow::OpDef& op, std::string_view attr);

/// Sets what makes port `input` of type `dtype` (no _REF): type attribute, list of types, length of a list.
/// INVALID_ARGUMENT when the op doesn't allow the type.
Status AssignInputType(const tensorflow::OpDef& op, int input, DataType dtype, tensorflow::NodeDef* node);
Status AssignOutputType(const tensorflow::OpDef& op, int output, DataType dtype, tensorflow::NodeDef* node);
/// "Value for attr 'T' of string is not in the list of allowed values: …"
Status CheckAllowed(const tensorflow::OpDef& op, std::string_view attr, const tensorflow::AttrValue& value,
                    std::string_view node);

/// Data inputs of a NodeDef (control inputs come last and begin with '^').
int NumDataInputs(const tensorflow::NodeDef& node);
/// Sets data input `index`, with empty entries before it where needed; "" empties it (trailing ones go).
void SetDataInput(int index, const std::string& value, tensorflow::NodeDef* node);

/// Gives attributes their values in a new node: defaults, and something useful where there is no default; types that inputs
/// decide stay away.
void AddEditorDefaults(const tensorflow::OpDef& op, tensorflow::NodeDef* node);

}  // namespace opscope
