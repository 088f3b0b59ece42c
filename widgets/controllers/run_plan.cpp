#include "widgets/controllers/run_plan.h"

#include <algorithm>
#include <queue>

#include <QImage>

#include "engine/base/text.h"
#include "engine/document/feed.h"
#include "engine/document/wiring.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/cycles.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

bool isVariableOp(const std::string& op) {
  return op == "VariableV2" || op == "Variable" || op == "VarHandleOp" || op == "TemporaryVariable";
}

bool isAssign(const std::string& op) { return op == "Assign" || op == "AssignVariableOp"; }

/// Whether what `id` reads comes from a variable or a Placeholder.
bool dependsOnState(const Graph& graph, NodeId id) {
  std::set<NodeId> seen = {id};
  std::vector<NodeId> work = {id};
  while (!work.empty()) {
    const Node& node = graph.node(work.back());
    work.pop_back();
    if (isVariableOp(node.op()) || node.op().starts_with("Placeholder") || node.op().starts_with("Restore")) return true;
    for (const InEdge& edge : node.in_edges)
      if (edge.dst_input != TensorId::kControlSlot && seen.insert(edge.src).second) work.push_back(edge.src);
  }
  return false;
}

bool isIncompleteItself(const Node& node) {
  const OpRegistrationData* data = OpRegistry::Global().Find(node.op());
  if (data == nullptr) return false;
  const int wired = NumDataInputs(node.def);
  for (int i = 0; i < wired; ++i)
    if (node.def.input(i).empty()) return true;
  if (wired < NumInputs(node.def, data->op_def)) return true;
  for (const tensorflow::OpDef::AttrDef& attr : data->op_def.attr())
    if (!attr.has_default_value() && IsInputTypeAttr(data->op_def, attr.name()) && !node.def.attr().contains(attr.name()))
      return true;
  return false;
}

bool hasValueToShow(const tensorflow::NodeDef& def, const tensorflow::OpDef& op, int output) {
  const std::optional<DataType> type = OutputType(def, op, output);
  return !type || (RemoveRef(*type) != DT_RESOURCE && RemoveRef(*type) != DT_VARIANT);
}

/// What reading output 0 of a muted node gives: its first data input; "" when it has none.
std::string bypass(const Graph& graph, const std::set<std::string>& muted, std::string input) {
  // Muted nodes in a row; the number of steps is that of muted nodes at most.
  for (size_t steps = 0; steps <= muted.size(); ++steps) {
    const TensorId id = ParseTensorName(input);
    if (id.is_control() || !muted.contains(std::string(id.node))) return input;
    const NodeId node = graph.Find(id.node);
    if (!node.valid() || NumDataInputs(graph.node(node).def) == 0) return {};
    input = graph.node(node).def.input(0);
  }
  return {};
}

/// Whether somebody reads an output, also through muted nodes.
bool isRead(const Graph& graph, NodeId id, const std::set<std::string>& muted) {
  std::set<NodeId> seen = {id};
  std::vector<NodeId> work = {id};
  while (!work.empty()) {
    const NodeId at = work.back();
    work.pop_back();
    for (const OutEdge& edge : graph.node(at).out_edges) {
      if (edge.src_output == TensorId::kControlSlot) continue;
      if (!muted.contains(graph.node(edge.dst).name())) return true;
      if (seen.insert(edge.dst).second) work.push_back(edge.dst);
    }
  }
  return false;
}

/// The nodes of these tensors and all that they need.
std::vector<bool> upstreamOf(const Graph& graph, const std::vector<std::string>& tensors) {
  std::vector<bool> needed(graph.num_ids(), false);
  std::vector<NodeId> work;
  const auto need = [&](NodeId id) {
    if (!id.valid() || needed[id.index()]) return;
    needed[id.index()] = true;
    work.push_back(id);
  };
  for (const std::string& tensor : tensors) need(graph.Find(ParseTensorName(tensor).node));
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    for (const InEdge& edge : graph.node(id).in_edges) need(edge.src);
  }
  return needed;
}

