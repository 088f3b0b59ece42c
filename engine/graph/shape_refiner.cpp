#include "engine/graph/shape_refiner.h"

#include <algorithm>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/type_list.h"
#include "engine/graph/cycles.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

struct OpEntry {
  const OpDef* def = nullptr;              ///< nullptr: unknown op.
  const ShapeFunction* shape = nullptr;    ///< nullptr: unknown shapes.
  FoldFunction fold = nullptr;
  bool is_const = false;
};

// A short file can claim any number of outputs and inputs; what is held stays within these.
constexpr size_t kMaxNodeOutputs = 65536;
constexpr size_t kMaxOutputs = 4'000'000;
constexpr size_t kMaxMissingInputs = 1024;

const PartialTensorShape& UnknownShape() {
  static const PartialTensorShape unknown;
  return unknown;
}

bool SameHandle(const std::vector<ShapeAndType>& a, const std::vector<ShapeAndType>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ShapeAndType& x, const ShapeAndType& y) {
    return x.dtype == y.dtype && x.shape.partial() == y.shape.partial();
  });
}

// As many outputs as others read: all that is known of an unknown op.
size_t ReadOutputs(const Node& node) {
  int count = 0;
  for (const OutEdge& edge : node.out_edges) count = std::max(count, edge.src_output + 1);
  return static_cast<size_t>(count) > kMaxNodeOutputs ? 0 : static_cast<size_t>(count);
}

}  // namespace

// What one run needs: ops by name, and who is to be inferred and who has been.
struct ShapeRefiner::Run {
  enum class Mark : uint8_t { kOutside, kWaiting, kDone };

  Run(const Graph& the_graph, const OpRegistry& the_registry)
      : graph(the_graph), registry(the_registry), lookup(the_registry, the_graph.library()) {}

  bool Waits(NodeId id) const { return id.index() < marks.size() && marks[id.index()] == Mark::kWaiting; }

  const OpEntry& Entry(const std::string& op) {
    const auto [at, is_new] = entries.try_emplace(op);
    if (is_new) {
      OpEntry& entry = at->second;
      entry.def = lookup.Find(op);
      const OpRegistrationData* data = registry.Find(op);
      if (data && data->shape_function) entry.shape = &data->shape_function;
      entry.fold = FindFold(op);
      entry.is_const = op == "Const";
    }
    return at->second;
  }

  const Graph& graph;
  const OpRegistry& registry;
  OpLookup lookup;
  StringMap<OpEntry> entries;
  std::vector<Mark> marks;    ///< By NodeId; empty when only one node is inferred.
  std::vector<bool> dirty;    ///< By NodeId: to be inferred, not only passed.
};

// Values of one node's inputs; those that no small value stands for are read from a Const when they are asked for.
class ShapeRefiner::Inputs final : public InputValues {
 public:
  Inputs(const ShapeRefiner& refiner, const Run& run, const NodeState& state) : refiner_(refiner), run_(run), state_(state) {}

  const Tensor* Value(int i) override {
    const Source& source = state_.sources[static_cast<size_t>(i)];
    const SmallValue* small = refiner_.ValueOf(source, run_);
    if (small) return small->fully_known() ? Keep(small->ToTensor()) : nullptr;
    return refiner_.OutputOf(source, run_) ? ReadConst(source) : nullptr;
  }

  StatusOr<ShapeHandle> AsShape(int i) override {
    const SmallValue* small = refiner_.ValueOf(state_.sources[static_cast<size_t>(i)], run_);
    if (!small || small->dims.size() != 1) return ShapeHandle();
    std::vector<int64_t> sizes;
    for (const std::optional<int64_t>& e : small->elements) sizes.push_back(e.value_or(-1));
    return ShapeFromValues(sizes);
  }

 private:
  // Larger constants don't tell shapes; a bound keeps weights from being read.
  static constexpr int64_t kMaxElements = 65536;

  const Tensor* Keep(Tensor tensor) {
    kept_.push_back(std::make_unique<Tensor>(std::move(tensor)));
    return kept_.back().get();
  }

