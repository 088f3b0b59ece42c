#include "engine/runtime/run_graph.h"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "engine/framework/op_registry.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

struct Endpoint {
  NodeId node;
  int port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

class Builder {
 public:
  explicit Builder(const Graph& graph) : graph_(graph), ops_(OpRegistry::Global(), graph.library()) {}

  Status Build(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets) {
    OS_RETURN_IF_ERROR(AddFeeds(feeds));
    OS_RETURN_IF_ERROR(AddFetches(fetches));
    OS_RETURN_IF_ERROR(AddTargets(targets));
    // Indices below the size are done; what they need is appended.
    for (uint32_t i = 0; i < result_.nodes.size(); ++i) {
      if (result_.nodes[i].kind == RunNode::Kind::kOp) OS_RETURN_IF_ERROR(ConnectInputs(i));
    }
    return Sort();
  }

  RunGraph Take() { return std::move(result_); }

 private:
  Status Types(NodeId id, std::vector<DataType>* inputs, std::vector<DataType>* outputs) const {
    const NodeDef& def = graph_.node(id).def;
    const OpDef* op = nullptr;
    Status status = ops_.LookUp(def.op(), &op);
    if (status.ok()) status = InOutTypesForNode(def, *op, inputs, outputs);
    return status.ok() ? status : status.AddNode(def.name());
  }

  // The tensor that a feed or fetch names, with its type.
  Status Resolve(const std::string& name, Endpoint* endpoint, DataType* dtype) const {
    const TensorId id = ParseTensorName(name);
    endpoint->node = graph_.Find(id.node);
    endpoint->port = id.index;
    if (!endpoint->node.valid()) {
      const std::string text = name.starts_with(':') ? name : StrCat(id.node, ":", id.index);
      return errors::InvalidArgument("Tensor ", text,
                                     ", specified in either feed_devices or fetch_devices was not found in the Graph");
    }
    std::vector<DataType> inputs, outputs;
    OS_RETURN_IF_ERROR(Types(endpoint->node, &inputs, &outputs));
    if (id.index < 0 || static_cast<size_t>(id.index) >= outputs.size()) {
      Status status = errors::OutOfRange("Node '", id.node, "' (type: '", graph_.node(endpoint->node).op(),
                                         "', num of outputs: ", outputs.size(), ") does not have output ", id.index);
      return status.AddNode(std::string(id.node));
    }
    *dtype = outputs[static_cast<size_t>(id.index)];
    return Status::OK();
  }

  static std::string FullName(const std::string& name) {
    const TensorId id = ParseTensorName(name);
    return StrCat(id.node, ":", id.index);
  }

  std::string EndName(const char* prefix, const Endpoint& end, size_t slot) const {
    return StrCat(prefix, graph_.node(end.node).name(), "_", end.port, "_", slot);
  }

  Status AddFeeds(const std::vector<std::string>& feeds) {
    for (size_t i = 0; i < feeds.size(); ++i) {
      Endpoint end;
      RunNode node;
      DataType dtype = DT_INVALID;
      OS_RETURN_IF_ERROR(Resolve(feeds[i], &end, &dtype));
      node.kind = RunNode::Kind::kArg;
      node.id = end.node;
      node.name = EndName("_arg_", end, i);
      node.op = "_Arg";
      node.slot = static_cast<int>(i);
      node.output_types = {RemoveRef(dtype)};
      result_.feed_types.push_back(RemoveRef(dtype));
      if (!fed_.emplace(end, static_cast<uint32_t>(result_.nodes.size())).second) {
        return errors::InvalidArgument("Endpoint \"", FullName(feeds[i]), "\" fed more than once.");
      }
      result_.nodes.push_back(std::move(node));
    }
    return Status::OK();
  }

  Status AddFetches(const std::vector<std::string>& fetches) {
    for (size_t i = 0; i < fetches.size(); ++i) {
      Endpoint end;
      DataType dtype = DT_INVALID;
      OS_RETURN_IF_ERROR(Resolve(fetches[i], &end, &dtype));
      if (fed_.contains(end)) return errors::InvalidArgument(FullName(fetches[i]), " is both fed and fetched.");
      RunNode node;
      node.kind = RunNode::Kind::kRetval;
      node.id = end.node;
      node.name = EndName("_retval_", end, i);
      node.op = "_Retval";
      node.slot = static_cast<int>(i);
      node.input_types = {RemoveRef(dtype)};
      node.inputs = {{Need(end.node), end.port}};
      result_.nodes.push_back(std::move(node));
    }
    return Status::OK();
  }

  Status AddTargets(const std::vector<std::string>& targets) {
    std::string missing;
    for (const std::string& target : targets) {
      // A target may be written with an output ("z:0"): its node is meant.
      NodeId id = graph_.Find(target);
      if (!id.valid()) id = graph_.Find(ParseTensorName(target).node);
      if (id.valid()) {
        Need(id);
      } else {
        missing += target + " ";
      }
    }
    if (missing.empty()) return Status::OK();
    return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing);
  }

