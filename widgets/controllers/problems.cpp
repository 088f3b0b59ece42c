#include "widgets/controllers/problems.h"

#include <algorithm>
#include <string>

#include "engine/base/text.h"
#include "engine/document/wiring.h"
#include "engine/framework/op_registry.h"

namespace opscope::ui {
namespace {

/// Names of the inputs that have no wire; empty unless the node is one that is being drawn: it has an empty slot, or lacks a
/// type that its wires will decide.
std::vector<std::string> openInputs(const tensorflow::NodeDef& node, const tensorflow::OpDef& op) {
  const int wired = NumDataInputs(node);
  bool drawn = std::any_of(node.input().begin(), node.input().end(), [](const std::string& input) { return input.empty(); });
  for (const tensorflow::OpDef::AttrDef& attr : op.attr())
    drawn = drawn || (IsInputTypeAttr(op, attr.name()) && !node.attr().contains(attr.name()));
  std::vector<std::string> open;
  const int count = std::min(std::max(NumInputs(node, op), wired), 1000);
  for (int i = 0; drawn && i < count; ++i)
    if (i >= wired || node.input(i).empty()) open.push_back(InputName(node, op, i));
  return open;
}

}  // namespace

std::vector<Diagnostic> findProblems(const Graph& graph) {
  std::vector<Diagnostic> problems = Validate(graph);
  std::vector<Diagnostic> shown;
  shown.reserve(problems.size());
  NodeId last_open;
  for (Diagnostic& problem : problems) {
    if (problem.id.valid() && problem.id == last_open) continue;
    const OpRegistrationData* data =
        problem.id.valid() && graph.has(problem.id) ? OpRegistry::Global().Find(graph.node(problem.id).op()) : nullptr;
    std::vector<std::string> open;
    if (data != nullptr) open = openInputs(graph.node(problem.id).def, data->op_def);
    if (!open.empty()) {
      last_open = problem.id;
      problem.code = Code::kInvalidArgument;
      problem.message = StrCat(open.size() == 1 ? "Input " : "Inputs ", Join(open, ", "), " of ", problem.node,
                               open.size() == 1 ? " is" : " are", " not connected");
    }
    shown.push_back(std::move(problem));
  }
  return shown;
}

}  // namespace opscope::ui