  const Tensor* ReadConst(const Source& source) {
    const Node& node = run_.graph.node(source.node);
    const TensorProto* proto = nullptr;
    if (node.op() != "Const" || !FindAttr(node.def, "value")) return nullptr;
    if (!GetNodeAttr(node.def, "value", &proto).ok()) return nullptr;
    const StatusOr<TensorShape> shape = TensorShape::FromProto(proto->tensor_shape());
    if (!shape.ok() || shape->num_elements() > kMaxElements) return nullptr;
    StatusOr<Tensor> tensor = Tensor::FromProto(*proto);
    return tensor.ok() ? Keep(std::move(tensor).value()) : nullptr;
  }

  const ShapeRefiner& refiner_;
  const Run& run_;
  const NodeState& state_;
  std::vector<std::unique_ptr<Tensor>> kept_;
};

void ShapeRefiner::Refine(const Graph& graph) {
  states_.clear();
  num_outputs_ = 0;
  RunFor(graph, graph.NodeIds());
}

void ShapeRefiner::Refine(const Graph& graph, std::span<const NodeId> changed) {
  RunFor(graph, FindSeeds(graph, changed));
}

void ShapeRefiner::RefineAdded(const Graph& graph, std::span<const NodeId> added) {
  RunFor(graph, std::vector<NodeId>(added.begin(), added.end()));
}

// The changed nodes, and those that read something else than they did.
std::vector<NodeId> ShapeRefiner::FindSeeds(const Graph& graph, std::span<const NodeId> changed) {
  states_.resize(graph.num_ids());
  std::vector<bool> is_seed(graph.num_ids(), false);
  for (const NodeId id : changed) {
    if (graph.has(id)) is_seed[id.index()] = true;
  }
  std::vector<NodeId> seeds;
  for (size_t i = 0; i < states_.size(); ++i) {
    const NodeId id(i);
    if (!graph.has(id)) {
      num_outputs_ -= states_[i].outputs.size();
      states_[i] = NodeState();
      continue;
    }
    size_t at = 0;
    bool same = true;
    for (const InEdge& edge : graph.node(id).in_edges) {
      if (edge.dst_input == TensorId::kControlSlot) continue;
      const size_t input = static_cast<size_t>(edge.dst_input);
      same = same && input < states_[i].sources.size() && states_[i].sources[input] == Source{edge.src, edge.src_output};
      ++at;
    }
    const size_t resolved = static_cast<size_t>(std::count_if(states_[i].sources.begin(), states_[i].sources.end(),
                                                              [](const Source& s) { return s.node.valid(); }));
    if (is_seed[i] || !same || at != resolved) seeds.push_back(id);
  }
  return seeds;
}

void ShapeRefiner::RunFor(const Graph& graph, std::vector<NodeId> seeds) {
  states_.resize(graph.num_ids());
  Run run(graph, *registry_);
  run.marks.resize(graph.num_ids());
  run.dirty.assign(graph.num_ids(), false);
  // What depends on the seeds, back edges of loops left out.
  std::vector<NodeId> affected;
  const auto add = [&](NodeId id) {
    if (run.marks[id.index()] != Run::Mark::kOutside) return;
    run.marks[id.index()] = Run::Mark::kWaiting;
    affected.push_back(id);
  };
  for (const NodeId id : seeds) {
    run.dirty[id.index()] = true;
    add(id);
  }
  for (size_t i = 0; i < affected.size(); ++i) {
    for (const OutEdge& edge : graph.node(affected[i]).out_edges) {
      if (edge.dst_input != TensorId::kControlSlot) add(edge.dst);
    }
  }
  // Topological: a node follows all that it reads, except through a back edge.
  std::vector<uint32_t> pending(graph.num_ids(), 0);
  std::vector<NodeId> ready;
  for (const NodeId id : affected) {
    for (const InEdge& edge : graph.node(id).in_edges) {
      const bool waits = edge.dst_input != TensorId::kControlSlot && run.marks[edge.src.index()] == Run::Mark::kWaiting;
      if (waits && !IsBackEdge(graph, id, edge)) ++pending[id.index()];
    }
    if (pending[id.index()] == 0) ready.push_back(id);
  }
  for (size_t i = 0; i < ready.size(); ++i) {
    const NodeId id = ready[i];
    InferNode(id, &run);
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (edge.dst_input == TensorId::kControlSlot || run.marks[edge.dst.index()] != Run::Mark::kWaiting) continue;
      const InEdge& in = graph.node(edge.dst).in_edges[edge.peer];
      if (!IsBackEdge(graph, edge.dst, in) && --pending[edge.dst.index()] == 0) ready.push_back(edge.dst);
    }
  }
  // Cycles that no loop explains: what they go through is unknown.
  std::sort(affected.begin(), affected.end());
  for (const NodeId id : affected) {
    if (run.marks[id.index()] != Run::Mark::kWaiting) continue;
    run.dirty[id.index()] = true;
    InferNode(id, &run);
  }
}

