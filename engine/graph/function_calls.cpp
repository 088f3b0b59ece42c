#include "engine/graph/function_calls.h"

#include <google/protobuf/util/message_differencer.h>

#include "engine/graph/cycles.h"
#include "engine/graph/graph.h"

namespace opscope {
namespace {

void AddCalls(const AttrValue& value, std::vector<std::string>* calls) {
  if (value.has_func()) calls->push_back(value.func().name());
  if (!value.has_list()) return;
  for (const NameAttrList& function : value.list().func()) calls->push_back(function.name());
}

}  // namespace

std::vector<Status> CheckFunctionCalls(const FunctionDefLibrary& library) {
  // The call graph as a Graph: cycles are found there already.
  GraphDef calls;
  StringMap<bool> seen;
  for (const FunctionDef& function : library.function()) {
    if (!seen.try_emplace(function.signature().name(), true).second) continue;
    NodeDef* caller = calls.add_node();
    caller->set_name(function.signature().name());
    std::vector<std::string> names;
    for (const NodeDef& node : function.node_def()) {
      names.push_back(node.op());
      for (const auto& [name, value] : node.attr()) AddCalls(value, &names);
    }
    for (const std::string& name : names) {
      if (!name.empty()) caller->add_input("^" + name);
    }
  }
  std::vector<Status> found;
  const Graph graph = Graph::FromGraphDef(std::move(calls));
  for (const auto& cycle : FindCycles(graph)) {
    for (const NodeId id : cycle) {
      found.push_back(errors::InvalidArgument("Function '", graph.node(id).name(), "' calls itself",
                                              cycle.size() == 1 ? "" : " through others"));
    }
  }
  return found;
}

Status CheckFunctionNames(const FunctionDefLibrary& library, const OpRegistry& registry) {
  StringMap<const FunctionDef*> seen;
  for (const FunctionDef& function : library.function()) {
    const std::string& name = function.signature().name();
    if (registry.Find(name) != nullptr) {
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because an op with the same name already exists.");
    }
    const auto [old, is_new] = seen.try_emplace(name, &function);
    if (!is_new && !google::protobuf::util::MessageDifferencer::Equals(*old->second, function)) {
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because a different function with the same name already exists.");
    }
  }
  return Status::OK();
}

}  // namespace opscope
