#include "engine/runtime/placer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/op_lookup.h"
#include "engine/graph/topology.h"

namespace opscope {
namespace {

constexpr std::string_view kClassAttr = "_class";
constexpr std::string_view kClassPrefix = "loc:@";

// Adds what `other` says to `into`; the first field that both set differently is an error, or stays as it is.
Status MergeDevices(const ParsedDeviceName& other, bool keep_on_conflict, ParsedDeviceName* into) {
  ParsedDeviceName merged = *into;
  const auto conflict = [&](const char* what) -> Status {
    return errors::InvalidArgument("Cannot merge devices with incompatible ", what, ": '", into->ToString(), "' and '",
                                   other.ToString(), "'");
  };
  Status status;
  const auto merge = [&](const char* what, bool other_has, const auto& other_value, bool* has, auto* value) {
    if (!other_has) return;
    if (*has && *value != other_value && !keep_on_conflict && status.ok()) status = conflict(what);
    if (!*has) *value = other_value;
    *has = true;
  };
  merge("jobs", other.has_job, other.job, &merged.has_job, &merged.job);
  merge("replicas", other.has_replica, other.replica, &merged.has_replica, &merged.replica);
  merge("tasks", other.has_task, other.task, &merged.has_task, &merged.task);
  merge("types", other.has_type, other.type, &merged.has_type, &merged.type);
  merge("ids", other.has_id, other.id, &merged.has_id, &merged.id);
  if (status.ok()) *into = std::move(merged);
  return status;
}

struct Group {
  ParsedDeviceName request;
  uint32_t size = 1;
  uint32_t rank = 0;      ///< Depth of its tree, which decides who is named first in a message.
  bool is_soft = false;   ///< Its members' wishes can't be met together.
  Device* fixed = nullptr;  ///< Where its first node went.
};

class Placement {
 public:
  Placement(const Graph& graph, const DeviceMgr& devices, const PlacerOptions& options)
      : graph_(graph), devices_(devices), options_(options), ops_(OpRegistry::Global(), graph.library()),
        ids_(graph.NodeIds()), parent_(graph.num_ids()), groups_(graph.num_ids()), why_(graph.num_ids()),
        placed_(graph.num_ids()), is_generator_(graph.num_ids(), false) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    why_.assign(graph.num_ids(), PlacementRule::kDefault);
  }

  Status Run() {
    for (const NodeId id : ids_) OS_RETURN_IF_ERROR(ReadRequest(id));
    for (const NodeId id : ids_) JoinReferences(id);
    for (const NodeId id : ids_) OS_RETURN_IF_ERROR(JoinColocated(id));
    std::vector<Device*> found;
    bool is_soft = false;
    for (const NodeId id : ids_) OS_RETURN_IF_ERROR(Possible(id, &found, &is_soft));
    for (const NodeId id : ids_) is_generator_[id.index()] = IsGenerator(id);
    // Generators come last, so that they can see where their consumers are.
    const std::vector<NodeId> order = Order();
    for (const NodeId id : order) {
      if (!is_generator_[id.index()]) OS_RETURN_IF_ERROR(Assign(id));
    }
    for (const NodeId id : order) {
      if (is_generator_[id.index()]) OS_RETURN_IF_ERROR(Assign(id));
    }
    return Status::OK();
  }

  std::vector<PlacedNode> Take() { return std::move(placed_); }