const ShapeRefiner::Output* ShapeRefiner::OutputOf(const Source& source, const Run& run) const {
  if (!source.node.valid() || run.Waits(source.node) || source.node.index() >= states_.size()) return nullptr;
  const NodeState& state = states_[source.node.index()];
  const size_t output = static_cast<size_t>(source.output);
  return output < state.outputs.size() ? &state.outputs[output] : nullptr;
}

const SmallValue* ShapeRefiner::ValueOf(const Source& source, const Run& run) const {
  if (!OutputOf(source, run)) return nullptr;
  const NodeState& state = states_[source.node.index()];
  return static_cast<size_t>(source.output) < state.values.size() ? &state.values[static_cast<size_t>(source.output)] : nullptr;
}

ShapeRefiner::NodeState ShapeRefiner::Infer(const Node& node, Run* run) {
  NodeState state;
  state.name = node.name();
  for (const InEdge& edge : node.in_edges) {
    if (edge.dst_input == TensorId::kControlSlot) continue;
    const size_t input = static_cast<size_t>(edge.dst_input);
    if (input >= state.sources.size()) state.sources.resize(input + 1);
    state.sources[input] = {edge.src, edge.src_output};
  }
  InferOutputs(node, run, &state);
  return state;
}

const Status& ShapeRefiner::AddNode(const Graph& graph, NodeId id) {
  states_.resize(graph.num_ids());
  Run run(graph, *registry_);
  states_[id.index()] = Infer(graph.node(id), &run);
  num_outputs_ += states_[id.index()].outputs.size();
  return states_[id.index()].status;
}

void ShapeRefiner::RemoveLastNode(NodeId id) {
  if (id.index() >= states_.size()) return;
  num_outputs_ -= states_[id.index()].outputs.size();
  states_[id.index()] = NodeState();
}

Status ShapeRefiner::MergeShape(NodeId node, int output, const PartialTensorShape& shape) {
  if (output < 0 || output >= num_outputs(node)) return errors::InvalidArgument("There is no output ", output);
  ShapeHandle& known = states_[node.index()].outputs[static_cast<size_t>(output)].shape;
  ShapeHandle merged;
  OS_RETURN_IF_ERROR(InferenceContext::Merge(known, shape.unknown_rank() ? ShapeHandle() : ShapeHandle(shape), &merged));
  known = merged;
  return Status::OK();
}

void ShapeRefiner::InferNode(NodeId id, Run* run) {
  const Node& node = run->graph.node(id);
  NodeState& state = states_[id.index()];
  if (run->dirty[id.index()]) {
    num_outputs_ -= state.outputs.size();
    NodeState next = Infer(node, run);
    num_outputs_ += next.outputs.size();
    const bool same = next.values == state.values &&
                      std::equal(next.outputs.begin(), next.outputs.end(), state.outputs.begin(), state.outputs.end(),
                                 [](const Output& a, const Output& b) {
                                   return a.dtype == b.dtype && a.shape.partial() == b.shape.partial() &&
                                          SameHandle(a.handle, b.handle);
                                 });
    // A Const of any type may be read for its value, so that its change counts even where nothing else differs.
    if (!same || node.op() == "Const") {
      for (const OutEdge& edge : node.out_edges) {
        if (edge.dst_input != TensorId::kControlSlot) run->dirty[edge.dst.index()] = true;
      }
    }
    state = std::move(next);
  }
  run->marks[id.index()] = Run::Mark::kDone;
}

