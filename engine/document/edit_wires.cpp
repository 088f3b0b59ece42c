// EditBuilder: wires.
#include <algorithm>
#include <unordered_map>

#include "engine/document/draft.h"
#include "engine/document/edit_builder.h"
#include "engine/document/wiring.h"
#include "engine/graph/cycles.h"
#include "engine/graph/op_lookup.h"

namespace opscope {

using tensorflow::NodeDef;
using tensorflow::OpDef;

namespace {

/// The names along the wires from `from` to `to`, both included; empty when there is no way. A loop's back edge is none.
std::vector<std::string> PathBetween(const Graph& graph, NodeId from, NodeId to) {
  std::unordered_map<NodeId, NodeId> came_from = {{from, NodeId()}};
  std::vector<NodeId> work = {from};
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    if (id == to) {
      std::vector<std::string> path;
      for (NodeId at = to; at.valid(); at = came_from[at]) path.push_back(graph.node(at).name());
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (IsNextIteration(graph.node(id).op()) && IsMerge(graph.node(edge.dst).op())) continue;
      if (came_from.emplace(edge.dst, id).second) work.push_back(edge.dst);
    }
  }
  return {};
}

std::string ShortPath(const std::vector<std::string>& path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (i == 6 && path.size() > 8) {
      text += " → …";
      i = path.size() - 2;
    }
    text += (text.empty() ? "" : " → ") + path[i];
  }
  return text;
}

WireVerdict Refuse(WireRefusal refusal, Status status, std::initializer_list<std::string> nodes) {
  for (const std::string& node : nodes)
    if (std::find(status.nodes().begin(), status.nodes().end(), node) == status.nodes().end()) status.AddNode(node);
  return {std::move(status), refusal};
}

/// A wire or control edge from one node to another: not to itself and no cycle that no loop explains.
WireVerdict CheckLoop(const Graph& graph, NodeId from, NodeId to) {
  const std::string& source = graph.node(from).name();
  const std::string& reader = graph.node(to).name();
  if (from == to)
    return Refuse(WireRefusal::kSelf,
                  errors::InvalidArgument("wiring ", source, " to itself would create a cycle"), {reader});
  if (IsNextIteration(graph.node(from).op()) && IsMerge(graph.node(to).op())) return {};
  const std::vector<std::string> path = PathBetween(graph, to, from);
  if (path.empty()) return {};
  return Refuse(WireRefusal::kCycle,
                errors::InvalidArgument("wiring ", source, " to ", reader, " would create a cycle: ", ShortPath(path), " → ", reader),
                {reader, source});
}

WireVerdict CheckTypes(const Draft& draft, OutputRef from, InputRef to, DataType expected, DataType actual) {
  const NodeDef& source = draft.def(from.node);
  const NodeDef& reader = draft.def(to.node);
  if (IsRefType(expected) && source.op() == "Const")
    return Refuse(WireRefusal::kReassign,
                  errors::FailedPrecondition("Cannot reassign value. ", source.name(), " is a constant; input ", to.input, " of ",
                                             reader.name(), " (", reader.op(), ") changes a variable"),
                  {source.name(), reader.name()});
  if (TypesCompatible(expected, actual)) return {};
  const bool reference = IsRefType(expected) && !IsRefType(actual);
  return Refuse(reference ? WireRefusal::kReference : WireRefusal::kType,
                TypeMismatch(reader.name(), to.input, expected, source.name(), from.output, actual), {reader.name(), source.name()});
}

/// Whether a wire other than input `except` decides the type attribute of a node.
bool IsHeldByWires(const Draft& draft, NodeId id, const std::string& attr, int except) {
  const NodeDef& node = draft.def(id);
  const OpDef* op = draft.OpOf(node);
  if (op == nullptr) return true;
  for (int i = 0; i < NumDataInputs(node); ++i)
    if (i != except && !node.input(i).empty() && TypeAttrOf(InputArgAt(node, *op, i)) == attr) return true;
  for (const OutEdge& edge : draft.Readers(id))
    if (TypeAttrOf(OutputArgAt(node, *op, edge.src_output)) == attr) return true;
  return false;
}

