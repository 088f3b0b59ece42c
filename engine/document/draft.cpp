#include "engine/document/draft.h"

#include <google/protobuf/util/message_differencer.h>

#include "engine/document/wiring.h"
#include "engine/graph/op_lookup.h"

namespace opscope {

using tensorflow::NodeDef;
using tensorflow::OpDef;

const NodeDef& Draft::def(NodeId id) const {
  const auto found = changed_.find(id);
  return found != changed_.end() ? found->second : graph().node(id).def;
}

NodeDef* Draft::Mutable(NodeId id) {
  const auto found = changed_.find(id);
  if (found != changed_.end()) return &found->second;
  return &changed_.emplace(id, graph().node(id).def).first->second;
}

const OpDef* Draft::OpOf(const NodeDef& node) const {
  if (const OpRegistrationData* data = registry_.Find(node.op())) return &data->op_def;
  for (const tensorflow::FunctionDef& function : graph().library().function())
    if (function.signature().name() == node.op()) return &function.signature();
  return nullptr;
}

RunConfig* Draft::MutableRunConfig() {
  if (!config_changed_) config_ = document_.run_config();
  config_changed_ = true;
  return &config_;
}

std::vector<OutEdge> Draft::Readers(NodeId id) const {
  std::vector<OutEdge> readers;
  for (const OutEdge& edge : graph().node(id).out_edges)
    if (edge.src_output != TensorId::kControlSlot && has(edge.dst)) readers.push_back(edge);
  return readers;
}

Status Draft::SpreadForward(NodeId id, std::vector<NodeId>* touched) {
  const OpDef* op = OpOf(def(id));
  if (op == nullptr) return Status::OK();
  for (const OutEdge& edge : Readers(id)) {
    const std::optional<DataType> type = OutputType(def(id), *op, edge.src_output);
    const OpDef* reader = OpOf(def(edge.dst));
    if (!type || reader == nullptr || InputType(def(edge.dst), *reader, edge.dst_input)) continue;
    if (InputArgAt(def(edge.dst), *reader, edge.dst_input).arg == nullptr) continue;
    OS_RETURN_IF_ERROR(AssignInputType(*reader, edge.dst_input, RemoveRef(*type), Mutable(edge.dst)));
    touched->push_back(edge.dst);
  }
  return Status::OK();
}

Status Draft::SpreadBackward(NodeId id, std::vector<NodeId>* touched) {
  const OpDef* op = OpOf(def(id));
  if (op == nullptr) return Status::OK();
  const NodeDef& node = def(id);
  for (int i = 0; i < NumDataInputs(node); ++i) {
    if (node.input(i).empty()) continue;
    const std::optional<DataType> type = InputType(node, *op, i);
    const TensorId from = ParseTensorName(node.input(i));
    const NodeId source = graph().Find(from.node);
    if (!type || !source.valid() || !has(source)) continue;
    const OpDef* source_op = OpOf(def(source));
    if (source_op == nullptr || OutputType(def(source), *source_op, from.index)) continue;
    if (OutputArgAt(def(source), *source_op, from.index).arg == nullptr) continue;
    OS_RETURN_IF_ERROR(AssignOutputType(*source_op, from.index, RemoveRef(*type), Mutable(source)));
    touched->push_back(source);
  }
  return Status::OK();
}

Status Draft::SpreadTypes(NodeId id) {
  // Each node gains an attribute each time that it is visited again, so the work is bounded by the attributes.
  std::vector<NodeId> work = {id};
  while (!work.empty()) {
    const NodeId next = work.back();
    work.pop_back();
    OS_RETURN_IF_ERROR(SpreadForward(next, &work));
    OS_RETURN_IF_ERROR(SpreadBackward(next, &work));
  }
  return Status::OK();
}

Status Draft::CheckWires(NodeId id) const {
  const NodeDef& node = def(id);
  const OpDef* op = OpOf(node);
  if (op == nullptr) return Status::OK();
  for (int i = 0; i < NumDataInputs(node); ++i) {
    if (node.input(i).empty()) continue;
    const TensorId from = ParseTensorName(node.input(i));
    const NodeId source = graph().Find(from.node);
    if (!source.valid() || !has(source)) continue;
    const OpDef* source_op = OpOf(def(source));
    if (source_op == nullptr) continue;
    const auto expected = InputType(node, *op, i);
    const auto actual = OutputType(def(source), *source_op, from.index);
    if (expected && actual && !TypesCompatible(*expected, *actual))
      return TypeMismatch(node.name(), i, *expected, def(source).name(), from.index, *actual);
  }
  for (const OutEdge& edge : Readers(id)) {
    const OpDef* reader = OpOf(def(edge.dst));
    if (reader == nullptr) continue;
    const auto expected = InputType(def(edge.dst), *reader, edge.dst_input);
    const auto actual = OutputType(node, *op, edge.src_output);
    if (expected && actual && !TypesCompatible(*expected, *actual))
      return TypeMismatch(def(edge.dst).name(), edge.dst_input, *expected, node.name(), edge.src_output, *actual);
  }
  return Status::OK();
}

Edit Draft::Finish() {
  Edit edit;
  for (auto& [id, def] : changed_) {
    if (removed_.contains(id)) continue;
    if (google::protobuf::util::MessageDifferencer::Equals(def, graph().node(id).def)) continue;
    edit.changes.emplace_back(ReplaceNodeChange{id, {std::move(def), nullptr, {}}});
  }
  for (const NodeId id : removed_) edit.changes.emplace_back(RemoveNodeChange{id});
  for (NodeDef& node : added_) edit.changes.emplace_back(AddNodeChange{NodeId(), {std::move(node), nullptr, {}}});
  for (opscope::Change& change : other_) edit.changes.push_back(std::move(change));
  if (config_changed_ && !(config_ == document_.run_config())) edit.changes.emplace_back(RunConfigChange{std::move(config_)});
  return edit;
}

}  // namespace opscope