void ShapeRefiner::InferOutputs(const Node& node, Run* run, NodeState* state) {
  const OpEntry& op = run->Entry(node.op());
  TypeList in_types;
  TypeList out_types;
  NodeDef with_defaults;
  const NodeDef* def = &node.def;
  bool typed = op.def != nullptr && InOutTypeLists(*def, *op.def, &in_types, &out_types).ok();
  if (op.def && !typed) {
    with_defaults = node.def;
    AddDefaultAttrs(*op.def, &with_defaults);
    def = &with_defaults;
    in_types = out_types = TypeList();
    typed = InOutTypeLists(*def, *op.def, &in_types, &out_types).ok();
  }
  const size_t count = typed ? static_cast<size_t>(out_types.size()) : ReadOutputs(node);
  if (count > kMaxNodeOutputs || count > kMaxOutputs - num_outputs_) return;
  state->outputs.resize(count);
  if (!typed) return;
  for (size_t i = 0; i < count; ++i) state->outputs[i].dtype = out_types.at(static_cast<int>(i));
  const size_t num_inputs = static_cast<size_t>(in_types.size());
  if (!op.shape || num_inputs > state->sources.size() + kMaxMissingInputs) return;
  std::vector<ShapeHandle> inputs(num_inputs);
  std::vector<std::vector<ShapeAndType>> handles;
  const bool merge = IsMerge(node.op());  // what comes back into a loop may be anything
  state->sources.resize(std::max(state->sources.size(), num_inputs));
  for (size_t i = 0; i < num_inputs; ++i) {
    const Source& source = state->sources[i];
    if (merge && source.node.valid() && IsNextIteration(run->graph.node(source.node).op())) continue;
    const Output* output = OutputOf(source, *run);
    if (!output) continue;
    inputs[i] = output->shape;
    if (output->handle.empty()) continue;
    handles.resize(num_inputs);
    handles[i] = output->handle;
  }
  Inputs values(*this, *run, *state);
  InferenceContext context(*def, *op.def, std::move(inputs), out_types.size(), &values, std::move(handles));
  context.set_graph_def_version(run->graph.versions().producer());
  state->status = context.Run(*op.shape);
  for (size_t i = 0; i < count; ++i) {
    state->outputs[i].shape = context.output(static_cast<int>(i));
    state->outputs[i].handle = context.output_handle_shapes_and_types(static_cast<int>(i));
  }
  if (state->status.ok()) InferValues(node, *run, state);
}

void ShapeRefiner::InferValues(const Node& node, const Run& run, NodeState* state) {
  const OpEntry& op = run.entries.find(node.op())->second;
  if (op.is_const) {
    if (std::optional<SmallValue> value = SmallConstant(node.def)) state->values.push_back(std::move(*value));
    return;
  }
  if (!op.fold || state->outputs.empty()) return;
  const DataType dtype = state->outputs[0].dtype;
  if (dtype != DT_INT32 && dtype != DT_INT64) return;
  std::vector<const SmallValue*> values;
  std::vector<ShapeHandle> shapes;
  for (const Source& source : state->sources) {
    const Output* output = OutputOf(source, run);
    values.push_back(ValueOf(source, run));
    shapes.push_back(output ? output->shape : ShapeHandle());
  }
  state->values = op.fold(FoldInputs{node.def, values, shapes, dtype});
  if (state->values.size() > state->outputs.size()) state->values.clear();
}

int ShapeRefiner::num_outputs(NodeId node) const {
  return node.index() < states_.size() ? static_cast<int>(states_[node.index()].outputs.size()) : 0;
}

DataType ShapeRefiner::dtype(NodeId node, int output) const {
  if (output < 0 || output >= num_outputs(node)) return DT_INVALID;
  return states_[node.index()].outputs[static_cast<size_t>(output)].dtype;
}

const PartialTensorShape& ShapeRefiner::shape(NodeId node, int output) const {
  if (output < 0 || output >= num_outputs(node)) return UnknownShape();
  return states_[node.index()].outputs[static_cast<size_t>(output)].shape.partial();
}

std::optional<Tensor> ShapeRefiner::constant(NodeId node, int output) const {
  if (node.index() >= states_.size() || output < 0) return std::nullopt;
  const std::vector<SmallValue>& values = states_[node.index()].values;
  if (static_cast<size_t>(output) >= values.size() || !values[static_cast<size_t>(output)].fully_known()) return std::nullopt;
  return values[static_cast<size_t>(output)].ToTensor();
}

std::vector<Diagnostic> ShapeRefiner::diagnostics() const {
  std::vector<Diagnostic> all;
  for (size_t i = 0; i < states_.size(); ++i) {
    const NodeState& state = states_[i];
    if (state.status.ok()) continue;
    all.push_back({state.name, state.status.code(), state.status.message(), NodeId(i), Diagnostic::kNoInput});
  }
  return all;
}

const Status& ShapeRefiner::status(NodeId node) const {
  static const Status ok;
  return node.index() < states_.size() ? states_[node.index()].status : ok;
}

}  // namespace opscope
