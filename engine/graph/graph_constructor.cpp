#include "engine/graph/graph_constructor.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <queue>

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/type_list.h"
#include "engine/graph/cycles.h"
#include "engine/graph/function_calls.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

Status AtNode(Status status, std::string_view node) {
  status.AddNode(std::string(node));
  return status;
}

Status CheckName(const NodeDef& node, const GraphConstructorOptions& options) {
  const std::string& name = node.name();
  const bool internal = options.allow_internal_ops && name.size() > 1 && name[0] == '_' &&
                        IsValidNodeName("a" + name.substr(1));
  if (internal || IsValidNodeName(name)) return Status::OK();
  return AtNode(errors::InvalidArgument("Node '", name, "': Node name contains invalid characters"), name);
}

// The attribute that the op's arguments need first and the node lacks; "" when there is none.
std::string MissingSignatureAttr(const NodeDef& node, const OpDef& op) {
  const auto missing = [&](const std::string& attr) { return !attr.empty() && FindAttr(node, attr) == nullptr; };
  for (const auto* args : {&op.input_arg(), &op.output_arg()}) {
    for (const OpDef::ArgDef& arg : *args) {
      if (missing(arg.number_attr())) return arg.number_attr();
      if (missing(arg.type_attr())) return arg.type_attr();
      if (missing(arg.type_list_attr())) return arg.type_list_attr();
    }
  }
  return {};
}

// One conversion. The graph is linked first, then walked in the order in which TensorFlow adds nodes: each as soon as
// its inputs are there, the lowest number first; so the first error is the same.
class Constructor {
 public:
  Constructor(Graph graph, const OpRegistry& registry, const GraphConstructorOptions& options)
      : graph_(std::move(graph)), ops_(registry, graph_.library()), options_(options) {}

  Status Run() {
    OS_RETURN_IF_ERROR(CheckNodes());
    OS_RETURN_IF_ERROR(CheckInputsExist());
    return Convert();
  }

  Graph TakeGraph() { return std::move(graph_); }

 private:
  Status CheckNodes();
  Status CheckInputsExist();
  Status Convert();
  Status CheckBackEdges();
  Status AddNode(NodeId id);
  Status CheckSourceOutputs(const Node& node) const;
  Status CheckAgainstOp(const Node& node, const OpDef& op) const;
  Status CheckEdge(const Node& node, const InEdge& edge, const TypeList& inputs) const;
  void CountPending();
  void WarnOfUnknownAttrs(const Node& node, const OpDef& op);

  Graph graph_;
  OpLookup ops_;
  GraphConstructorOptions options_;
  std::vector<int64_t> pending_;
  std::vector<bool> added_;
  std::vector<TypeList> outputs_;
  std::vector<NodeId> with_back_edges_;
};

Status Constructor::CheckNodes() {
  Status status;
  StringMap<bool> names;
  names.reserve(graph_.num_nodes());
  graph_.ForEachNode([&](NodeId, const Node& node) {
    if (!status.ok()) return;
    status = CheckName(node.def, options_);
    if (!status.ok()) return;
    if (!names.try_emplace(node.name(), true).second) {
      status = AtNode(errors::InvalidArgument("Node '", node.name(), "' is not unique"), node.name());
    } else if (node.op().empty()) {
      status = AtNode(errors::InvalidArgument("Node '", node.name(), "' does not specify an operation"), node.name());
    }
    bool seen_control = false;
    for (const std::string& input : node.def.input()) {
      const bool control = input.starts_with('^');
      if (seen_control && !control && status.ok()) {
        status = AtNode(errors::InvalidArgument("Node '", node.name(),
                                                "': Control dependencies must come after regular dependencies"),
                        node.name());
      }
      seen_control |= control;
    }
  });
  return status;
}

Status Constructor::CheckInputsExist() {
  Status status;
  graph_.ForEachNode([&](NodeId, const Node& node) {
    if (!status.ok() || node.in_edges.size() == static_cast<size_t>(node.def.input_size())) return;
    for (const std::string& input : node.def.input()) {
      if (graph_.Find(ParseTensorName(input).node).valid()) continue;
      status = errors::InvalidArgument("Node '", node.name(), "': Unknown input node '", input, "'");
      status.AddNode(node.name());
      return;
    }
  });
  return status;
}

// A Merge that a NextIteration feeds is the head of a loop: it is added when one of its data inputs is there.
void Constructor::CountPending() {
  pending_.assign(graph_.num_ids(), 0);
  graph_.ForEachNode([&](NodeId id, const Node& node) {
    int64_t controls = 0;
    bool has_back_edge = false;
    for (const InEdge& edge : node.in_edges) {
      if (edge.dst_input == TensorId::kControlSlot) {
        ++controls;
      } else if (IsMerge(node.op())) {
        has_back_edge |= IsNextIteration(graph_.node(edge.src).op());
      }
    }
    pending_[id.index()] = has_back_edge ? controls + 1 : static_cast<int64_t>(node.in_edges.size());
  });
}

