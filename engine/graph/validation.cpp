#include "engine/graph/validation.h"

#include <algorithm>
#include <limits>

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/device_base.h"
#include "engine/framework/type_list.h"
#include "engine/graph/cycles.h"
#include "engine/graph/frames.h"
#include "engine/graph/function_calls.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

class Validator {
 public:
  Validator(const Graph& graph, const OpRegistry& registry)
      : graph_(graph), registry_(registry), ops_(registry, graph.library()) {}

  std::vector<Diagnostic> Run() {
    Note(CheckVersions(graph_.versions()));
    Note(CheckFunctionNames(graph_.library(), registry_));
    for (const Status& status : CheckFunctionCalls(graph_.library())) Note(status);
    ComputeOutputs();
    cycles_ = FindCycles(graph_);
    graph_.ForEachNode([&](NodeId id, const Node& node) { CheckNode(id, node); });
    for (const auto& cycle : cycles_) {
      const Status status = CycleError(graph_, cycle);
      for (const NodeId id : cycle) Note(id, status);
    }
    for (const FrameMismatch& mismatch : FindFrameMismatches(graph_)) Note(mismatch.node, mismatch.status);
    // By node; what was noted of one node stays in order.
    std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return (a.id.valid() ? a.id.value + int64_t{1} : 0) < (b.id.valid() ? b.id.value + int64_t{1} : 0);
    });
    return std::move(found_);
  }

 private:
  void Note(const Status& status) {
    if (!status.ok()) found_.push_back({"", status.code(), status.message(), NodeId(), Diagnostic::kNoInput});
  }
  void Note(NodeId id, const Status& status, int input = Diagnostic::kNoInput) {
    if (!status.ok()) found_.push_back({graph_.node(id).name(), status.code(), status.message(), id, input});
  }

  void ComputeOutputs();
  void CheckNode(NodeId id, const Node& node);
  void CheckName(NodeId id, const Node& node);
  void CheckInputNames(NodeId id, const Node& node);
  void CheckOp(NodeId id, const Node& node);
  void CheckTypes(NodeId id, const Node& node, const TypeList& inputs);
  void CheckDevice(NodeId id, const Node& node);

  const Graph& graph_;
  const OpRegistry& registry_;
  OpLookup ops_;
  /// Types of each node's outputs; has_types_ is false where they can't be known.
  std::vector<TypeList> outputs_;
  std::vector<bool> has_types_;
  std::vector<std::vector<NodeId>> cycles_;
  std::vector<Diagnostic> found_;
};

void Validator::ComputeOutputs() {
  outputs_.resize(graph_.num_ids());
  has_types_.assign(graph_.num_ids(), false);
  TypeList inputs;
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    const OpDef* op = ops_.Find(node.op());
    if (op != nullptr) has_types_[id.index()] = InOutTypeLists(node.def, *op, &inputs, &outputs_[id.index()]).ok();
  });
}

void Validator::CheckNode(NodeId id, const Node& node) {
  CheckName(id, node);
  CheckInputNames(id, node);
  CheckOp(id, node);
  CheckDevice(id, node);
}

void Validator::CheckName(NodeId id, const Node& node) {
  if (!IsValidNodeName(node.name())) {
    Note(id, errors::InvalidArgument("Node '", node.name(), "': Node name contains invalid characters"));
  }
  if (graph_.Find(node.name()) != id) Note(id, errors::InvalidArgument("Node '", node.name(), "' is not unique"));
}

void Validator::CheckInputNames(NodeId id, const Node& node) {
  bool seen_control = false;
  bool order_told = false;
  const bool all_found = node.in_edges.size() == static_cast<size_t>(node.def.input_size());
  for (int i = 0; i < node.def.input_size(); ++i) {
    const std::string& input = node.def.input(i);
    const bool control = input.starts_with('^');
    if (seen_control && !control && !order_told) {
      order_told = true;
      Note(id, errors::InvalidArgument("Node '", node.name(),
                                       "': Control dependencies must come after regular dependencies"), i);
    }
    seen_control |= control;
    if (!all_found && !graph_.Find(ParseTensorName(input).node).valid()) {
      Note(id, errors::InvalidArgument("Node '", node.name(), "': Unknown input node '", input, "'"), i);
    }
  }
}

void Validator::CheckOp(NodeId id, const Node& node) {
  if (node.op().empty()) {
    Note(id, errors::InvalidArgument("Node '", node.name(), "' does not specify an operation"));
    return;
  }
  const OpDef* op = nullptr;
  const Status known = ops_.LookUp(node.op(), &op);
  Note(id, known);
  if (!known.ok()) return;
  const Status valid = ValidateNodeDef(node.def, *op);
  Note(id, valid);
  Note(id, CheckOpDeprecation(*op, graph_.versions().producer()));
  TypeList inputs, outputs;
  if (InOutTypeLists(node.def, *op, &inputs, &outputs).ok()) CheckTypes(id, node, inputs);
  if (valid.ok() && node.op() == "Const") Note(id, CheckConstant(node.def));
}

