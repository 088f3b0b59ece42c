#include "app/cli/run_feeds.h"

#include <Eigen/Core>
#include <algorithm>
#include <set>

#include "app/cli/command.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/function_calls.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/op_lookup.h"
#include "engine/io/json_tensor.h"
#include "engine/io/npy.h"

namespace opscope::cli {
namespace {

// NumPy's astype for the types that people mix up.
template <typename From, typename To>
void ConvertElements(const Tensor& from, Tensor* to) {
  const auto source = from.flat<From>();
  const auto target = to->flat<To>();
  for (size_t i = 0; i < source.size(); ++i) target[i] = static_cast<To>(source[i]);
}

template <typename From>
bool ConvertFrom(const Tensor& from, Tensor* to) {
  switch (to->dtype()) {
    case DT_FLOAT: ConvertElements<From, float>(from, to); return true;
    case DT_DOUBLE: ConvertElements<From, double>(from, to); return true;
    case DT_HALF: ConvertElements<From, half>(from, to); return true;
    case DT_BFLOAT16: ConvertElements<From, bfloat16>(from, to); return true;
    case DT_INT8: ConvertElements<From, int8_t>(from, to); return true;
    case DT_INT16: ConvertElements<From, int16_t>(from, to); return true;
    case DT_INT32: ConvertElements<From, int32_t>(from, to); return true;
    case DT_INT64: ConvertElements<From, int64_t>(from, to); return true;
    case DT_UINT8: ConvertElements<From, uint8_t>(from, to); return true;
    case DT_UINT16: ConvertElements<From, uint16_t>(from, to); return true;
    default: return false;
  }
}

// The value in the type that the tensor has; the session reports what can't be converted.
Tensor ConvertTo(DataType dtype, const Tensor& tensor) {
  if (tensor.dtype() == dtype) return tensor;
  auto made = Tensor::Make(dtype, tensor.shape());
  if (!made.ok()) return tensor;
  bool done = false;
  switch (tensor.dtype()) {
    case DT_FLOAT: done = ConvertFrom<float>(tensor, &*made); break;
    case DT_DOUBLE: done = ConvertFrom<double>(tensor, &*made); break;
    case DT_INT32: done = ConvertFrom<int32_t>(tensor, &*made); break;
    case DT_INT64: done = ConvertFrom<int64_t>(tensor, &*made); break;
    case DT_UINT8: done = ConvertFrom<uint8_t>(tensor, &*made); break;
    default: break;
  }
  return done ? std::move(made).value() : tensor;
}

/// What the graph says about a tensor.
struct StaticTensor {
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
};

StaticTensor Describe(const Graph& graph, const std::string& name) {
  StaticTensor described;
  const TensorId id = ParseTensorName(name);
  const NodeId node_id = graph.Find(id.node);
  if (!node_id.valid()) return described;
  NodeDef def = graph.node(node_id).def;
  const OpLookup ops(OpRegistry::Global(), graph.library());
  std::vector<DataType> inputs, outputs;
  if (const OpDef* op = ops.Find(def.op())) {
    AddDefaultAttrs(*op, &def);
    if (InOutTypesForNode(def, *op, &inputs, &outputs).ok() && id.index >= 0 &&
        static_cast<size_t>(id.index) < outputs.size()) {
      described.dtype = RemoveRef(outputs[static_cast<size_t>(id.index)]);
    }
  }
  if (!def.op().starts_with("Placeholder") || !FindAttr(def, "shape")) return described;
  PartialTensorShape shape;
  if (!GetNodeAttr(def, "shape", &shape).ok()) return described;
  // Graphs before version 24 wrote a scalar where they knew no shape.
  constexpr int kShapesAreMeant = 24;
  const bool unsure = def.op() == "Placeholder" && shape.dims() == 0 && graph.versions().producer() < kShapesAreMeant;
  if (!unsure) described.shape = shape;
  return described;
}

std::string FullName(const std::string& name) {
  const TensorId id = ParseTensorName(name);
  return StrCat(id.node, ":", id.index);
}

const Signature* FindSignature(const LoadedGraph& loaded, const std::string& key) {
  for (const Signature& signature : loaded.signatures) {
    if (signature.key == key) return &signature;
  }
  return nullptr;
}

// A signature's key stands for its tensor.
std::string TensorNameOf(const std::vector<SignatureTensor>* tensors, const Graph& graph, const std::string& name) {
  if (!tensors || graph.Find(ParseTensorName(name).node).valid()) return name;
  for (const SignatureTensor& tensor : *tensors) {
    if (tensor.key == name) return tensor.name;
  }
  return name;
}

class Planner {
 public:
  Planner(const RunArguments& arguments, const LoadedGraph& loaded) : arguments_(arguments), loaded_(loaded) {}

