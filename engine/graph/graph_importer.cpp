#include "engine/graph/graph_importer.h"

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/type_list.h"
#include "engine/graph/cycles.h"
#include "engine/graph/function_calls.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/imported_names.h"
#include "engine/graph/op_lookup.h"

#include <queue>

#include <algorithm>
#include <set>

namespace opscope {
namespace {

Status AtNode(Status status, std::string_view node) {
  status.AddNode(std::string(node));
  return status;
}

// One input of a node of the GraphDef.
struct Input {
  int node = -1;  ///< In the GraphDef; -1: `mapped` is read instead.
  int index = 0;
  OutputRef mapped;
};

// One import. Nodes are added to the graph as soon as what they read is there, and taken back when
// one is refused.
class Importer {
 public:
  Importer(GraphDef def, const ImportOptions& options, const OpRegistry& registry, Graph* graph,
           ShapeRefiner* refiner)
      : def_(std::move(def)),
        options_(options),
        registry_(registry),
        graph_(*graph),
        refiner_(*refiner),
        names_(*graph, def_, options) {}

  StatusOr<ImportResults> Run() {
    const auto library = graph_.shared_library();
    const VersionDef versions = graph_.versions();
    Status status = Import();
    if (status.ok()) return std::move(results_);
    Undo();
    graph_.set_library(*library);
    graph_.set_versions(versions);
    return status;
  }

 private:
  Status Import();
  Status CheckNodes();
  Status CheckMappings();
  Status ResolveInputs();
  Status AddAll();
  Status AddNode(int n);
  Status CheckSource(const NodeDef& node, const Input& input);
  Status CheckTypes(const NodeDef& node, int n, const OpDef& op);
  Status CheckBackEdges();
  void AddControlDependencies(int n, NodeDef* node);
  NodeDef Renamed(int n);
  const std::string& OriginalName(int n) const { return *originals_[static_cast<size_t>(n)]; }
  Status FindOutputs(const Input& input, TypeList* made, const TypeList** outputs);
  Status CycleFound();
  std::string_view SourceName(const Input& input);
  Status InferShapes();
  Status FillResults();
  void MergeVersions();
  void Undo();

