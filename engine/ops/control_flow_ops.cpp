// Shapes of switches, loops, calls and checks.

#include "engine/ops/shape_functions.h"

namespace opscope::shapes {
namespace {

Status SwitchShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  const std::vector<ShapeAndType>* handle = c->input_handle_shapes_and_types(0);
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->input(0));
    if (handle) c->set_output_handle_shapes_and_types(i, *handle);
  }
  return Status::OK();
}

// Whatever all inputs may be.
Status MergeShape(InferenceContext* c) {
  ShapeHandle out = c->input(0);
  for (int i = 1; i < c->num_inputs(); ++i) out = c->Union(out, c->input(i));
  c->set_output(0, out);
  c->set_output(1, c->Scalar());
  return Status::OK();
}

// A loop variable may change its shape, so only constants of the loop keep theirs.
Status EnterShape(InferenceContext* c) {
  bool is_constant = false;
  OS_RETURN_IF_ERROR(c->GetAttr("is_constant", &is_constant));
  c->set_output(0, is_constant ? c->input(0) : c->UnknownShape());
  if (const auto* handle = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *handle);
  return Status::OK();
}

Status LoopCondShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return Unchanged(c);
}

Status RefSelectShape(InferenceContext* c) {
  ShapeHandle unused;
  OS_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  ShapeHandle out = c->input(1);
  for (int i = 2; i < c->num_inputs(); ++i) out = c->Union(out, c->input(i));
  c->set_output(0, out);
  return Status::OK();
}

// The attribute output_shapes; *given is false without one for each output.
Status OutputShapesAttr(InferenceContext* c, bool* given) {
  std::vector<PartialTensorShape> shapes;
  *given = false;
  if (!c->HasAttr("output_shapes")) return Status::OK();
  OS_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
  if (shapes.empty()) return Status::OK();
  if (static_cast<int>(shapes.size()) != c->num_outputs()) {
    return errors::InvalidArgument("`output_shapes` must be the same length as num outputs (", shapes.size(), " vs. ",
                                   c->num_outputs());
  }
  *given = true;
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, ShapeHandle(shapes[static_cast<size_t>(i)]));
  return Status::OK();
}

Status BranchShape(InferenceContext* c) {
  bool given = false;
  return OutputShapesAttr(c, &given);
}

Status WhileShape(InferenceContext* c) {
  bool given = false;
  OS_RETURN_IF_ERROR(OutputShapesAttr(c, &given));
  return given ? Status::OK() : UnchangedEach(c);
}

Status FakeParamShape(InferenceContext* c) {
  PartialTensorShape shape;
  OS_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  c->set_output(0, ShapeHandle(shape));
  return Status::OK();
}

Status DebugNanCountShape(InferenceContext* c) { return ScalarOutputs(c); }

Status DebugSummaryShape(InferenceContext* c) {
  c->set_output(0, c->Vector(c->UnknownDim()));
  return Status::OK();
}

}  // namespace

OS_REGISTER_SHAPE(NoOutputs, "NoOp", "ControlTrigger", "Abort", "PrintV2", "Assert",
                  "_Retval", "_DeviceRetval");
OS_REGISTER_SHAPE(SwitchShape, "Switch", "RefSwitch", "_SwitchN");
OS_REGISTER_SHAPE(MergeShape, "Merge", "RefMerge");
OS_REGISTER_SHAPE(EnterShape, "Enter", "RefEnter");
OS_REGISTER_SHAPE(Unchanged, "Exit", "RefExit", "NextIteration", "RefNextIteration", "Print");
OS_REGISTER_SHAPE(LoopCondShape, "LoopCond");
OS_REGISTER_SHAPE(RefSelectShape, "RefSelect");
OS_REGISTER_SHAPE(BranchShape, "If", "StatelessIf", "Case", "StatelessCase");
OS_REGISTER_SHAPE(WhileShape, "While", "StatelessWhile");
OS_REGISTER_SHAPE(UnknownOutputs, "For", "PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "RemoteCall",
                  "_Arg", "_DeviceArg", "PyFunc");
OS_REGISTER_SHAPE(ScalarOutputs, "ToBool", "Timestamp", "StringFormat");
OS_REGISTER_SHAPE(FakeParamShape, "FakeParam");
OS_REGISTER_SHAPE(DebugNanCountShape, "DebugNanCount");
OS_REGISTER_SHAPE(DebugSummaryShape, "DebugNumericSummary");

}  // namespace opscope::shapes