Status Constructor::Convert() {
  CountPending();
  added_.assign(graph_.num_ids(), false);
  outputs_.resize(graph_.num_ids());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  graph_.ForEachNode([&](NodeId id, const Node&) {
    if (pending_[id.index()] == 0) ready.push(id);
  });
  size_t processed = 0;
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    ++processed;
    OS_RETURN_IF_ERROR(AddNode(id));
    for (const OutEdge& edge : graph_.node(id).out_edges) {
      if (--pending_[edge.dst.index()] == 0) ready.push(edge.dst);
    }
  }
  if (processed != graph_.num_nodes()) return CycleError(graph_, graph_.num_nodes() - processed);
  return CheckBackEdges();
}

Status Constructor::CheckBackEdges() {
  for (const NodeId id : with_back_edges_) {
    const Node& node = graph_.node(id);
    TypeList inputs, outputs;
    OS_RETURN_IF_ERROR(InOutTypeLists(node.def, *ops_.Find(node.op()), &inputs, &outputs));
    for (const InEdge& edge : node.in_edges) {
      Status status = CheckEdge(node, edge, inputs);
      if (!status.ok()) return AtNode(std::move(status), node.name());
    }
  }
  return Status::OK();
}

Status Constructor::CheckSourceOutputs(const Node& node) const {
  for (const InEdge& edge : node.in_edges) {
    if (edge.dst_input == TensorId::kControlSlot || !added_[edge.src.index()]) continue;
    const int count = outputs_[edge.src.index()].size();
    if (edge.src_output < count) continue;
    Status status = errors::InvalidArgument("Node '", node.name(), "': Connecting to invalid output ", edge.src_output,
                                            " of source node ", graph_.node(edge.src).name(), " which has ", count,
                                            " outputs.");
    status.AddNode(node.name());
    return status;
  }
  return Status::OK();
}

Status Constructor::CheckAgainstOp(const Node& node, const OpDef& op) const {
  if (options_.validate_nodes) {
    OS_RETURN_IF_ERROR(ValidateNodeDef(node.def, op));
    return CheckOpDeprecation(op, graph_.versions().producer());
  }
  const std::string missing = MissingSignatureAttr(node.def, op);
  if (missing.empty()) return Status::OK();
  return errors::NotFound("No attr named '", missing, "' in NodeDef:\n\t [[", FormatNodeForError(node.name()),
                          "]]\n\t [[", node.name(), "]]");
}

Status Constructor::CheckEdge(const Node& node, const InEdge& edge, const TypeList& inputs) const {
  if (edge.dst_input == TensorId::kControlSlot) return Status::OK();
  if (edge.dst_input >= inputs.size()) {
    return errors::InvalidArgument("Input ", edge.dst_input, " of node ", node.name(),
                                   " does not exist. Node only has ", inputs.size(), " inputs.");
  }
  if (!added_[edge.src.index()]) return Status::OK();  // A back edge: looked at from its other end.
  const TypeList& outputs = outputs_[edge.src.index()];
  const std::string& src = graph_.node(edge.src).name();
  if (edge.src_output >= outputs.size()) {
    return errors::InvalidArgument("Output ", edge.src_output, " of node ", src, " does not exist. Node only has ",
                                   outputs.size(), " outputs.");
  }
  const DataType expected = inputs.at(edge.dst_input);
  const DataType actual = outputs.at(edge.src_output);
  if (TypesCompatible(expected, actual)) return Status::OK();
  return TypeMismatch(node.name(), edge.dst_input, expected, src, edge.src_output, actual);
}

void Constructor::WarnOfUnknownAttrs(const Node& node, const OpDef& op) {
  if (options_.warnings == nullptr || ops_.IsFunction(node.op())) return;
  for (const std::string& attr : UnknownAttrs(node.def, op)) {
    options_.warnings->push_back(UnknownAttrWarning(node.def, attr));
  }
}

Status Constructor::AddNode(NodeId id) {
  const Node& node = graph_.node(id);
  Status status = CheckSourceOutputs(node);
  const OpDef* op = nullptr;
  if (status.ok()) {
    status = ops_.LookUp(node.op(), &op);
    if (!status.ok()) status = status.Append(StrCat("\n\t [[", FormatNodeForError(node.name()), "]]"));
  }
  if (status.ok()) status = CheckAgainstOp(node, *op);
  TypeList inputs;
  if (status.ok()) status = InOutTypeLists(node.def, *op, &inputs, &outputs_[id.index()]);
  if (status.ok()) {
    WarnOfUnknownAttrs(node, *op);
    added_[id.index()] = true;
    for (const InEdge& edge : node.in_edges) {
      status = CheckEdge(node, edge, inputs);
      if (!status.ok()) break;
      const bool is_back_edge = !added_[edge.src.index()];
      if (is_back_edge && (with_back_edges_.empty() || with_back_edges_.back() != id)) with_back_edges_.push_back(id);
    }
  }
  if (!status.ok() && status.nodes().empty()) status.AddNode(node.name());
  return status;
}

