#include "engine/graph/graph.h"

#include <algorithm>

namespace opscope {

TensorId ParseTensorName(std::string_view name) {
  if (!name.empty() && name.front() == '^') return {name.substr(1), TensorId::kControlSlot};
  // The output number is what stands after the last colon, if that is a number.
  const size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {name, 0};
  const std::string_view digits = name.substr(colon + 1);
  if (digits.empty() || digits.size() > 9) return {name, 0};
  int index = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {name, 0};
    index = index * 10 + (c - '0');
  }
  return {name.substr(0, colon), index};
}

std::string TensorIdToString(std::string_view node, int index) {
  if (index == TensorId::kControlSlot) return StrCat("^", node);
  return index == 0 ? std::string(node) : StrCat(node, ":", index);
}

uint64_t GraphOwner::NewId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// ---------------------------------------------------------------------------------------------- whole graphs

Graph Graph::FromGraphDef(GraphDef def) {
  Graph graph;
  graph.AppendAll(&def);
  if (def.has_library()) graph.set_library(std::move(*def.mutable_library()));
  if (def.has_versions()) graph.set_versions(std::move(*def.mutable_versions()));
  def.clear_node();
  def.clear_library();
  def.clear_versions();
  graph.rest_ = std::move(def);
  graph.version_ = 0;
  return graph;
}

void Graph::AppendAll(GraphDef* def) {
  const auto count = static_cast<size_t>(def->node_size());
  nodes_.reserve(count);
  by_name_.reserve(count);
  for (NodeDef& node_def : *def->mutable_node()) {
    auto node = std::make_shared<Node>();
    node->def = std::move(node_def);
    node->owner = owner_.id();
    const NodeId id(nodes_.size());
    nodes_.push_back(std::move(node));
    ++num_alive_;
    by_name_[nodes_.back()->def.name()].push_back(id);
  }
  for (size_t i = 0; i < nodes_.size(); ++i) Link(NodeId(i));
}

GraphDef Graph::ToGraphDefWithoutNodes() const {
  GraphDef def = rest_;
  if (has_library_) *def.mutable_library() = *library_;
  if (has_versions_) *def.mutable_versions() = versions_;
  return def;
}

GraphDef Graph::ToGraphDef() const {
  GraphDef def = ToGraphDefWithoutNodes();
  def.mutable_node()->Reserve(static_cast<int>(num_alive_));
  ForEachNode([&](NodeId, const Node& node) { *def.add_node() = node.def; });
  return def;
}

void Graph::set_library(FunctionDefLibrary library) {
  library_ = std::make_shared<const FunctionDefLibrary>(std::move(library));
  has_library_ = true;
  ++version_;
}

void Graph::set_versions(VersionDef versions) {
  versions_ = std::move(versions);
  has_versions_ = true;
  ++version_;
}

void Graph::SetSource(NodeId id, std::shared_ptr<const std::string> buffer, std::string_view bytes) {
  if (!has(id)) return;
  Node& node = Mutable(id);
  node.source_buffer = std::move(buffer);
  node.source_bytes = bytes;
}

// ---------------------------------------------------------------------------------------------- looking

NodeId Graph::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? NodeId() : found->second.front();
}

std::vector<NodeId> Graph::NodeIds() const {
  std::vector<NodeId> ids;
  ids.reserve(num_alive_);
  ForEachNode([&](NodeId id, const Node&) { ids.push_back(id); });
  return ids;
}

Node& Graph::Mutable(NodeId id) {
  NodePtr& node = Slot(id);
  if (node->owner != owner_.id()) {
    node = std::make_shared<Node>(*node);
    node->owner = owner_.id();
  }
  return *node;
}

// ---------------------------------------------------------------------------------------------- changes

StatusOr<NodeId> Graph::AddNode(NodeDef def) {
  if (def.name().empty()) return errors::InvalidArgument("A node needs a name (op ", def.op(), ")");
  if (Find(def.name()).valid()) return errors::AlreadyExists("Node '", def.name(), "' is not unique");
  const NodeId id(nodes_.size());
  nodes_.emplace_back();
  auto node = std::make_shared<Node>();
  node->def = std::move(def);
  Place(id, std::move(node));
  return id;
}

Status Graph::RestoreNode(NodeId id, NodeDef def, std::shared_ptr<const std::string> source_buffer,
                          std::string_view source_bytes) {
  if (!id.valid() || has(id)) return errors::FailedPrecondition("Node '", def.name(), "': its place is taken");
  if (id.index() >= nodes_.size()) nodes_.resize(id.index() + 1);
  auto node = std::make_shared<Node>();
  node->def = std::move(def);
  node->source_buffer = std::move(source_buffer);
  node->source_bytes = source_bytes;
  Place(id, std::move(node));
  return Status::OK();
}

void Graph::Place(NodeId id, NodePtr node) {
  GraphBatch batch(this);
  node->owner = owner_.id();
  Slot(id) = std::move(node);
  ++num_alive_;
  ++version_;
  IndexName(id);
  pending_.insert(id);
}

