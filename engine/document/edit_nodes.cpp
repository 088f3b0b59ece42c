// EditBuilder: adding, deleting and changing nodes.
#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/document/draft.h"
#include "engine/document/edit_builder.h"
#include "engine/document/feed.h"
#include "engine/document/unique_names.h"
#include "engine/document/value_text.h"
#include "engine/document/wiring.h"
#include "engine/framework/attr_value_util.h"

namespace opscope {

using tensorflow::AttrValue;
using tensorflow::NodeDef;
using tensorflow::OpDef;

namespace {

Status AtNode(Status status, std::string_view node) {
  if (!status.ok() && status.nodes().empty()) status.AddNode(std::string(node));
  return status;
}

const OpDef::AttrDef* AttrDefOf(const OpDef& op, std::string_view name) {
  for (const OpDef::AttrDef& attr : op.attr())
    if (attr.name() == name) return &attr;
  return nullptr;
}

/// Numbers without a type are float32, since that is what graphs compute with; integers that float32 can't hold are int64.
StatusOr<Tensor> ParseConstant(std::string_view json, std::optional<DataType> dtype, const PartialTensorShape& shape) {
  if (dtype) return ParseTensorText(json, dtype, shape);
  StatusOr<Tensor> tensor = ParseTensorText(json, std::nullopt, shape);
  if (!tensor.ok()) {
    // A word without quotes.
    StatusOr<Tensor> word = ParseTensorText(json, DT_STRING, shape);
    const bool looks_like_json = !json.empty() && std::string_view("[{\"-0123456789").find(json[0]) != std::string_view::npos;
    return word.ok() && !looks_like_json ? word : tensor;
  }
  if (json.find("dtype") != std::string_view::npos) return tensor;
  if (tensor->dtype() == DT_INT32 || tensor->dtype() == DT_INT64) {
    bool exact = true;
    for (int64_t i = 0; i < tensor->NumElements() && exact; ++i) {
      const int64_t value = tensor->dtype() == DT_INT32 ? tensor->flat<int32_t>()[static_cast<size_t>(i)]
                                                        : tensor->flat<int64_t>()[static_cast<size_t>(i)];
      exact = std::abs(value) <= (int64_t{1} << 24);
    }
    if (exact) return ParseTensorText(json, DT_FLOAT, shape);
    return ParseTensorText(json, DT_INT64, shape);
  }
  return tensor;
}

/// "value" (and "dtype") of a request as a tensor; zero when there is none.
StatusOr<Tensor> RequestedValue(const AddOpRequest& request) {
  std::optional<DataType> dtype;
  if (const auto found = request.attr.find("dtype"); found != request.attr.end()) {
    OS_ASSIGN_OR_RETURN(const AttrValue type, ParseAttrText(found->second, "type"));
    dtype = static_cast<DataType>(type.type());
  }
  PartialTensorShape shape;
  if (const auto found = request.attr.find("shape"); found != request.attr.end()) {
    OS_ASSIGN_OR_RETURN(const AttrValue value, ParseAttrText(found->second, "shape"));
    OS_ASSIGN_OR_RETURN(shape, PartialTensorShape::FromProto(value.shape()));
  }
  const auto found = request.attr.find("value");
  if (found == request.attr.end()) {
    const DataType type = dtype.value_or(DT_FLOAT);
    const char* zero = type == DT_STRING ? "\"\"" : type == DT_BOOL ? "false" : "0";
    return ParseTensorText(zero, type, shape);
  }
  return ParseConstant(found->second, dtype, shape);
}

void SetType(std::string_view attr, DataType dtype, NodeDef* node) {
  (*node->mutable_attr())[std::string(attr)].set_type(static_cast<tensorflow::DataType>(dtype));
}

void SetTensor(const Tensor& tensor, NodeDef* node) {
  SetType("dtype", tensor.dtype(), node);
  AttrValue& value = (*node->mutable_attr())["value"];
  value.Clear();
  TensorToProto(tensor, value.mutable_tensor());
}

std::string NewName(const Document& document, const AddOpRequest& request, std::string_view base) {
  UniqueNames names(document.graph());
  std::string name = request.name.empty() ? NameFromText(base) : request.name;
  if (!request.scope.empty()) name = request.scope + "/" + name;
  // A name that a person gave may be that of a scope (TensorFlow allows it); one that is made up may not.
  if (!request.name.empty() && !document.graph().Find(name).valid() && !names.IsTaken(name)) return name;
  return names.Take(name);
}

Status CheckName(std::string_view name) {
  if (IsValidNodeName(name)) return Status::OK();
  return errors::InvalidArgument("'", Printable(name, 200), "' is not a valid node name");
}

}  // namespace

Status EditBuilder::FindNode(NodeId node) const {
  if (document_.graph().has(node)) return Status::OK();
  return errors::NotFound("there is no such node");
}

StatusOr<Edit> EditBuilder::AddOp(const AddOpRequest& request) const {
  if (request.op == "Variable" && registry_.Find("VariableV2") != nullptr) return AddVariable(request);
  const std::string op_name = request.op == "Constant" ? "Const" : request.op;
  const OpRegistrationData* data = nullptr;
  Draft draft(document_, registry_);
  NodeDef node;
  node.set_op(op_name);
  const OpDef* op = draft.OpOf(node);
  if (op == nullptr) {
    OS_RETURN_IF_ERROR(registry_.LookUp(op_name, &data));
    op = &data->op_def;
  }
  node.set_name(NewName(document_, request, op_name));
  OS_RETURN_IF_ERROR(CheckName(node.name()));
  node.set_device(request.device);
  for (const auto& [name, text] : request.attr) {
    const OpDef::AttrDef* attr = AttrDefOf(*op, name);
    if (op_name == "Const" && (name == "value" || name == "dtype" || name == "shape")) continue;
    if (attr == nullptr) return AtNode(errors::InvalidArgument("op ", op_name, " has no attribute '", name, "'"), node.name());
    StatusOr<AttrValue> value = ParseAttrText(text, attr->type());
    if (!value.ok()) return AtNode(value.status().Prepend(StrCat("attribute '", name, "': ")), node.name());
    OS_RETURN_IF_ERROR(CheckAllowed(*op, name, *value, node.name()));
    (*node.mutable_attr())[name] = *std::move(value);
  }
  if (op_name == "Const") {
    StatusOr<Tensor> value = RequestedValue(request);
    if (!value.ok()) return AtNode(value.status(), node.name());
    SetTensor(*value, &node);
  }
  AddEditorDefaults(*op, &node);
  if (op_name == "Placeholder" && !request.attr.contains("shape"))
    (*node.mutable_attr())["shape"].mutable_shape()->set_unknown_rank(true);
  if (request.at) draft.Change(PlaceChange{node.name(), false, request.at, false});
  draft.Add(std::move(node));
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::AddVariable(const AddOpRequest& request) const {
  const std::string name = NewName(document_, request, "Variable");
  OS_RETURN_IF_ERROR(CheckName(name));
  for (const auto& [attr, text] : request.attr)
    if (attr != "value" && attr != "dtype" && attr != "shape")
      return AtNode(errors::InvalidArgument("a Variable has no attribute '", attr, "'"), name);
  StatusOr<Tensor> value = RequestedValue(request);
  if (!value.ok()) return AtNode(value.status(), name);

  const auto part = [&](const std::string& suffix, const char* op, std::initializer_list<std::string> inputs) {
    NodeDef node;
    node.set_name(name + suffix);
    node.set_op(op);
    node.set_device(request.device);
    for (const std::string& input : inputs) node.add_input(input);
    return node;
  };
  const auto colocate = [&](NodeDef* node) {
    SetType("T", value->dtype(), node);
    (*node->mutable_attr())["_class"].mutable_list()->add_s("loc:@" + name);
  };
  NodeDef initial = part("/initial_value", "Const", {});
  SetTensor(*value, &initial);
  NodeDef variable = part("", "VariableV2", {});
  SetType("dtype", value->dtype(), &variable);
  value->shape().ToProto((*variable.mutable_attr())["shape"].mutable_shape());
  (*variable.mutable_attr())["container"].set_s("");
  (*variable.mutable_attr())["shared_name"].set_s("");
  NodeDef assign = part("/Assign", "Assign", {name, name + "/initial_value"});
  colocate(&assign);
  (*assign.mutable_attr())["use_locking"].set_b(true);
  (*assign.mutable_attr())["validate_shape"].set_b(true);
  NodeDef read = part("/read", "Identity", {name});
  colocate(&read);

  Draft draft(document_, registry_);
  for (NodeDef* node : {&initial, &variable, &assign, &read}) draft.Add(std::move(*node));
  draft.Change(CompositeChange{name, "Variable"});
  draft.Change(CollapseChange{name, true});
  if (request.at) draft.Change(PlaceChange{name, true, request.at, false});
  return draft.Finish();
}

namespace {

/// Takes the names of removed nodes out of the inputs of those that stay.
void DropReferences(const std::set<NodeId>& removed, Draft* draft) {
  const Graph& graph = draft->graph();
  std::set<NodeId> readers;
  for (const NodeId id : removed)
    for (const OutEdge& edge : graph.node(id).out_edges)
      if (!removed.contains(edge.dst)) readers.insert(edge.dst);
  for (const NodeId id : readers) {
    NodeDef* node = draft->Mutable(id);
    std::vector<std::string> kept;
    for (const std::string& input : node->input()) {
      const TensorId from = ParseTensorName(input);
      const bool gone = removed.contains(graph.Find(from.node));
      if (!gone) kept.push_back(input);
      if (gone && !from.is_control()) kept.emplace_back();  // the slots after it keep their numbers
    }
    const auto first_control = std::find_if(kept.begin(), kept.end(), [](const std::string& s) { return s.starts_with('^'); });
    auto last = first_control;
    while (last != kept.begin() && std::prev(last)->empty()) --last;
    kept.erase(last, first_control);
    node->clear_input();
    for (std::string& input : kept) node->add_input(std::move(input));
  }
}

void ForgetNode(const std::string& name, RunConfig* config) {
  const auto of_node = [&](const std::string& tensor) { return ParseTensorName(tensor).node == name; };
  std::erase_if(config->fetches, of_node);
  std::erase_if(config->targets, of_node);
  std::erase_if(config->watches, of_node);
  std::erase_if(config->feeds, [&](const auto& feed) { return of_node(feed.first); });
  std::erase_if(config->breakpoints, [&](const Breakpoint& b) { return b.node == name; });
  config->muted.erase(name);
}

/// Everything but the wires of readers: removal, places, run configuration.
void RemoveNodes(const std::set<NodeId>& nodes, Draft* draft) {
  const Graph& graph = draft->graph();
  const RunConfig empty;
  const bool configured = !(draft->document().run_config() == empty);
  for (const NodeId id : nodes) {
    const std::string& name = graph.node(id).name();
    draft->Remove(id);
    if (draft->document().diagram().Find(name, false) != nullptr) draft->Change(PlaceChange{name, false, std::nullopt, false});
    if (!draft->document().diagram().Composite(name).empty()) draft->Change(CompositeChange{name, ""});
    if (configured) ForgetNode(name, draft->MutableRunConfig());
  }
}

}  // namespace

StatusOr<Edit> EditBuilder::Delete(const std::vector<NodeId>& nodes, const std::vector<InputRef>& wires) const {
  Draft draft(document_, registry_);
  const std::set<NodeId> removed(nodes.begin(), nodes.end());
  for (const NodeId id : removed) OS_RETURN_IF_ERROR(FindNode(id));
  for (const InputRef& wire : wires) {
    OS_RETURN_IF_ERROR(FindNode(wire.node));
    if (!removed.contains(wire.node) && wire.input >= 0) SetDataInput(wire.input, "", draft.Mutable(wire.node));
  }
  DropReferences(removed, &draft);
  RemoveNodes(removed, &draft);
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::DeleteAndReconnect(const std::vector<NodeId>& nodes) const {
  Draft draft(document_, registry_);
  const Graph& graph = document_.graph();
  const std::set<NodeId> removed(nodes.begin(), nodes.end());
  for (const NodeId id : removed) OS_RETURN_IF_ERROR(FindNode(id));
  // What a removed node's value becomes: its first input, through other removed nodes.
  const auto replacement = [&](NodeId id) {
    std::string input;
    for (std::set<NodeId> seen; removed.contains(id) && seen.insert(id).second;) {
      const NodeDef& node = graph.node(id).def;
      input = NumDataInputs(node) > 0 ? node.input(0) : std::string();
      id = graph.Find(ParseTensorName(input).node);
    }
    return removed.contains(id) ? std::string() : input;
  };
  for (const NodeId id : removed) {
    const std::string input = replacement(id);
    if (input.empty()) continue;
    const TensorId from = ParseTensorName(input);
    const NodeDef& source = graph.node(graph.Find(from.node)).def;
    const OpDef* source_op = draft.OpOf(source);
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (removed.contains(edge.dst) || edge.src_output != 0) continue;
      const OpDef* reader = draft.OpOf(draft.def(edge.dst));
      if (reader != nullptr && source_op != nullptr) {
        const auto expected = InputType(draft.def(edge.dst), *reader, edge.dst_input);
        const auto actual = OutputType(source, *source_op, from.index);
        if (expected && actual && (IsRefType(*expected) ? *expected != *actual : *expected != RemoveRef(*actual))) continue;
      }
      SetDataInput(edge.dst_input, input, draft.Mutable(edge.dst));
    }
  }
  DropReferences(removed, &draft);
  RemoveNodes(removed, &draft);
  return draft.Finish();
}

// Attributes and values --------------------------------------------------------------------------------------------------

namespace {

/// What an attribute's text is read as: by the op, else by the value that is there.
std::string AttrTypeFor(const OpDef* op, const NodeDef& node, std::string_view attr) {
  if (op != nullptr)
    if (const OpDef::AttrDef* def = AttrDefOf(*op, attr)) return def->type();
  const AttrValue* value = FindAttr(node, attr);
  if (value == nullptr) return {};
  switch (value->value_case()) {
    case AttrValue::kS: return "string";
    case AttrValue::kI: return "int";
    case AttrValue::kF: return "float";
    case AttrValue::kB: return "bool";
    case AttrValue::kType: return "type";
    case AttrValue::kShape: return "shape";
    case AttrValue::kTensor: return "tensor";
    case AttrValue::kFunc: return "func";
    case AttrValue::kList:
      if (value->list().s_size() > 0) return "list(string)";
      if (value->list().i_size() > 0) return "list(int)";
      if (value->list().f_size() > 0) return "list(float)";
      if (value->list().b_size() > 0) return "list(bool)";
      if (value->list().type_size() > 0) return "list(type)";
      if (value->list().shape_size() > 0) return "list(shape)";
      return "list(string)";
    default: return {};
  }
}

/// A Const's value in another type.
Status ConvertConstant(DataType dtype, NodeDef* node) {
  const AttrValue* value = FindAttr(*node, "value");
  if (value == nullptr) return Status::OK();
  OS_ASSIGN_OR_RETURN(const Tensor old, Tensor::FromProto(value->tensor()));
  if (old.dtype() == dtype) return Status::OK();
  OS_ASSIGN_OR_RETURN(Tensor converted, ParseTensorText(TensorToText(old, INT64_MAX), dtype, PartialTensorShape(old.shape())));
  SetTensor(converted, node);
  return Status::OK();
}

}  // namespace

StatusOr<Edit> EditBuilder::SetAttr(NodeId id, std::string_view attr, std::string_view json) const {
  OS_RETURN_IF_ERROR(FindNode(id));
  Draft draft(document_, registry_);
  const NodeDef& before = draft.def(id);
  if (before.op() == "Const" && attr == "value") return SetValue(id, json);
  const OpDef* op = draft.OpOf(before);
  const std::string type = AttrTypeFor(op, before, attr);
  if (type.empty())
    return AtNode(errors::InvalidArgument("op ", before.op(), " has no attribute '", attr, "'"), before.name());
  NodeDef* node = draft.Mutable(id);
  if (type != "shape" && (json == "null" || json.empty()) && type != "string") {
    node->mutable_attr()->erase(std::string(attr));
    return draft.Finish();
  }
  StatusOr<AttrValue> value = ParseAttrText(json, type);
  if (!value.ok()) return AtNode(value.status().Prepend(StrCat("attribute '", attr, "': ")), node->name());
  if (op != nullptr) OS_RETURN_IF_ERROR(CheckAllowed(*op, attr, *value, node->name()));
  if (node->op() == "Const" && attr == "dtype") {
    const Status converted = ConvertConstant(static_cast<DataType>(value->type()), node);
    if (!converted.ok()) return AtNode(converted, node->name());
  }
  (*node->mutable_attr())[std::string(attr)] = *std::move(value);
  const Status fits = draft.CheckWires(id);
  if (!fits.ok()) return AtNode(fits, before.name());
  OS_RETURN_IF_ERROR(draft.SpreadTypes(id));
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::SetDevice(const std::vector<NodeId>& nodes, std::string_view device) const {
  Draft draft(document_, registry_);
  for (const NodeId id : nodes) {
    OS_RETURN_IF_ERROR(FindNode(id));
    if (draft.def(id).device() != device) draft.Mutable(id)->set_device(std::string(device));
  }
  return draft.Finish();
}

namespace {

bool IsPlaceholder(const NodeDef& node) {
  return node.op() == "Placeholder" || node.op() == "PlaceholderV2" || node.op() == "PlaceholderWithDefault";
}

bool IsVariable(const NodeDef& node) {
  return node.op() == "VariableV2" || node.op() == "Variable" || node.op() == "VarHandleOp";
}

/// The Const that a variable's Assign reads; not valid() when there is none.
NodeId InitialValueOf(const Graph& graph, NodeId variable) {
  for (const OutEdge& edge : graph.node(variable).out_edges) {
    const Node& reader = graph.node(edge.dst);
    if ((reader.op() != "Assign" && reader.op() != "AssignVariableOp") || edge.dst_input != 0) continue;
    for (const InEdge& in : reader.in_edges)
      if (in.dst_input == 1 && graph.node(in.src).op() == "Const") return in.src;
  }
  return NodeId();
}

std::optional<DataType> TypeAttr(const NodeDef& node, std::string_view name) {
  const AttrValue* value = FindAttr(node, name);
  if (value == nullptr || value->value_case() != AttrValue::kType || value->type() == tensorflow::DT_INVALID) return std::nullopt;
  return static_cast<DataType>(value->type());
}

Status SetFeed(const NodeDef& node, std::string_view json, Draft* draft) {
  const std::string tensor = node.name() + ":0";
  if (json.empty() || json == "null") {
    draft->MutableRunConfig()->feeds.erase(tensor);
    return Status::OK();
  }
  if (FeedFile(json).empty()) OS_RETURN_IF_ERROR(ParseFeed(json, tensor, node).status());
  draft->MutableRunConfig()->feeds[tensor] = std::string(json);
  return Status::OK();
}

Status SetConstant(NodeId id, std::string_view json, Draft* draft) {
  const NodeDef& before = draft->def(id);
  std::optional<DataType> dtype = TypeAttr(before, "dtype");
  // With a type of its own the text may change the constant's.
  if (json.find("dtype") != std::string_view::npos) dtype.reset();
  OS_ASSIGN_OR_RETURN(const Tensor tensor, ParseConstant(json, dtype, PartialTensorShape()));
  SetTensor(tensor, draft->Mutable(id));
  return draft->CheckWires(id);
}

}  // namespace

StatusOr<Edit> EditBuilder::SetValue(NodeId id, std::string_view json) const {
  OS_RETURN_IF_ERROR(FindNode(id));
  Draft draft(document_, registry_);
  const NodeDef& node = draft.def(id);
  const std::string name = node.name();
  Status status;
  if (IsPlaceholder(node)) {
    status = SetFeed(node, json, &draft);
  } else if (node.op() == "Const") {
    status = SetConstant(id, json, &draft);
  } else if (IsVariable(node)) {
    const NodeId initial = InitialValueOf(document_.graph(), id);
    if (!initial.valid()) return AtNode(errors::FailedPrecondition("variable ", name, " has no constant initial value"), name);
    status = SetConstant(initial, json, &draft);
    if (status.ok()) {
      const tensorflow::TensorProto& value = FindAttr(draft.def(initial), "value")->tensor();
      *(*draft.Mutable(id)->mutable_attr())["shape"].mutable_shape() = value.tensor_shape();
    }
  } else {
    status = errors::InvalidArgument("node ", name, " of op ", node.op(), " has no value that could be set");
  }
  if (!status.ok()) return AtNode(status, name);
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::SwapOp(NodeId id, std::string_view op_name) const {
  OS_RETURN_IF_ERROR(FindNode(id));
  const OpRegistrationData* data = nullptr;
  OS_RETURN_IF_ERROR(registry_.LookUp(op_name, &data));
  Draft draft(document_, registry_);
  NodeDef* node = draft.Mutable(id);
  if (node->op() == op_name) return Edit();
  const NodeDef before = *node;
  const OpDef* old_op = draft.OpOf(before);
  node->set_op(std::string(op_name));
  node->clear_attr();
  for (const auto& [name, value] : before.attr()) {
    const OpDef::AttrDef* now = AttrDefOf(data->op_def, name);
    const OpDef::AttrDef* then = old_op != nullptr ? AttrDefOf(*old_op, name) : nullptr;
    const bool same = now != nullptr && (then == nullptr || then->type() == now->type());
    if (!same && !name.starts_with('_')) continue;
    if (same && !CheckAllowed(data->op_def, name, value, node->name()).ok()) continue;
    (*node->mutable_attr())[name] = value;
  }
  AddEditorDefaults(data->op_def, node);
  for (int i = NumDataInputs(*node) - 1; i >= 0; --i)
    if (InputArgAt(*node, data->op_def, i).arg == nullptr) SetDataInput(i, "", node);
  OS_RETURN_IF_ERROR(draft.SpreadTypes(id));
  // The wires that are there say what the types are.
  for (int i = 0; i < NumDataInputs(*node); ++i) {
    const TensorId from = ParseTensorName(node->input(i));
    const NodeId source = document_.graph().Find(from.node);
    if (!source.valid() || InputType(*node, data->op_def, i)) continue;
    const OpDef* source_op = draft.OpOf(draft.def(source));
    if (source_op == nullptr) continue;
    if (const auto type = OutputType(draft.def(source), *source_op, from.index))
      OS_RETURN_IF_ERROR(AssignInputType(data->op_def, i, RemoveRef(*type), node));
  }
  const Status fits = draft.CheckWires(id);
  if (!fits.ok()) return AtNode(fits, before.name());
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::Mute(const std::vector<NodeId>& nodes, bool muted) const {
  Draft draft(document_, registry_);
  for (const NodeId id : nodes) {
    OS_RETURN_IF_ERROR(FindNode(id));
    if (muted) {
      draft.MutableRunConfig()->muted.insert(draft.def(id).name());
    } else {
      draft.MutableRunConfig()->muted.erase(draft.def(id).name());
    }
  }
  return draft.Finish();
}

}  // namespace opscope