void Validator::CheckTypes(NodeId id, const Node& node, const TypeList& inputs) {
  // Places in NodeDef.input differ from those among data inputs only where a control input stands before a data input.
  for (const InEdge& edge : node.in_edges) {
    if (edge.dst_input == TensorId::kControlSlot || !has_types_[edge.src.index()]) continue;
    const TypeList& outputs = outputs_[edge.src.index()];
    const std::string& src = graph_.node(edge.src).name();
    if (edge.src_output >= outputs.size()) {
      Note(id, errors::InvalidArgument("Node '", node.name(), "': Connecting to invalid output ", edge.src_output,
                                       " of source node ", src, " which has ", outputs.size(), " outputs."),
           edge.dst_input);
      continue;
    }
    if (edge.dst_input >= inputs.size()) continue;  // ValidateNodeDef told it.
    const DataType expected = inputs.at(edge.dst_input);
    const DataType actual = outputs.at(edge.src_output);
    if (!TypesCompatible(expected, actual)) {
      Note(id, TypeMismatch(node.name(), edge.dst_input, expected, src, edge.src_output, actual), edge.dst_input);
    }
  }
}

void Validator::CheckDevice(NodeId id, const Node& node) {
  const std::string& device = node.def.device();
  ParsedDeviceName parsed;
  if (device.empty() || ParsedDeviceName::Parse(device, &parsed)) return;
  Note(id, errors::InvalidArgument("Malformed device specification '", device, "' in node: ", FormatNodeForError(node.name())));
}

}  // namespace

std::vector<Diagnostic> Validate(const Graph& graph, const OpRegistry& registry) {
  return Validator(graph, registry).Run();
}

std::vector<Diagnostic> Warnings(const Graph& graph, const OpRegistry& registry) {
  std::vector<Diagnostic> found;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    const OpRegistrationData* op = registry.Find(node.op());
    if (op == nullptr) return;
    for (const std::string& attr : UnknownAttrs(node.def, op->op_def)) {
      found.push_back({node.name(), Code::kOk, UnknownAttrWarning(node.def, attr), id, Diagnostic::kNoInput});
    }
  });
  return found;
}

Status CheckConstant(const NodeDef& node) {
  const AttrValue* dtype = FindAttr(node, "dtype");
  const AttrValue* value = FindAttr(node, "value");
  if (dtype == nullptr || value == nullptr || !value->has_tensor()) return Status::OK();  // ValidateNodeDef tells it.
  const TensorProto& proto = value->tensor();
  if (proto.dtype() != dtype->type()) {
    return errors::InvalidArgument("Type mismatch between value (", DataTypeString(proto.dtype()), ") and dtype (",
                                   DataTypeString(dtype->type()), ")\n\t [[", FormatNodeForError(node.name()), "]]");
  }
  const auto at_node = [&](const Status& status) {
    return status.Append(StrCat("\n\t [[", FormatNodeForError(node.name()), "]]"));
  };
  if (proto.tensor_shape().unknown_rank()) return Status::OK();  // Taken for a scalar.
  const StatusOr<TensorShape> shape = TensorShape::FromProto(proto.tensor_shape());
  if (!shape.ok()) return at_node(shape.status());
  const auto item = static_cast<int64_t>(DataTypeSize(proto.dtype()));
  const int64_t per_element = std::max<int64_t>(item, proto.dtype() == DT_STRING ? 32 : 1);
  const int64_t bytes = MultiplyWithoutOverflow(shape->num_elements(), per_element);
  if (bytes < 0 || bytes > kMaxConstantBytes) {
    const int64_t told = bytes < 0 ? std::numeric_limits<int64_t>::max() : bytes;
    return at_node(errors::ResourceExhausted("Constant '", node.name(), "' of shape ", shape->DebugString(), " and type ",
                                             DataTypeString(proto.dtype()), " takes ", HumanBytes(told)));
  }
  const auto content = static_cast<int64_t>(proto.tensor_content().size());
  if (content != 0 && item != 0 && content != bytes) {
    return at_node(errors::InvalidArgument("Cannot parse tensor from proto: tensor_content has ", content,
                                           " bytes, shape ", shape->DebugString(), " of ",
                                           DataTypeString(proto.dtype()), " needs ", bytes));
  }
  return Status::OK();
}

}  // namespace opscope