Status Graph::RemoveNode(NodeId id) {
  if (!has(id)) return errors::NotFound("No node with id ", id.value);
  GraphBatch batch(this);
  Touch(id);
  UnindexName(id);
  pending_.erase(id);
  Slot(id).reset();
  --num_alive_;
  ++version_;
  return Status::OK();
}

Status Graph::ReplaceNode(NodeId id, NodeDef def) {
  if (!has(id)) return errors::NotFound("No node with id ", id.value);
  if (def.name().empty()) return errors::InvalidArgument("A node needs a name (op ", def.op(), ")");
  const bool renamed = def.name() != node(id).name();
  if (renamed && Find(def.name()).valid()) return errors::AlreadyExists("Node '", def.name(), "' is not unique");
  GraphBatch batch(this);
  Touch(id);
  if (renamed) UnindexName(id);
  Node& node = Mutable(id);
  node.def = std::move(def);
  node.source_buffer.reset();
  node.source_bytes = {};
  if (renamed) IndexName(id);
  ++version_;
  return Status::OK();
}

// ---------------------------------------------------------------------------------------------- edges

void Graph::EndBatch() {
  if (--batch_depth_ == 0) Flush();
}

void Graph::Touch(NodeId id) {
  if (pending_.insert(id).second) UnlinkInputs(id);
}

void Graph::TouchReaders(NodeId id) {
  // Touching a reader takes its edges off this very list.
  while (!node(id).out_edges.empty()) {
    const NodeId reader = node(id).out_edges.back().dst;
    pending_.insert(reader);
    UnlinkInputs(reader);
  }
}

void Graph::TouchDangling(std::string_view name) {
  const auto found = dangling_.find(name);
  if (found == dangling_.end()) return;
  const std::vector<NodeId> readers(found->second.begin(), found->second.end());
  for (const NodeId reader : readers) Touch(reader);
}

void Graph::Flush() {
  std::vector<NodeId> ids(pending_.begin(), pending_.end());
  pending_.clear();
  std::sort(ids.begin(), ids.end());
  for (const NodeId id : ids) {
    if (has(id)) Link(id);
  }
}

void Graph::Link(NodeId id) {
  Node& reader = Mutable(id);
  int position = 0;
  for (const std::string& input : reader.def.input()) {
    const TensorId tensor = ParseTensorName(input);
    const int dst_input = tensor.is_control() ? TensorId::kControlSlot : position++;
    const NodeId src = Find(tensor.node);
    if (!src.valid()) {
      dangling_[std::string(tensor.node)].insert(id);
      continue;
    }
    Node& source = src == id ? reader : Mutable(src);
    const auto in_place = static_cast<uint32_t>(reader.in_edges.size());
    const auto out_place = static_cast<uint32_t>(source.out_edges.size());
    reader.in_edges.push_back({src, tensor.index, dst_input, out_place});
    source.out_edges.push_back({id, tensor.index, dst_input, in_place});
    ++num_edges_;
  }
}

void Graph::UnlinkInputs(NodeId id) {
  const Node& old = node(id);
  if (old.in_edges.size() != static_cast<size_t>(old.def.input_size())) {
    for (const std::string& input : old.def.input()) {
      const auto found = dangling_.find(ParseTensorName(input).node);
      if (found == dangling_.end()) continue;
      found->second.erase(id);
      if (found->second.empty()) dangling_.erase(found);
    }
  }
  // Through the node anew at each step: a loop to itself changes its own list of out-edges.
  while (!node(id).in_edges.empty()) {
    const InEdge edge = node(id).in_edges.back();
    Mutable(id).in_edges.pop_back();
    RemoveOutEdge(edge.src, edge.peer);
    --num_edges_;
  }
}

void Graph::RemoveOutEdge(NodeId src, uint32_t place) {
  Node& source = Mutable(src);
  const auto last = static_cast<uint32_t>(source.out_edges.size() - 1);
  if (place != last) {
    const OutEdge moved = source.out_edges[last];
    source.out_edges[place] = moved;
    Node& reader = moved.dst == src ? source : Mutable(moved.dst);
    reader.in_edges[moved.peer].peer = place;
  }
  source.out_edges.pop_back();
}

// ---------------------------------------------------------------------------------------------- names

void Graph::IndexName(NodeId id) {
  const std::string name = node(id).name();  // A copy: touching may replace the node.
  TouchDangling(name);
  std::vector<NodeId>& ids = by_name_[name];
  const auto place = std::lower_bound(ids.begin(), ids.end(), id);
  const bool is_first = place == ids.begin();
  if (is_first && !ids.empty()) TouchReaders(ids.front());
  ids.insert(place, id);
}

void Graph::UnindexName(NodeId id) {
  TouchReaders(id);
  const auto found = by_name_.find(node(id).name());
  if (found == by_name_.end()) return;
  std::vector<NodeId>& ids = found->second;
  const auto place = std::lower_bound(ids.begin(), ids.end(), id);
  if (place != ids.end() && *place == id) ids.erase(place);
  if (ids.empty()) by_name_.erase(found);
}

}  // namespace opscope