// A session fills in defaults before anything else, and so finds unknown ops first.
Status AddDefaults(GraphDef* def, const OpLookup& ops, bool unknown_ops_fail) {
  for (NodeDef& node : *def->mutable_node()) {
    const OpDef* op = nullptr;
    Status status = ops.LookUp(node.op(), &op);
    if (status.ok()) {
      AddDefaultAttrs(*op, &node);
    } else if (unknown_ops_fail) {
      return AtNode(status.Append(StrCat("\n\t [[", FormatNodeForError(node.name()), "]]")), node.name());
    }
  }
  return Status::OK();
}

int NumDataInputs(const NodeDef& node) {
  return static_cast<int>(std::count_if(node.input().begin(), node.input().end(),
                                        [](const std::string& input) { return !input.starts_with('^'); }));
}

}  // namespace

StatusOr<Graph> ConvertGraphDefToGraph(GraphDef def, const OpRegistry& registry,
                                       const GraphConstructorOptions& options) {
  {
    const OpLookup ops(registry, def.library());
    OS_RETURN_IF_ERROR(AddDefaults(&def, ops, !options.validate_nodes));
  }
  OS_RETURN_IF_ERROR(CheckVersions(def.versions()));
  OS_RETURN_IF_ERROR(CheckFunctionNames(def.library(), registry));
  Constructor constructor(Graph::FromGraphDef(std::move(def)), registry, options);
  OS_RETURN_IF_ERROR(constructor.Run());
  return constructor.TakeGraph();
}

StatusOr<Graph> ExtendGraph(const Graph& base, GraphDef more, const OpRegistry& registry,
                            const GraphConstructorOptions& options) {
  for (const NodeDef& node : more.node()) {
    if (!base.Find(node.name()).valid()) continue;
    return AtNode(errors::InvalidArgument("GraphDef argument to Extend includes node '", node.name(),
                                          "', which was created by a previous call to Create or Extend in this session."),
                  node.name());
  }
  GraphDef all = base.ToGraphDef();
  for (NodeDef& node : *more.mutable_node()) *all.add_node() = std::move(node);
  OS_RETURN_IF_ERROR(MergeLibraries(std::move(*more.mutable_library()), all.mutable_library()));
  if (more.has_versions()) {
    OS_RETURN_IF_ERROR(CheckVersions(more.versions()));
    if (!base.has_versions()) *all.mutable_versions() = more.versions();
  }
  return ConvertGraphDefToGraph(std::move(all), registry, options);
}

Status MergeLibraries(FunctionDefLibrary more, FunctionDefLibrary* library) {
  StringMap<int> known;
  for (int i = 0; i < library->function_size(); ++i) known.try_emplace(library->function(i).signature().name(), i);
  for (FunctionDef& function : *more.mutable_function()) {
    const std::string& name = function.signature().name();
    const auto found = known.find(name);
    if (found == known.end()) {
      known.try_emplace(name, library->function_size());
      *library->add_function() = std::move(function);
    } else if (!google::protobuf::util::MessageDifferencer::Equals(library->function(found->second), function)) {
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because a different function with the same name already exists.");
    }
  }
  for (GradientDef& gradient : *more.mutable_gradient()) {
    const bool has = std::any_of(library->gradient().begin(), library->gradient().end(), [&](const GradientDef& old) {
      return old.function_name() == gradient.function_name();
    });
    if (!has) *library->add_gradient() = std::move(gradient);
  }
  return Status::OK();
}

Status CheckNodeForRun(const Graph& graph, NodeId id, const OpRegistry& registry) {
  const Node& node = graph.node(id);
  const OpLookup ops(registry, graph.library());
  const OpDef* op = nullptr;
  Status status = ops.LookUp(node.op(), &op);
  TypeList inputs, outputs;
  if (status.ok()) status = InOutTypeLists(node.def, *op, &inputs, &outputs);
  const int given = NumDataInputs(node.def);
  if (status.ok() && given < inputs.size()) {
    status = errors::InvalidArgument("Incomplete graph, missing ", inputs.size() - given,
                                     " inputs for ", node.name());
  }
  if (status.ok()) status = ValidateNodeDef(node.def, *op);
  if (status.ok()) status = CheckOpDeprecation(*op, graph.versions().producer());
  if (status.ok()) return status;
  if (status.code() == Code::kUnimplemented || status.code() == Code::kNotFound) {
    status = status.Append(StrCat("\n\t [[", FormatNodeForError(node.name()), "]]"));
  }
  return AtNode(std::move(status), node.name());
}

std::vector<std::string> UnknownAttrs(const NodeDef& node, const OpDef& op) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : node.attr()) {
    const bool known = name.starts_with('_') || std::any_of(op.attr().begin(), op.attr().end(),
                                                            [&](const auto& def) { return def.name() == name; });
    if (!known) unknown.push_back(name);
  }
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

std::string UnknownAttrWarning(const NodeDef& node, std::string_view attr) {
  return StrCat("NodeDef mentions attribute ", attr, " which is not in the op definition: ", node.op(), "; NodeDef: ",
                FormatNodeForError(node.name()));
}

}  // namespace opscope