StatusOr<Tensor> readImage(const std::string& file, const tensorflow::NodeDef& node, const std::string& tensor) {
  QImage image(toQString(file));
  if (image.isNull()) return errors::InvalidArgument(file, ": no image that can be read");
  const PartialTensorShape declared = DeclaredShape(node);
  const bool gray = declared.dims() > 0 && declared.dim_size(declared.dims() - 1) == 1;
  image = image.convertToFormat(gray ? QImage::Format_Grayscale8 : QImage::Format_RGB888);
  const int64_t channels = gray ? 1 : 3;
  std::vector<int64_t> dims = {image.height(), image.width(), channels};
  if (declared.dims() == 4) dims.insert(dims.begin(), 1);
  OS_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  OS_ASSIGN_OR_RETURN(Tensor bytes, Tensor::Make(DT_UINT8, shape));
  auto out = bytes.flat<uint8_t>().begin();
  for (int y = 0; y < image.height(); ++y) out = std::copy_n(image.constScanLine(y), image.width() * channels, out);
  const DataType dtype = DeclaredType(node);
  OS_RETURN_IF_ERROR(CheckFedShape(bytes.shape(), declared, tensor));
  if (dtype == DT_FLOAT) {
    // As image pipelines do: 0 to 1.
    OS_ASSIGN_OR_RETURN(Tensor floats, Tensor::Make(DT_FLOAT, shape));
    std::transform(bytes.flat<uint8_t>().begin(), bytes.flat<uint8_t>().end(), floats.flat<float>().begin(),
                   [](uint8_t b) { return static_cast<float>(b) / 255.0f; });
    return floats;
  }
  return ConvertFeed(bytes, dtype);
}

bool isImageFile(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name.ends_with(".png") || name.ends_with(".jpg") || name.ends_with(".jpeg") || name.ends_with(".bmp") ||
         name.ends_with(".gif") || name.ends_with(".ppm") || name.ends_with(".pgm");
}

}  // namespace

std::vector<NodeId> initialisers(const Graph& graph) {
  std::vector<NodeId> found;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (!isAssign(node.op())) return;
    for (const InEdge& edge : node.in_edges)
      if (edge.dst_input == 1 && !dependsOnState(graph, edge.src)) found.push_back(id);
  });
  return found;
}

std::vector<bool> incompleteNodes(const Graph& graph) {
  std::vector<bool> incomplete(graph.num_ids(), false);
  std::vector<NodeId> work;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (!isIncompleteItself(node)) return;
    incomplete[id.index()] = true;
    work.push_back(id);
  });
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (incomplete[edge.dst.index()]) continue;
      incomplete[edge.dst.index()] = true;
      work.push_back(edge.dst);
    }
  }
  return incomplete;
}

std::vector<std::string> sinkTensors(const Graph& graph, const std::set<std::string>& muted) {
  std::set<NodeId> initial;
  for (const NodeId id : initialisers(graph)) initial.insert(id);
  const std::vector<bool> incomplete = incompleteNodes(graph);
  std::vector<std::string> complete_ones, others, initial_ones;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    const OpRegistrationData* data = OpRegistry::Global().Find(node.op());
    if (data == nullptr || muted.contains(node.name()) || isVariableOp(node.op())) return;
    if (isRead(graph, id, muted) || node.op().starts_with("Save") || node.op().starts_with("Restore")) return;
    for (int i = 0; i < std::max(1, NumOutputs(node.def, data->op_def)); ++i) {
      if (data->op_def.output_arg_size() == 0 || !hasValueToShow(node.def, data->op_def, i)) continue;
      const std::string tensor = node.name() + ":" + std::to_string(i);
      (initial.contains(id) ? initial_ones : incomplete[id.index()] ? others : complete_ones).push_back(tensor);
    }
  });
  if (!complete_ones.empty()) return complete_ones;
  return !others.empty() ? others : initial_ones;
}

tensorflow::GraphDef sessionGraph(const Graph& graph, const std::set<std::string>& muted, const std::vector<std::string>& needed) {
  const std::vector<bool> incomplete = incompleteNodes(graph);
  const std::vector<bool> wanted = upstreamOf(graph, needed);
  tensorflow::GraphDef def = graph.ToGraphDefWithoutNodes();
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (muted.contains(node.name()) || (incomplete[id.index()] && !wanted[id.index()])) return;
    tensorflow::NodeDef* out = def.add_node();
    *out = node.def;
    out->clear_input();
    for (const std::string& input : node.def.input()) {
      const TensorId from = ParseTensorName(input);
      if (from.is_control() && muted.contains(std::string(from.node))) continue;
      std::string value = from.is_control() ? input : bypass(graph, muted, input);
      // From the first empty input on nothing counts: the session then says how many are missing.
      if (value.empty() && !from.is_control()) break;
      out->add_input(std::move(value));
    }
  });
  return def;
}