  StatusOr<RunPlan> Make() {
    if (!arguments_.signature.empty()) {
      signature_ = FindSignature(loaded_, arguments_.signature);
      if (!signature_) return errors::NotFound(arguments_.file, ": no signature '", arguments_.signature, "'");
    }
    if (!arguments_.feeds_file.empty()) OS_RETURN_IF_ERROR(FeedFile());
    for (const std::string& feed : arguments_.feeds) OS_RETURN_IF_ERROR(FeedArgument(feed));
    plan_.targets = arguments_.targets;
    for (const std::string& fetch : arguments_.fetches) {
      plan_.fetches.push_back(TensorNameOf(signature_ ? &signature_->outputs : nullptr, loaded_.graph, fetch));
    }
    if (plan_.fetches.empty() && signature_) {
      for (const SignatureTensor& tensor : signature_->outputs) plan_.fetches.push_back(tensor.name);
    }
    if (plan_.fetches.empty() && plan_.targets.empty()) {
      OS_RETURN_IF_ERROR(CheckWholeGraph());
      plan_.fetches = UnreadOutputs(loaded_.graph);
    }
    if (plan_.fetches.empty() && plan_.targets.empty()) {
      return errors::InvalidArgument(arguments_.file, ": the graph has no output that nobody reads; name one with --fetch");
    }
    return std::move(plan_);
  }

 private:
  // Who names nothing wants all of the graph: what is wrong with any of it is told, as an import would.
  Status CheckWholeGraph() const {
    const Graph& graph = loaded_.graph;
    for (const Status& status : CheckFunctionCalls(graph.library())) return status.Prepend(arguments_.file + ": ");
    GraphConstructorOptions options;
    options.validate_nodes = true;
    const Status status = ConvertGraphDefToGraph(graph.ToGraphDef(), OpRegistry::Global(), options).status();
    return status.ok() ? status : status.Prepend(arguments_.file + ": ");
  }

  // The tensor has to be there; the message tells what the file has and what the graph wants.
  Status CheckFed(const std::string& name, const std::string& from) const {
    if (loaded_.graph.Find(ParseTensorName(name).node).valid()) return Status::OK();
    std::vector<std::string> inputs;
    loaded_.graph.ForEachNode([&](NodeId, const Node& node) {
      if (node.op().starts_with("Placeholder") && inputs.size() < 10) inputs.push_back(node.name() + ":0");
    });
    return errors::InvalidArgument(from, ": Tensor ", FullName(name),
                                   ", specified in either feed_devices or fetch_devices was not found in the Graph; "
                                   "inputs of ", arguments_.file, ": ", inputs.empty() ? "none" : Join(inputs, ", "));
  }

  Status FeedFile() {
    OS_ASSIGN_OR_RETURN(const NamedTensorList tensors, ReadNpz(arguments_.feeds_file));
    for (const auto& [name, tensor] : tensors) OS_RETURN_IF_ERROR(Add(name, tensor, arguments_.feeds_file));
    return Status::OK();
  }

