#include "engine/graph/node_builder.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/graph/graph.h"

#include <google/protobuf/util/message_differencer.h>

namespace opscope {
namespace {

AttrValue TypeValue(DataType dtype) {
  AttrValue value;
  value.set_type(dtype);
  return value;
}

}  // namespace

NodeBuilder::NodeBuilder(std::string_view name, std::string_view op, const OpLookup& ops) {
  def_.set_name(std::string(name));
  const Status status = ops.LookUp(op, &op_);
  if (status.ok()) {
    def_.set_op(std::string(op));
  } else {
    errors_.push_back(status.message());
  }
}

const OpDef::ArgDef* NodeBuilder::NextArg() {
  if (op_ == nullptr) return nullptr;
  if (inputs_given_ < op_->input_arg_size()) return &op_->input_arg(inputs_given_++);
  errors_.push_back(StrCat("More Input() calls than the ", op_->input_arg_size(), " input_args"));
  return nullptr;
}

void NodeBuilder::AddInput(const Source& source) {
  def_.add_input(TensorIdToString(source.node, source.output));
}

void NodeBuilder::ControlInput(std::string_view node) {
  if (std::find(control_inputs_.begin(), control_inputs_.end(), node) == control_inputs_.end()) control_inputs_.emplace_back(node);
}

void NodeBuilder::CheckType(const OpDef::ArgDef& arg, DataType expected, DataType actual) {
  if (arg.is_ref()) expected = MakeRef(expected);
  if (TypesCompatible(expected, actual)) return;
  errors_.push_back(StrCat("Input '", arg.name(), "' passed ", DataTypeString(actual), " expected ",
                           DataTypeString(expected)));
}

void NodeBuilder::CheckRef(const OpDef::ArgDef& arg, DataType actual) {
  if (!arg.is_ref() || IsRefType(actual)) return;
  errors_.push_back(
      StrCat("Input '", arg.name(), "' passed ", DataTypeString(actual), " expected ref type"));
}

void NodeBuilder::Input(const Source& source) {
  const OpDef::ArgDef* const arg = NextArg();
  if (arg == nullptr) return;
  AddInput(source);
  if (!arg->number_attr().empty() || !arg->type_list_attr().empty()) {
    errors_.push_back(StrCat("Single tensor passed to '", arg->name(), "', expected list"));
  } else if (arg->type() != DT_INVALID) {
    CheckType(*arg, arg->type(), source.dtype);
  } else {
    CheckRef(*arg, source.dtype);
    Attr(arg->type_attr(), TypeValue(RemoveRef(source.dtype)));
  }
}

void NodeBuilder::NumberedList(const OpDef::ArgDef& arg, const std::vector<Source>& sources) {
  AttrValue number;
  number.set_i(static_cast<int64_t>(sources.size()));
  Attr(arg.number_attr(), number);
  if (sources.empty()) return;
  DataType expected = arg.type();
  if (expected == DT_INVALID) {
    expected = RemoveRef(sources[0].dtype);
    Attr(arg.type_attr(), TypeValue(expected));
  }
  for (const Source& source : sources) CheckType(arg, expected, source.dtype);
}

void NodeBuilder::InputList(const std::vector<Source>& sources) {
  const OpDef::ArgDef* const arg = NextArg();
  if (arg == nullptr) return;
  for (const Source& source : sources) AddInput(source);
  if (!arg->number_attr().empty()) {
    NumberedList(*arg, sources);
  } else if (!arg->type_list_attr().empty()) {
    AttrValue types;
    types.mutable_list();
    for (const Source& source : sources) {
      CheckRef(*arg, source.dtype);
      types.mutable_list()->add_type(RemoveRef(source.dtype));
    }
    Attr(arg->type_list_attr(), types);
  } else {
    errors_.push_back(
        StrCat("List provided to input '", arg->name(), "' when single Tensor expected"));
  }
}

void NodeBuilder::Attr(std::string_view name, AttrValue value) {
  const auto [at, is_new] = def_.mutable_attr()->insert({std::string(name), AttrValue()});
  if (is_new) {
    at->second = std::move(value);
  } else if (!google::protobuf::util::MessageDifferencer::Equals(at->second, value)) {
    errors_.push_back(StrCat("Inconsistent values for attr '", name, "' ",
                             SummarizeAttrValue(at->second), " vs. ", SummarizeAttrValue(value)));
  }
}

Status NodeBuilder::Failure() const {
  if (!source_errors_.empty()) return errors::InvalidArgument(Join(source_errors_, "\n"));
  std::vector<std::string> faults = errors_;
  if (op_ != nullptr && inputs_given_ < op_->input_arg_size()) {
    faults.push_back(
        StrCat(inputs_given_, " inputs specified of ", op_->input_arg_size(), " inputs in Op"));
  }
  if (faults.empty()) return Status::OK();
  const std::string where = StrCat(" while building NodeDef '", def_.name(), "'",
                                   op_ ? " using " + SummarizeOpDef(*op_) : std::string());
  if (faults.size() == 1) return errors::InvalidArgument(faults[0], where);
  return errors::InvalidArgument(faults.size(), " errors", where, ":\n", Join(faults, "\n"));
}

StatusOr<NodeDef> NodeBuilder::Finalize(int producer) const {
  OS_RETURN_IF_ERROR(Failure());
  NodeDef def = def_;
  for (const std::string& node : control_inputs_) def.add_input("^" + node);
  AddDefaultAttrs(*op_, &def);
  OS_RETURN_IF_ERROR(ValidateNodeDef(def, *op_));
  OS_RETURN_IF_ERROR(CheckOpDeprecation(*op_, producer));
  return def;
}

}  // namespace opscope