Status checkTensorName(const Graph& graph, const std::string& tensor) {
  const TensorId id = ParseTensorName(tensor);
  const NodeId node = graph.Find(id.node);
  const std::string missing = StrCat("The name '", Printable(tensor, 200), "' refers to a Tensor which does not exist. The operation, '",
                                     Printable(id.node, 200), "', ");
  if (!node.valid()) return errors::InvalidArgument(missing, "does not exist in the graph.");
  const OpRegistrationData* data = OpRegistry::Global().Find(graph.node(node).op());
  if (data == nullptr || id.index < NumOutputs(graph.node(node).def, data->op_def) || id.is_control()) return Status::OK();
  // A list whose length isn't known yet is left to the run.
  for (const tensorflow::OpDef::ArgDef& arg : data->op_def.output_arg())
    for (const std::string& attr : {arg.number_attr(), arg.type_list_attr()})
      if (!attr.empty() && !graph.node(node).def.attr().contains(attr)) return Status::OK();
  Status status = errors::InvalidArgument(missing, "exists but only has ", NumOutputs(graph.node(node).def, data->op_def), " outputs.");
  status.AddNode(graph.node(node).name());
  return status;
}

std::vector<std::string> unusedFeeds(const Graph& graph, const RunConfig& config, const std::vector<std::string>& needed) {
  const std::vector<bool> used = upstreamOf(graph, needed);
  std::vector<std::string> unused;
  for (const auto& [tensor, text] : config.feeds) {
    const NodeId id = graph.Find(ParseTensorName(tensor).node);
    if (!id.valid() || !used[id.index()]) unused.push_back(tensor);
  }
  return unused;
}

Status readFeeds(const Graph& graph, const RunConfig& config, Session::NamedTensors* feeds) {
  for (const auto& [tensor, text] : config.feeds) {
    const NodeId id = graph.Find(ParseTensorName(tensor).node);
    if (!id.valid() || config.muted.contains(graph.node(id).name())) continue;
    const std::string file = FeedFile(text);
    StatusOr<Tensor> value = !file.empty() && isImageFile(file) ? readImage(file, graph.node(id).def, tensor)
                                                                : ParseFeed(text, tensor, graph.node(id).def);
    if (!value.ok()) return value.status();
    feeds->emplace_back(tensor, *std::move(value));
  }
  return Status::OK();
}

SessionOptions sessionOptions(const SessionConfig& config) {
  SessionOptions options;
  options.target = config.target;
  for (const auto& [type, count] : config.devices) (*options.config.mutable_device_count())[type] = count;
  options.config.set_allow_soft_placement(config.soft_placement);
  options.config.set_inter_op_parallelism_threads(config.inter_op);
  // What a document asks for shall hold for it, whichever session of the process came first.
  options.config.set_use_per_session_threads(config.inter_op != 0);
  options.config.set_intra_op_parallelism_threads(config.intra_op);
  options.cpu_allocator = config.allocator;
  options.memory_limit_bytes = config.memory_limit_bytes;
  return options;
}

std::map<std::string, int> topologicalNumbers(const Graph& graph, const std::vector<std::string>& fetches) {
  const std::vector<bool> needed =
      fetches.empty() ? std::vector<bool>(graph.num_ids(), true) : upstreamOf(graph, fetches);
  std::vector<int> waiting(graph.num_ids(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  graph.ForEachNode([&](NodeId id, const Node& node) {
    if (!needed[id.index()]) return;
    for (const InEdge& edge : node.in_edges)
      if (needed[edge.src.index()] && !IsBackEdge(graph, id, edge)) ++waiting[id.index()];
    if (waiting[id.index()] == 0) ready.push(id);
  });
  std::map<std::string, int> numbers;
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    numbers.emplace(graph.node(id).name(), static_cast<int>(numbers.size()) + 1);
    for (const OutEdge& edge : graph.node(id).out_edges) {
      if (!needed[edge.dst.index()]) continue;
      const auto& in_edges = graph.node(edge.dst).in_edges;
      if (IsBackEdge(graph, edge.dst, in_edges[edge.peer])) continue;
      if (--waiting[edge.dst.index()] == 0) ready.push(edge.dst);
    }
  }
  return numbers;
}

}  // namespace opscope::ui