  GraphDef def_;
  const ImportOptions& options_;
  const OpRegistry& registry_;
  Graph& graph_;
  ShapeRefiner& refiner_;
  ImportedNames names_;
  StringMap<int> index_;
  std::vector<const std::string*>
      originals_;  ///< Names in the GraphDef, whose nodes move into the graph.
  std::vector<std::vector<Input>> inputs_;
  std::vector<std::vector<int>> readers_;
  std::vector<int64_t> pending_;
  std::vector<NodeId> ids_;
  std::vector<TypeList> outputs_;
  std::vector<int> with_back_edges_;
  std::set<std::pair<std::string, int>> used_keys_;
  std::unique_ptr<OpLookup> ops_;
  ImportResults results_;
};

Status Importer::Import() {
  OS_RETURN_IF_ERROR(CheckVersions(def_.versions()));
  OS_RETURN_IF_ERROR(names_.Prepare());
  OS_RETURN_IF_ERROR(CheckMappings());
  OS_RETURN_IF_ERROR(CheckNodes());
  OS_RETURN_IF_ERROR(ResolveInputs());
  if (def_.library().function_size() > 0 || def_.library().gradient_size() > 0) {
    OS_RETURN_IF_ERROR(CheckFunctionNames(def_.library(), registry_));
    FunctionDefLibrary library = graph_.library();
    OS_RETURN_IF_ERROR(MergeLibraries(std::move(*def_.mutable_library()), &library));
    graph_.set_library(std::move(library));
  }
  ops_ = std::make_unique<OpLookup>(registry_, graph_.library());
  {
    const GraphBatch batch(&graph_);
    OS_RETURN_IF_ERROR(AddAll());
  }
  MergeVersions();
  OS_RETURN_IF_ERROR(InferShapes());
  return FillResults();
}

Status Importer::CheckMappings() {
  const auto text = [](const std::string& name, int index) {
    return TensorIdToString(name, index) + (index == 0 ? ":0" : "");
  };
  for (const auto& [key, value] : options_.input_map) {
    const bool there = value.node.valid() && graph_.has(value.node);
    const std::string name = there ? graph_.node(value.node).name() : std::string();
    const std::string entry = text(key.first, key.second) + "->" + text(name, value.index);
    if (!there) {
      return errors::InvalidArgument(
          "node '", name, "' in input_map does not exist in graph (input_map entry: ", entry, ")");
    }
    if ((key.second == TensorId::kControlSlot) != (value.index == TensorId::kControlSlot)) {
      return errors::InvalidArgument("input_map entry ", entry,
                                     " between control edge and non-control edge");
    }
  }
  for (const NodeId id : options_.control_dependencies) {
    if (!id.valid() || !graph_.has(id)) {
      return errors::InvalidArgument("node '' in control_dependencies does not exist in graph");
    }
  }
  return Status::OK();
}

Status Importer::CheckNodes() {
  index_.reserve(static_cast<size_t>(def_.node_size()));
  originals_.reserve(static_cast<size_t>(def_.node_size()));
  for (int n = 0; n < def_.node_size(); ++n) {
    const NodeDef& node = def_.node(n);
    const auto fail = [&](std::string_view what) {
      return AtNode(errors::InvalidArgument("Node '", node.name(), "'", what), node.name());
    };
    if (!IsValidNodeName(node.name())) return fail(": Node name contains invalid characters");
    const auto [at, is_new] = index_.try_emplace(node.name(), n);
    if (!is_new) return fail(" is not unique");
    originals_.push_back(&at->first);
    if (node.op().empty()) return fail(" does not specify an operation");
    bool seen_control = false;
    for (const std::string& input : node.input()) {
      const bool control = input.starts_with('^');
      if (seen_control && !control)
        return fail(": Control dependencies must come after regular dependencies");
      seen_control |= control;
    }
  }
  return Status::OK();
}

// A Merge that a NextIteration feeds is the head of a loop: it is added when one of its data inputs
// is there.
Status Importer::ResolveInputs() {
  const auto count = static_cast<size_t>(def_.node_size());
  inputs_.resize(count);
  readers_.resize(count);
  pending_.assign(count, 0);
  for (size_t n = 0; n < count; ++n) {
    const NodeDef& node = def_.node(static_cast<int>(n));
    int64_t controls = 0;
    int64_t here = 0;
    bool back_edge = false;
    for (const std::string& text : node.input()) {
      const TensorId id = ParseTensorName(text);
      const auto mapping = options_.input_map.empty()
                               ? options_.input_map.end()
                               : options_.input_map.find({std::string(id.node), id.index});
      if (mapping != options_.input_map.end()) {
        used_keys_.insert(mapping->first);
        inputs_[n].push_back({-1, mapping->second.index, mapping->second});
        continue;
      }
      const auto source = index_.find(id.node);
      if (source == index_.end()) {
        return AtNode(
            errors::InvalidArgument("Node '", node.name(), "': Unknown input node '", text, "'"),
            node.name());
      }
      inputs_[n].push_back({source->second, id.index, {}});
      readers_[static_cast<size_t>(source->second)].push_back(static_cast<int>(n));
      ++here;
      if (id.is_control()) ++controls;
      back_edge |=
          IsMerge(node.op()) && !id.is_control() && IsNextIteration(def_.node(source->second).op());
    }
    pending_[n] = back_edge ? std::min(here, controls + 1) : here;
  }
  return Status::OK();
}

Status Importer::AddAll() {
  const auto count = static_cast<size_t>(def_.node_size());
  ids_.assign(count, NodeId());
  outputs_.resize(count);
  results_.nodes.reserve(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t n = 0; n < count; ++n) {
    if (pending_[n] == 0) ready.push(static_cast<int>(n));
  }
  while (!ready.empty()) {
    const int n = ready.top();
    ready.pop();
    OS_RETURN_IF_ERROR(AddNode(n));
    for (const int reader : readers_[static_cast<size_t>(n)]) {
      if (--pending_[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  if (results_.nodes.size() != count) return CycleFound();
  return CheckBackEdges();
}

// What was not added is in a cycle, or behind one.
Status Importer::CycleFound() {
  GraphDef rest;
  for (int n = 0; n < def_.node_size(); ++n) {
    if (!ids_[static_cast<size_t>(n)].valid()) *rest.add_node() = def_.node(n);
  }
  const auto count = static_cast<size_t>(rest.node_size());
  return CycleError(Graph::FromGraphDef(std::move(rest)), count);
}

// Those of an imported node are at hand; others are made into `made`.
Status Importer::FindOutputs(const Input& input, TypeList* made, const TypeList** outputs) {
  if (input.node >= 0) {
    *outputs = &outputs_[static_cast<size_t>(input.node)];
    return Status::OK();
  }
  const Node& node = graph_.node(input.mapped.node);
  const OpDef* op = nullptr;
  OS_RETURN_IF_ERROR(ops_->LookUp(node.op(), &op));
  TypeList in;
  *outputs = made;
  return InOutTypeLists(node.def, *op, &in, made);
}

std::string_view Importer::SourceName(const Input& input) {
  return input.node >= 0 ? names_.NewName(OriginalName(input.node))
                         : graph_.node(input.mapped.node).name();
}

Status Importer::CheckSource(const NodeDef& node, const Input& input) {
  const bool is_back_edge = input.node >= 0 && !ids_[static_cast<size_t>(input.node)].valid();
  if (is_back_edge || input.index == TensorId::kControlSlot) return Status::OK();
  TypeList made;
  const TypeList* outputs = nullptr;
  OS_RETURN_IF_ERROR(FindOutputs(input, &made, &outputs));
  if (input.index < outputs->size()) return Status::OK();
  const std::string_view source =
      input.node >= 0 ? std::string_view(OriginalName(input.node)) : SourceName(input);
  return errors::InvalidArgument("Node '", node.name(), "': Connecting to invalid output ",
                                 input.index, " of source node ", source, " which has ",
                                 outputs->size(), " outputs.");
}

Status Importer::CheckTypes(const NodeDef& node, int n, const OpDef& op) {
  TypeList in, out;
  OS_RETURN_IF_ERROR(InOutTypeLists(node, op, &in, &out));
  outputs_[static_cast<size_t>(n)] = out;
  int position = 0;
  bool back_edge = false;
  for (const Input& input : inputs_[static_cast<size_t>(n)]) {
    if (input.index == TensorId::kControlSlot) continue;
    const int at = position++;
    if (input.node >= 0 && input.node != n && !ids_[static_cast<size_t>(input.node)].valid()) {
      back_edge = true;
      continue;
    }
    TypeList made;
    const TypeList* outputs = nullptr;
    OS_RETURN_IF_ERROR(FindOutputs(input, &made, &outputs));
    if (!TypesCompatible(in.at(at), outputs->at(input.index))) {
      return TypeMismatch(node.name(), at, in.at(at), SourceName(input), input.index,
                          outputs->at(input.index));
    }
  }
  if (back_edge) with_back_edges_.push_back(n);
  return Status::OK();
}

Status Importer::CheckBackEdges() {
  for (const int n : with_back_edges_) {
    for (const Input& input : inputs_[static_cast<size_t>(n)]) {
      if (input.node < 0 || input.index == TensorId::kControlSlot) continue;
      const TypeList& outputs = outputs_[static_cast<size_t>(input.node)];
      if (input.index < outputs.size()) continue;
      const std::string_view source = names_.NewName(OriginalName(input.node));
      return errors::InvalidArgument("Output ", input.index, " of node ", source,
                                     " does not exist. Node only has ", outputs.size(),
                                     " outputs.");
    }
    const NodeDef& node = graph_.node(ids_[static_cast<size_t>(n)]).def;
    OS_RETURN_IF_ERROR(CheckTypes(node, n, *ops_->Find(node.op())));
  }
  return Status::OK();
}

// Nodes that read another imported node run after it, and so after what it waits for.
void Importer::AddControlDependencies(int n, NodeDef* node) {
  for (const Input& input : inputs_[static_cast<size_t>(n)]) {
    if (input.node >= 0 && ids_[static_cast<size_t>(input.node)].valid()) return;
  }
  for (const NodeId id : options_.control_dependencies) {
    const std::string input = "^" + graph_.node(id).name();
    if (std::find(node->input().begin(), node->input().end(), input) == node->input().end())
      node->add_input(input);
  }
}

NodeDef Importer::Renamed(int n) {
  NodeDef node = std::move(*def_.mutable_node(n));
  if (!names_.keep()) node.set_name(names_.NewName(OriginalName(n)));
  for (int i = 0; i < node.input_size(); ++i) {
    const Input& input = inputs_[static_cast<size_t>(n)][static_cast<size_t>(i)];
    const bool stays = names_.keep() && input.node >= 0 && !node.input(i).ends_with(":0");
    if (!stays) node.set_input(i, TensorIdToString(SourceName(input), input.index));
  }
  names_.RenameColocation(&node);
  if (!options_.default_device.empty() && node.device().empty())
    node.set_device(options_.default_device);
  AddControlDependencies(n, &node);
  return node;
}

Status Importer::AddNode(int n) {
  const NodeDef& original = def_.node(n);
  for (const Input& input : inputs_[static_cast<size_t>(n)]) {
    Status status = CheckSource(original, input);
    if (!status.ok()) return AtNode(std::move(status), OriginalName(n));
  }
  const OpDef* op = nullptr;
  Status status = ops_->LookUp(original.op(), &op);
  if (status.ok()) status = names_.CheckColocation(original, index_);
  if (!status.ok()) return AtNode(std::move(status), OriginalName(n));
  NodeDef node = Renamed(n);
  AddDefaultAttrs(*op, &node);
  status = ValidateNodeDef(node, *op);
  if (status.ok()) status = CheckOpDeprecation(*op, def_.versions().producer());
  if (status.ok()) status = CheckTypes(node, n, *op);
  if (!status.ok()) return AtNode(std::move(status), OriginalName(n));
  OS_ASSIGN_OR_RETURN(const NodeId id, graph_.AddNode(std::move(node)));
  ids_[static_cast<size_t>(n)] = id;
  results_.nodes.push_back(id);
  return Status::OK();
}

// Both the graph and what was imported must be understood by who reads the whole.
void Importer::MergeVersions() {
  VersionDef versions = graph_.versions();
  versions.set_producer(std::min(versions.producer(), def_.versions().producer()));
  versions.set_min_consumer(std::max(versions.min_consumer(), def_.versions().min_consumer()));
  for (const int bad : def_.versions().bad_consumers()) {
    const auto& known = versions.bad_consumers();
    if (std::find(known.begin(), known.end(), bad) == known.end()) versions.add_bad_consumers(bad);
  }
  graph_.set_versions(std::move(versions));
}

Status Importer::InferShapes() {
  refiner_.RefineAdded(graph_, results_.nodes);
  for (const NodeId id : results_.nodes) OS_RETURN_IF_ERROR(refiner_.status(id));
  return Status::OK();
}

Status Importer::FillResults() {
  for (const auto& [name, output] : options_.return_outputs) {
    const auto mapping = options_.input_map.find({name, output});
    if (mapping != options_.input_map.end()) {
      results_.return_outputs.push_back(mapping->second);
      continue;
    }
    const auto found = index_.find(name);
    if (found == index_.end()) {
      return errors::InvalidArgument("Requested return tensor '", name, ":", output,
                                     "' not found in graph def");
    }
    const int count = outputs_[static_cast<size_t>(found->second)].size();
    if ((output < 0 || output >= count) && output != TensorId::kControlSlot) {
      return errors::InvalidArgument("Invalid return output ", output, " of node '", name,
                                     "', which has ", count, " output(s)");
    }
    results_.return_outputs.push_back({ids_[static_cast<size_t>(found->second)], output});
  }
  for (const std::string& name : options_.return_nodes) {
    const auto found = index_.find(name);
    if (found == index_.end()) {
      return errors::InvalidArgument("Requested return node '", name, "' not found in graph def");
    }
    results_.return_nodes.push_back(ids_[static_cast<size_t>(found->second)]);
  }
  for (const auto& [key, value] : options_.input_map) {
    if (used_keys_.contains(key)) continue;
    const auto found = index_.find(key.first);
    const bool has =
        found != index_.end() && key.second < outputs_[static_cast<size_t>(found->second)].size();
    if (!has) results_.missing_unused_inputs.push_back(key);
  }
  return Status::OK();
}

void Importer::Undo() {
  const GraphBatch batch(&graph_);
  for (auto id = results_.nodes.rbegin(); id != results_.nodes.rend(); ++id) {
    refiner_.RemoveLastNode(*id);
    (void)graph_.RemoveNode(*id);
  }
}

}  // namespace

StatusOr<ImportResults> ImportGraphDefInto(GraphDef def, const ImportOptions& options,
                                           const OpRegistry& registry, Graph* graph,
                                           ShapeRefiner* refiner) {
  return Importer(std::move(def), options, registry, graph, refiner).Run();
}

}  // namespace opscope