 private:
  uint32_t Find(uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  Status ReadRequest(NodeId id) {
    const Node& node = graph_.node(id);
    if (ParsedDeviceName::Parse(node.def.device(), &groups_[id.index()].request)) return Status::OK();
    // TensorFlow numbers nodes behind its source and sink.
    Status status = errors::InvalidArgument("Malformed device specification '", node.def.device(), "' in node: {name:'",
                                            node.name(), "' id:", id.value + 2, " op device:{requested: '",
                                            node.def.device(), "', assigned: ''} def:{", SummarizeNodeDef(node.def), "}}");
    return status.AddNode(node.name());
  }

  // Makes one group of two. A conflict is an error, or the wish of `a`'s group holds.
  Status Join(uint32_t a, uint32_t b, bool a_wins) {
    a = Find(a);
    b = Find(b);
    if (a == b) return Status::OK();
    const uint32_t root = groups_[a].rank < groups_[b].rank ? b : a;
    const uint32_t child = root == a ? b : a;
    Group& group = groups_[root];
    if (group.rank == groups_[child].rank) ++group.rank;
    Status status;
    if (a_wins) {
      ParsedDeviceName merged = groups_[a].request;
      status = MergeDevices(groups_[b].request, true, &merged);
      group.request = std::move(merged);
    } else {
      status = MergeDevices(groups_[child].request, false, &group.request);
    }
    if (!status.ok() && options_.allow_soft_placement) {
      group.is_soft = true;
      status = Status::OK();
    }
    group.is_soft |= groups_[child].is_soft;
    group.size += groups_[child].size;
    parent_[child] = root;
    return status;
  }

  // What works on a variable's memory or a resource has to be where that is.
  void JoinReferences(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<DataType> inputs, outputs;
    const OpDef* op = ops_.Find(node.op());
    if (!op || !InOutTypesForNode(node.def, *op, &inputs, &outputs).ok()) return;
    for (const InEdge& edge : node.in_edges) {
      if (edge.dst_input < 0 || static_cast<size_t>(edge.dst_input) >= inputs.size()) continue;
      const DataType type = inputs[static_cast<size_t>(edge.dst_input)];
      if (!IsRefType(type) && type != DT_RESOURCE) continue;
      why_[id.index()] = IsRefType(type) ? PlacementRule::kReference : PlacementRule::kResource;
      if (type == DT_RESOURCE && why_[edge.src.index()] == PlacementRule::kDefault) {
        why_[edge.src.index()] = PlacementRule::kResource;
      }
      // With a_wins there is no conflict.
      static_cast<void>(Join(edge.src.value, id.value, /*a_wins=*/true).ok());
    }
  }

  Status JoinColocated(NodeId id) {
    const Node& node = graph_.node(id);
    by_class_.emplace(node.name(), id);
    const AttrValue* attr = FindAttr(node.def, kClassAttr);
    if (!attr) return Status::OK();
    for (const std::string& text : attr->list().s()) {
      if (!text.starts_with(kClassPrefix)) continue;
      const std::string name = text.substr(kClassPrefix.size());
      const NodeId named = graph_.Find(name);
      const auto [it, is_first] = by_class_.emplace(name, named.valid() ? named : id);
      if (it->second == id) continue;
      if (why_[id.index()] == PlacementRule::kDefault) why_[id.index()] = PlacementRule::kColocated;
      const Status status = Join(id.value, it->second.value, /*a_wins=*/false);
      if (status.ok()) continue;
      const auto quote = [](const std::string& n) { return "{{colocation_node " + n + "}}"; };
      Status full = status.Prepend(StrCat("Cannot colocate nodes ", quote(node.name()), " and ",
                                          quote(graph_.node(it->second).name()), ": "))
                        .Append(StrCat("\n\t [[", FormatNodeForError(node.name()), "]]"));
      return full.AddNode(node.name());
    }
    return Status::OK();
  }

  // Where a node may be: what its group asks for or, for want of that, what soft placement leaves.
  Status Possible(NodeId id, std::vector<Device*>* found, bool* is_soft) {
    const Node& node = graph_.node(id);
    const Group& group = groups_[Find(id.value)];
    *is_soft = false;
    *found = group.is_soft ? std::vector<Device*>() : devices_.Matching(group.request);
    if (found->empty() && options_.allow_soft_placement) {
      ParsedDeviceName request = group.request;
      request.has_type = request.has_id = false;
      *found = devices_.Matching(request);
      *is_soft = true;
    }
    if (!found->empty()) return Status::OK();
    Status status = errors::InvalidArgument(
        "Cannot assign a device for operation ", node.name(), ": ", FormatNodeForError(node.name()),
        " was explicitly assigned to ", group.request.ToString(), " but available devices are ", devices_.NamesText(),
        ". Make sure the device specification refers to a valid device.\n\t [[", FormatNodeForError(node.name()), "]]");
    return status.AddNode(node.name());
  }

  // Colocated nodes go where the first of them went. One that has a choice prefers its neighbours' device.
  Status Assign(NodeId id) {
    std::vector<Device*> found;
    bool is_soft = false;
    OS_RETURN_IF_ERROR(Possible(id, &found, &is_soft));
    Group& group = groups_[Find(id.value)];
    if (group.fixed) found = {group.fixed};
    PlacedNode& placed = placed_[id.index()];
    placed.rule = is_soft ? PlacementRule::kSoft : Rule(id);
    placed.device = found.front();
    PlacementRule preference = PlacementRule::kDefault;
    Device* const preferred = Preferred(id, &preference);
    if (preferred && std::find(found.begin(), found.end(), preferred) != found.end()) {
      // A wish that leaves a choice leaves it to the neighbours.
      const bool decides = placed.rule == PlacementRule::kDefault || (placed.rule == PlacementRule::kRequested && preferred != placed.device);
      placed.device = preferred;
      if (decides) placed.rule = preference;
    }
    group.fixed = placed.device;
    return Status::OK();
  }

  PlacementRule Rule(NodeId id) {
    ParsedDeviceName own;
    const std::string& requested = graph_.node(id).def.device();
    const bool asks = !requested.empty() && ParsedDeviceName::Parse(requested, &own);
    const auto found = asks ? devices_.Matching(own) : std::vector<Device*>();
    // A wish that the group overrode didn't decide.
    if (asks && own.IsSpecificationOf(groups_[Find(id.value)].request)) return PlacementRule::kRequested;
    if (asks && groups_[Find(id.value)].size == 1) return PlacementRule::kRequested;
    return why_[id.index()];
  }

  std::vector<NodeId> Order() const {
    auto order = TopologicalOrder(graph_);
    return order.ok() ? std::move(order).value() : ids_;
  }

  // Ops that look at no data but only at what it is like go to their input; what has no inputs goes to its consumers when
  // these agree. A neighbour that has no device yet says nothing.
  Device* Preferred(NodeId id, PlacementRule* rule) const {
    static constexpr std::array<std::string_view, 3> kMetadataOps = {"Shape", "Size", "Rank"};
    const Node& node = graph_.node(id);
    if (is_generator_[id.index()]) {
      *rule = PlacementRule::kFollowsConsumer;
      Device* const device = node.out_edges.empty() ? nullptr : placed_[node.out_edges[0].dst.index()].device;
      const bool agree = std::all_of(node.out_edges.begin(), node.out_edges.end(),
                                     [&](const OutEdge& edge) { return placed_[edge.dst.index()].device == device; });
      return agree ? device : nullptr;
    }
    *rule = PlacementRule::kFollowsInput;
    if (std::find(kMetadataOps.begin(), kMetadataOps.end(), node.op()) == kMetadataOps.end()) return nullptr;
    for (const InEdge& edge : node.in_edges) {
      if (edge.dst_input == 0) return placed_[edge.src.index()].device;
    }
    return nullptr;
  }

  // One output that isn't a reference, and no data that goes in.
  bool IsGenerator(NodeId id) const {
    const Node& node = graph_.node(id);
    std::vector<DataType> inputs, outputs;
    const OpDef* op = ops_.Find(node.op());
    if (!op || !InOutTypesForNode(node.def, *op, &inputs, &outputs).ok()) return false;
    return inputs.empty() && outputs.size() == 1 && !IsRefType(outputs[0]);
  }

  const Graph& graph_;
  const DeviceMgr& devices_;
  const PlacerOptions& options_;
  OpLookup ops_;
  const std::vector<NodeId> ids_;
  std::vector<uint32_t> parent_;
  std::vector<Group> groups_;
  std::vector<PlacementRule> why_;
  std::vector<PlacedNode> placed_;
  std::vector<bool> is_generator_;
  std::unordered_map<std::string, NodeId> by_class_;
};

}  // namespace

std::string_view PlacementRuleName(PlacementRule rule) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "requested",     "colocated",   "reference", "resource", "follows_consumer",
      "follows_input", "only_kernel", "soft",      "default"};
  return kNames[static_cast<size_t>(rule)];
}

StatusOr<std::vector<PlacedNode>> PlaceGraph(const Graph& graph, const DeviceMgr& devices, const PlacerOptions& options) {
  Placement placement(graph, devices, options);
  OS_RETURN_IF_ERROR(placement.Run());
  return placement.Take();
}

}  // namespace opscope