/// Takes a wired type away when the wire was all that decided it.
void ForgetType(Draft* draft, InputRef at) {
  const OpDef* op = draft->OpOf(draft->def(at.node));
  if (op == nullptr) return;
  const std::string attr = TypeAttrOf(InputArgAt(draft->def(at.node), *op, at.input));
  if (attr.empty() || IsHeldByWires(*draft, at.node, attr, at.input)) return;
  draft->Mutable(at.node)->mutable_attr()->erase(attr);
}

/// Types of both ends as far as known after the wire; sets those that the wire decides.
WireVerdict FitTypes(Draft* draft, OutputRef from, InputRef to) {
  const OpDef* source_op = draft->OpOf(draft->def(from.node));
  const OpDef* reader_op = draft->OpOf(draft->def(to.node));
  if (source_op == nullptr || reader_op == nullptr) return {};
  const auto actual = OutputType(draft->def(from.node), *source_op, from.output);
  auto expected = InputType(draft->def(to.node), *reader_op, to.input);
  const PortArg port = InputArgAt(draft->def(to.node), *reader_op, to.input);
  if (port.grows && !expected && actual && !port.arg->type_attr().empty()) expected = std::nullopt;
  if (port.arg->is_ref() && actual && !expected) {
    const WireVerdict verdict = CheckTypes(*draft, from, to, MakeRef(RemoveRef(*actual)), *actual);
    if (!verdict.status.ok()) return verdict;
  }
  if (expected && actual) {
    const WireVerdict verdict = CheckTypes(*draft, from, to, *expected, *actual);
    if (!verdict.status.ok()) return verdict;
  }
  if (actual) {
    const Status status = AssignInputType(*reader_op, to.input, RemoveRef(*actual), draft->Mutable(to.node));
    if (!status.ok()) return {status, WireRefusal::kType};
  } else if (expected) {
    const Status status = AssignOutputType(*source_op, from.output, RemoveRef(*expected), draft->Mutable(from.node));
    if (!status.ok()) return {status, WireRefusal::kType};
  }
  for (const NodeId id : {from.node, to.node}) {
    const Status status = draft->SpreadTypes(id);
    if (!status.ok()) return {status, WireRefusal::kType};
  }
  return {};
}

/// Puts the wire into the draft.
WireVerdict Wire(Draft* draft, OutputRef from, InputRef to) {
  const Graph& graph = draft->graph();
  const NodeDef& source = draft->def(from.node);
  const NodeDef& reader = draft->def(to.node);
  const std::string value = TensorIdToString(source.name(), from.output);
  if (to.input >= 0 && to.input < NumDataInputs(reader) && ParseTensorName(reader.input(to.input)).node == source.name() &&
      ParseTensorName(reader.input(to.input)).index == from.output)
    return {};
  const OpDef* source_op = draft->OpOf(source);
  const OpDef* reader_op = draft->OpOf(reader);
  if (from.output < 0 || (source_op != nullptr && OutputArgAt(source, *source_op, from.output).arg == nullptr))
    return Refuse(WireRefusal::kNoSuchPort,
                  errors::OutOfRange("node ", source.name(), " (", source.op(), ") has no output ", from.output), {source.name()});
  if (to.input < 0 || to.input > kMaxNodeArity ||
      (reader_op != nullptr && InputArgAt(reader, *reader_op, to.input).arg == nullptr))
    return Refuse(WireRefusal::kNoSuchPort,
                  errors::OutOfRange("node ", reader.name(), " (", reader.op(), ") has no input ", to.input), {reader.name()});
  WireVerdict loop = CheckLoop(graph, from.node, to.node);
  if (!loop.status.ok()) return loop;
  if (to.input < NumDataInputs(reader) && !reader.input(to.input).empty()) ForgetType(draft, to);
  WireVerdict types = FitTypes(draft, from, to);
  if (!types.status.ok()) return types;
  SetDataInput(to.input, value, draft->Mutable(to.node));
  return {};
}

}  // namespace