  Status FeedArgument(const std::string& feed) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0) {
      return UsageError(StrCat("--feed ", feed, ": should be NAME=VALUE or NAME=@FILE.npy"));
    }
    const std::string name = feed.substr(0, equals);
    const std::string value = feed.substr(equals + 1);
    if (value.starts_with('@')) {
      OS_ASSIGN_OR_RETURN(const Tensor tensor, ReadNpy(value.substr(1)));
      return Add(name, tensor, value.substr(1));
    }
    const StaticTensor described = Describe(loaded_.graph, TensorName(name));
    auto json = ParseJson(value);
    if (!json.ok()) return json.status().Prepend(StrCat("--feed ", name, ": "));
    std::optional<DataType> dtype;
    if (described.dtype != DT_INVALID) dtype = described.dtype;
    auto tensor = TensorFromJson(*json, dtype);
    if (!tensor.ok()) return tensor.status().Prepend(StrCat("--feed ", name, ": "));
    return Add(name, *tensor, "--feed " + name);
  }

  std::string TensorName(const std::string& name) const {
    return TensorNameOf(signature_ ? &signature_->inputs : nullptr, loaded_.graph, name);
  }

  Status Add(const std::string& given_name, const Tensor& tensor, const std::string& from) {
    const std::string name = TensorName(given_name);
    OS_RETURN_IF_ERROR(CheckFed(name, from));
    const StaticTensor described = Describe(loaded_.graph, name);
    if (!described.shape.IsCompatibleWith(tensor.shape())) {
      Status status = errors::InvalidArgument(from, ": Cannot feed value of shape ",
                                              PythonShape(PartialTensorShape(tensor.shape())), " for Tensor ",
                                              FullName(name), ", which has shape ", PythonShape(described.shape));
      return status.AddNode(std::string(ParseTensorName(name).node));
    }
    if (!names_.insert(FullName(name)).second) {
      return errors::InvalidArgument(from, ": ", FullName(name), " is fed more than once");
    }
    plan_.feeds.emplace_back(name, described.dtype == DT_INVALID ? tensor : ConvertTo(described.dtype, tensor));
    return Status::OK();
  }

  const RunArguments& arguments_;
  const LoadedGraph& loaded_;
  const Signature* signature_ = nullptr;
  std::set<std::string> names_;
  RunPlan plan_;
};

}  // namespace

StatusOr<RunPlan> MakeRunPlan(const RunArguments& arguments, const LoadedGraph& loaded) {
  return Planner(arguments, loaded).Make();
}

std::vector<std::string> UnreadOutputs(const Graph& graph) {
  std::vector<std::string> names;
  const OpLookup ops(OpRegistry::Global(), graph.library());
  graph.ForEachNode([&](NodeId, const Node& node) {
    const OpDef* op = ops.Find(node.op());
    if (!op || node.op() == "Assign") return;
    std::vector<DataType> inputs, outputs;
    NodeDef complete = node.def;
    AddDefaultAttrs(*op, &complete);
    if (!InOutTypesForNode(complete, *op, &inputs, &outputs).ok()) return;
    std::vector<bool> read(outputs.size(), false);
    for (const OutEdge& edge : node.out_edges) {
      if (edge.src_output >= 0 && static_cast<size_t>(edge.src_output) < read.size()) {
        read[static_cast<size_t>(edge.src_output)] = true;
      }
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (read[i] || outputs[i] == DT_RESOURCE || outputs[i] == DT_VARIANT) continue;
      names.push_back(StrCat(node.name(), ":", i));
    }
  });
  return names;
}

std::string PythonShape(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.dims(); ++i) {
    if (i > 0) text += ", ";
    text += shape.dim_size(i) < 0 ? "?" : std::to_string(shape.dim_size(i));
  }
  return text + (shape.dims() == 1 ? ",)" : ")");
}

}  // namespace opscope::cli