  // The index of a graph node in the run; it is put at the end when it wasn't there.
  uint32_t Need(NodeId id) {
    const auto [it, is_new] = index_.emplace(id.value, static_cast<uint32_t>(result_.nodes.size()));
    if (is_new) {
      RunNode node;
      node.id = id;
      node.name = graph_.node(id).name();
      node.op = graph_.node(id).op();
      result_.nodes.push_back(std::move(node));
    }
    return it->second;
  }

  Status ConnectInputs(uint32_t index) {
    const NodeId id = result_.nodes[index].id;
    std::vector<DataType> input_types, output_types;
    OS_RETURN_IF_ERROR(Types(id, &input_types, &output_types));
    const Node& node = graph_.node(id);
    std::vector<RunNode::Input> inputs(input_types.size());
    std::vector<uint32_t> controls;
    size_t found = 0;
    for (const InEdge& edge : node.in_edges) {
      if (edge.src_output == TensorId::kControlSlot) {
        controls.push_back(ControlSource(edge.src));
      } else if (static_cast<size_t>(edge.dst_input) < inputs.size()) {
        inputs[static_cast<size_t>(edge.dst_input)] = DataSource({edge.src, edge.src_output});
        ++found;
      }
    }
    if (found < inputs.size()) {
      Status status = errors::InvalidArgument("Incomplete graph, missing ", inputs.size() - found, " inputs for ", node.name());
      return status.AddNode(node.name());
    }
    std::sort(controls.begin(), controls.end());
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
    RunNode& run_node = result_.nodes[index];
    run_node.inputs = std::move(inputs);
    run_node.control_inputs = std::move(controls);
    run_node.input_types = std::move(input_types);
    run_node.output_types = std::move(output_types);
    return Status::OK();
  }

  RunNode::Input DataSource(const Endpoint& end) {
    const auto fed = fed_.find(end);
    if (fed != fed_.end()) return {fed->second, 0};
    return {Need(end.node), end.port};
  }

  // Waiting for a fed placeholder is waiting for its value; other fed nodes run when something waits for them.
  uint32_t ControlSource(NodeId src) {
    const std::string& op = graph_.node(src).op();
    if (op == "Placeholder" || op == "PlaceholderV2") {
      const auto fed = fed_.find({src, 0});
      if (fed != fed_.end()) return fed->second;
    }
    return Need(src);
  }

  Status Sort();

  const Graph& graph_;
  OpLookup ops_;
  RunGraph result_;
  std::map<Endpoint, uint32_t> fed_;
  std::unordered_map<uint32_t, uint32_t> index_;
};

// The order of TopologicalOrder (topology.h): among the nodes that could come next that of the lowest id.
Status Builder::Sort() {
  auto& nodes = result_.nodes;
  const size_t n = nodes.size();
  std::vector<std::vector<uint32_t>> out(n);
  std::vector<int> pending(n, 0);
  const auto link = [&](uint32_t src, uint32_t dst) {
    if (IsNextIteration(nodes[src].op) && IsMerge(nodes[dst].op)) return;
    out[src].push_back(dst);
    ++pending[dst];
  };
  for (uint32_t i = 0; i < n; ++i) {
    for (const auto& input : nodes[i].inputs) link(input.src, i);
    for (const uint32_t src : nodes[i].control_inputs) link(src, i);
  }
  const auto later = [&](uint32_t a, uint32_t b) {
    return std::make_pair(nodes[a].id, a) > std::make_pair(nodes[b].id, b);
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> next(later);
  for (uint32_t i = 0; i < n; ++i) {
    if (pending[i] == 0) next.push(i);
  }
  std::vector<uint32_t> order;
  order.reserve(n);
  while (!next.empty()) {
    const uint32_t src = next.top();
    next.pop();
    order.push_back(src);
    for (const uint32_t dst : out[src]) {
      if (--pending[dst] == 0) next.push(dst);
    }
  }
  if (order.size() != n) return errors::InvalidArgument(n - order.size(), " nodes in a cycle");
  std::vector<uint32_t> position(n);
  for (uint32_t i = 0; i < n; ++i) position[order[i]] = i;
  std::vector<RunNode> sorted;
  sorted.reserve(n);
  for (const uint32_t i : order) sorted.push_back(std::move(nodes[i]));
  for (RunNode& node : sorted) {
    for (auto& input : node.inputs) input.src = position[input.src];
    for (auto& src : node.control_inputs) src = position[src];
  }
  nodes = std::move(sorted);
  return Status::OK();
}

}  // namespace

StatusOr<RunGraph> BuildRunGraph(const Graph& graph, const std::vector<std::string>& feeds,
                                 const std::vector<std::string>& fetches, const std::vector<std::string>& targets) {
  Builder builder(graph);
  OS_RETURN_IF_ERROR(builder.Build(feeds, fetches, targets));
  return builder.Take();
}

}  // namespace opscope