WireVerdict EditBuilder::CheckWire(OutputRef from, InputRef to) const {
  for (const NodeId id : {from.node, to.node})
    if (Status status = FindNode(id); !status.ok()) return {status, WireRefusal::kNoSuchPort};
  Draft draft(document_, registry_);
  return Wire(&draft, from, to);
}

StatusOr<Edit> EditBuilder::Connect(OutputRef from, InputRef to) const {
  OS_RETURN_IF_ERROR(FindNode(from.node));
  OS_RETURN_IF_ERROR(FindNode(to.node));
  Draft draft(document_, registry_);
  WireVerdict verdict = Wire(&draft, from, to);
  if (!verdict.status.ok()) return verdict.status;
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::ConnectToNode(OutputRef from, NodeId to) const {
  OS_RETURN_IF_ERROR(FindNode(from.node));
  OS_RETURN_IF_ERROR(FindNode(to));
  const Draft draft(document_, registry_);
  const NodeDef& reader = draft.def(to);
  const OpDef* op = draft.OpOf(reader);
  const int ports = op != nullptr ? NumInputs(reader, *op) + 1 : NumDataInputs(reader) + 1;
  Status first;
  const auto attempt = [&](bool empty_only) -> std::optional<Edit> {
    for (int i = 0; i < ports; ++i) {
      const bool empty = i >= NumDataInputs(reader) || reader.input(i).empty();
      if (empty != empty_only) continue;
      StatusOr<Edit> edit = Connect(from, {to, i});
      if (edit.ok()) return *std::move(edit);
      if (first.ok()) first = edit.status();
    }
    return std::nullopt;
  };
  if (std::optional<Edit> edit = attempt(true)) return *std::move(edit);
  // A node without a free input: the first wire that may be replaced, when it has a single one.
  if (ports <= 2)
    if (std::optional<Edit> edit = attempt(false)) return *std::move(edit);
  if (first.ok()) first = errors::OutOfRange("node ", reader.name(), " (", reader.op(), ") has no free input");
  return first;
}

StatusOr<Edit> EditBuilder::ConnectControl(NodeId from, NodeId to) const {
  OS_RETURN_IF_ERROR(FindNode(from));
  OS_RETURN_IF_ERROR(FindNode(to));
  const std::string input = "^" + document_.graph().node(from).name();
  const NodeDef& reader = document_.graph().node(to).def;
  if (std::find(reader.input().begin(), reader.input().end(), input) != reader.input().end()) return Edit();
  const WireVerdict verdict = CheckLoop(document_.graph(), from, to);
  if (!verdict.status.ok()) return verdict.status;
  Draft draft(document_, registry_);
  draft.Mutable(to)->add_input(input);
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::Disconnect(InputRef to) const {
  OS_RETURN_IF_ERROR(FindNode(to.node));
  Draft draft(document_, registry_);
  const NodeDef& reader = draft.def(to.node);
  if (to.input < 0 || to.input >= NumDataInputs(reader) || reader.input(to.input).empty()) {
    Status status = errors::NotFound("input ", to.input, " of ", reader.name(), " is not connected");
    status.AddNode(reader.name());
    return status;
  }
  ForgetType(&draft, to);
  SetDataInput(to.input, "", draft.Mutable(to.node));
  return draft.Finish();
}

StatusOr<Edit> EditBuilder::DisconnectControl(NodeId from, NodeId to) const {
  OS_RETURN_IF_ERROR(FindNode(from));
  OS_RETURN_IF_ERROR(FindNode(to));
  Draft draft(document_, registry_);
  const std::string input = "^" + document_.graph().node(from).name();
  auto* inputs = draft.Mutable(to)->mutable_input();
  const auto end = std::remove(inputs->begin(), inputs->end(), input);
  if (end == inputs->end())
    return errors::NotFound(draft.def(to).name(), " has no control input from ", document_.graph().node(from).name());
  inputs->erase(end, inputs->end());
  return draft.Finish();
}

}  // namespace opscope
