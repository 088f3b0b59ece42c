// Changes to operations that exist, for front ends. A session that has such an operation already
// can't follow.
#include "engine/c_api/session_handles.h"
#include "engine/framework/attr_value_util.h"

#include <algorithm>

using namespace opscope;
using namespace opscope::capi;

namespace opscope::capi {

// A session that took the node must not go on as if nothing had happened.
void NoteChange(TF_Graph* graph, const TF_Operation* oper, std::string_view what) {
  ++graph->changes;
  for (auto& [session, status] : graph->sessions) {
    if (oper->id.index() >= session->nodes_taken || !status.ok()) continue;
    status = errors::FailedPrecondition(
        "Operation '", oper->name, "' was changed by ", what,
        " after it was run by a session. This mutation will have no effect, and will trigger an "
        "error in the future. "
        "Either don't modify nodes after running them or create a new session.");
  }
}

}  // namespace opscope::capi

namespace {

// Changes the definition of an operation under its graph's lock.
template <typename Change>
Status Mutate(TF_Graph* graph, TF_Operation* oper, std::string_view what, Change change) {
  if (graph == nullptr || oper == nullptr || oper->graph != graph)
    return errors::InvalidArgument("The operation is not of the graph.");
  std::lock_guard lock(graph->mutex);
  NodeDef def = graph->graph.node(oper->id).def;
  OS_RETURN_IF_ERROR(change(&def));
  OS_RETURN_IF_ERROR(graph->graph.ReplaceNode(oper->id, std::move(def)));
  const NodeDef& now = graph->graph.node(oper->id).def;
  const OpLookup ops(OpRegistry::Global(), graph->graph.library());
  if (const OpDef* op = ops.Find(now.op()))
    (void)InOutTypeLists(now, *op, &oper->inputs, &oper->outputs).ok();
  oper->device = now.device();
  NoteChange(graph, oper, what);
  return Status::OK();
}

// The place of data input `index` among the inputs of a node.
int NumDataInputs(const NodeDef& def) {
  return static_cast<int>(
      std::count_if(def.input().begin(), def.input().end(),
                    [](const std::string& input) { return !input.starts_with('^'); }));
}

}  // namespace

void TF_UpdateEdge(TF_Graph* graph, TF_Output new_src, TF_Input dst, TF_Status* status) {
  SetOk(status);
  const Status valid = CheckOutput(new_src);
  if (!valid.ok()) return SetStatus(valid, status);
  SetStatus(Mutate(graph, dst.oper, "updating input tensor",
                   [&](NodeDef* def) -> Status {
                     if (dst.index < 0 || dst.index >= NumDataInputs(*def)) {
                       return errors::OutOfRange("Node '", def->name(), "' (type: '", def->op(),
                                                 "', num of inputs: ", NumDataInputs(*def),
                                                 ") does not have input ", dst.index);
                     }
                     const DataType expected = dst.oper->inputs.at(dst.index);
                     const DataType actual = new_src.oper->outputs.at(new_src.index);
                     if (!TypesCompatible(expected, actual)) {
                       return TypeMismatch(def->name(), dst.index, expected, new_src.oper->name,
                                           new_src.index, actual);
                     }
                     def->set_input(dst.index, TensorIdToString(new_src.oper->name, new_src.index));
                     return Status::OK();
                   }),
            status);
}

void TF_AddOperationControlInput(TF_Graph* graph, TF_Operation* op, TF_Operation* input) {
  if (input == nullptr) return;
  (void)Mutate(graph, op, "adding control edge", [&](NodeDef* def) {
    const std::string text = "^" + input->name;
    if (std::find(def->input().begin(), def->input().end(), text) == def->input().end())
      def->add_input(text);
    return Status::OK();
  }).ok();
}

void TF_RemoveAllControlInputs(TF_Graph* graph, TF_Operation* op) {
  (void)Mutate(graph, op, "removing all control edges", [](NodeDef* def) {
    auto* const inputs = def->mutable_input();
    inputs->erase(std::remove_if(inputs->begin(), inputs->end(),
                                 [](const std::string& input) { return input.starts_with('^'); }),
                  inputs->end());
    return Status::OK();
  }).ok();
}

void TF_SetAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name,
                TF_Buffer* attr_value_proto, TF_Status* status) {
  SetOk(status);
  AttrValue value;
  const Status parsed =
      attr_value_proto
          ? ParseBytes(attr_value_proto->data, attr_value_proto->length, "AttrValue proto", &value)
          : errors::InvalidArgument("Unparseable AttrValue proto");
  if (!parsed.ok()) return SetStatus(parsed, status);
  SetStatus(Mutate(graph, op, "setting attribute",
                   [&](NodeDef* def) {
                     (*def->mutable_attr())[std::string(Text(attr_name))] = value;
                     return Status::OK();
                   }),
            status);
}

void TF_ClearAttr(TF_Graph* graph, TF_Operation* op, const char* attr_name, TF_Status* status) {
  SetStatus(Mutate(graph, op, "clearing attribute",
                   [&](NodeDef* def) {
                     def->mutable_attr()->erase(std::string(Text(attr_name)));
                     return Status::OK();
                   }),
            status);
}

void TF_SetFullType(TF_Graph* graph, TF_Operation* op, const TF_Buffer* full_type_proto) {
  tensorflow::FullTypeDef type;
  if (full_type_proto == nullptr ||
      !ParseBytes(full_type_proto->data, full_type_proto->length, "FullTypeDef", &type).ok())
    return;
  (void)Mutate(graph, op, "setting fulltype", [&](NodeDef* def) {
    *def->mutable_experimental_type() = type;
    return Status::OK();
  }).ok();
}

void TF_SetRequestedDevice(TF_Graph* graph, TF_Operation* op, const char* device) {
  (void)Mutate(graph, op, "setting device", [&](NodeDef* def) {
    def->set_device(std::string(Text(device)));
    return Status::OK();
  }).ok();
}

// Ops without a shape function have unknown shapes here; nothing needs to be refused.
void TF_SetRequireShapeInferenceFns(TF_Graph*, bool) {}

// An empty message says that nothing is known about the handle.
TF_Buffer* TF_GetHandleShapeAndType(TF_Graph*, TF_Output) { return TF_NewBufferFromString("", 0); }

void TF_SetHandleShapeAndType(TF_Graph*, TF_Output, const void*, size_t, TF_Status* status) {
  SetUnimplemented(__func__, status);
}

void TF_AddWhileInputHack(TF_Graph* graph, TF_Output new_src, TF_Operation* dst,
                          TF_Status* status) {
  SetOk(status);
  const Status valid = CheckOutput(new_src);
  if (!valid.ok()) return SetStatus(valid, status);
  SetStatus(Mutate(graph, dst, "adding input tensor",
                   [&](NodeDef* def) -> Status {
                     const int place = NumDataInputs(*def);
                     def->add_input(TensorIdToString(new_src.oper->name, new_src.index));
                     for (int i = def->input_size() - 1; i > place; --i)
                       def->mutable_input()->SwapElements(i, i - 1);
                     return Status::OK();
                   }),
            status);
}
