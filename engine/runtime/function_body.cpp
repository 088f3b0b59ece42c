#include "engine/runtime/function_body.h"

#include <unordered_map>

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/op_lookup.h"

namespace opscope {
namespace {

using AttrMap = google::protobuf::Map<std::string, AttrValue>;

/// Functions as attributes of functions … : deeper than anybody nests them.
constexpr int kMaxAttrDepth = 32;

bool Substitute(const AttrMap& attrs, AttrValue* value, int depth) {
  if (depth > kMaxAttrDepth) return false;
  if (!value->placeholder().empty()) {
    const auto found = attrs.find(value->placeholder());
    if (found == attrs.end()) return false;
    *value = AttrValue(found->second);
    return true;
  }
  const auto into = [&](NameAttrList* function) {
    for (auto& [name, attr] : *function->mutable_attr()) {
      if (!Substitute(attrs, &attr, depth + 1)) return false;
    }
    return true;
  };
  if (value->has_func() && !into(value->mutable_func())) return false;
  if (!value->has_list()) return true;
  for (NameAttrList& function : *value->mutable_list()->mutable_func()) {
    if (!into(&function)) return false;
  }
  return true;
}

class Instantiator {
 public:
  Instantiator(const FunctionDef& function, const AttrMap& attrs, const FunctionDefLibrary& library)
      : function_(function), attrs_(attrs), library_(library), ops_(OpRegistry::Global(), library) {
    for (const auto& attr : function.signature().attr()) {
      if (attr.has_default_value() && !attrs_.contains(attr.name())) attrs_[attr.name()] = attr.default_value();
    }
  }

  StatusOr<FunctionBody> Make() {
    for (const auto& node : function_.node_def()) names_.emplace(node.name(), true);
    OS_RETURN_IF_ERROR(AddArguments());
    for (const NodeDef& node : function_.node_def()) OS_RETURN_IF_ERROR(NoteOutputs(node));
    for (const NodeDef& node : function_.node_def()) OS_RETURN_IF_ERROR(AddNode(node));
    OS_RETURN_IF_ERROR(AddReturns());
    for (const auto& [name, node] : function_.control_ret()) body_.targets.push_back(node);
    *def_.mutable_library() = library_;
    def_.mutable_versions()->set_producer(kGraphDefVersion);
    GraphConstructorOptions options;
    options.allow_internal_ops = true;
    auto graph = ConvertGraphDefToGraph(std::move(def_), OpRegistry::Global(), options);
    if (!graph.ok()) return graph.status().Prepend(StrCat("In function '", function_.signature().name(), "': "));
    body_.graph = std::move(graph).value();
    return std::move(body_);
  }

 private:
  Status Wrong(const std::string& what) const {
    return errors::InvalidArgument("In function '", function_.signature().name(), "': ", what);
  }

  // A node that stands for the caller, so that arguments of the signature read its attributes.
  StatusOr<std::vector<DataType>> TypesOf(const OpDef::ArgDef& arg) const {
    OpDef one;
    *one.add_input_arg() = arg;
    NodeDef node;
    *node.mutable_attr() = attrs_;
    std::vector<DataType> inputs, outputs;
    const Status status = InOutTypesForNode(node, one, &inputs, &outputs);
    if (!status.ok()) return Wrong(StrCat("argument ", arg.name(), ": ", status.message()));
    return inputs;
  }

  std::string UniqueName(std::string name) {
    while (!names_.emplace(name, true).second) name += "_";
    return name;
  }

  Status AddArguments() {
    for (const auto& arg : function_.signature().input_arg()) {
      OS_ASSIGN_OR_RETURN(const std::vector<DataType> types, TypesOf(arg));
      for (size_t i = 0; i < types.size(); ++i) {
        NodeDef node;
        node.set_op("Placeholder");  // it is fed, and never runs
        node.set_name(UniqueName(types.size() == 1 ? arg.name() : StrCat(arg.name(), "_", i)));
        AddNodeAttr("dtype", types[i], &node);
        outputs_[arg.name()].push_back(node.name());
        arguments_.emplace(node.name(), true);
        body_.feeds.push_back(node.name());
        body_.arg_types.push_back(types[i]);
        *def_.add_node() = std::move(node);
      }
      outputs_.try_emplace(arg.name());
    }
    return Status::OK();
  }

  Status Complete(const NodeDef& node, NodeDef* made, const OpDef** op) const {
    *made = node;
    for (auto& [name, value] : *made->mutable_attr()) {
      if (!Substitute(attrs_, &value, 0)) {
        return Wrong(StrCat("node ", node.name(), ": attribute ", name, " has no value for ", value.placeholder()));
      }
    }
    const Status status = ops_.LookUp(node.op(), op);
    if (!status.ok()) return Wrong(status.message());
    AddDefaultAttrs(**op, made);
    return Status::OK();
  }

  // "node:arg" → names of the tensors in the graph.
  Status NoteOutputs(const NodeDef& node) {
    NodeDef made;
    const OpDef* op = nullptr;
    OS_RETURN_IF_ERROR(Complete(node, &made, &op));
    int next = 0;
    for (const auto& arg : op->output_arg()) {
      OS_ASSIGN_OR_RETURN(const int length, ArgLength(made, arg));
      auto& tensors = outputs_[StrCat(node.name(), ":", arg.name())];
      for (int i = 0; i < length && length <= kMaxNodeArity; ++i) tensors.push_back(TensorIdToString(node.name(), next++));
    }
    return Status::OK();
  }

  // "x", "x:1" of an argument; "node:arg:0" of a node.
  StatusOr<std::string> TensorOf(const std::string& reference) const {
    auto found = outputs_.find(reference);
    size_t index = 0;
    if (found == outputs_.end()) {
      const size_t colon = reference.rfind(':');
      int64_t number = 0;
      if (colon != std::string::npos && ParseInt64(std::string_view(reference).substr(colon + 1), &number) && number >= 0) {
        found = outputs_.find(reference.substr(0, colon));
        index = static_cast<size_t>(number);
      }
    }
    if (found == outputs_.end() || index >= found->second.size()) {
      return Wrong(StrCat("'", reference, "' is neither an argument nor the output of a node"));
    }
    return found->second[index];
  }

  // All tensors of a reference without a number: a whole list.
  Status AddNode(const NodeDef& node) {
    NodeDef made;
    const OpDef* op = nullptr;
    OS_RETURN_IF_ERROR(Complete(node, &made, &op));
    made.clear_input();
    for (const std::string& input : node.input()) {
      if (input.starts_with('^')) {
        made.add_input(input);
        continue;
      }
      const auto list = outputs_.find(input);
      if (list != outputs_.end() && list->second.size() != 1) {
        for (const std::string& tensor : list->second) made.add_input(tensor);
        continue;
      }
      OS_ASSIGN_OR_RETURN(const std::string tensor, TensorOf(input));
      made.add_input(tensor);
    }
    if (op->is_stateful()) body_.targets.push_back(made.name());
    *def_.add_node() = std::move(made);
    return Status::OK();
  }

  Status AddReturns() {
    for (const auto& arg : function_.signature().output_arg()) {
      OS_ASSIGN_OR_RETURN(const std::vector<DataType> types, TypesOf(arg));
      const auto ret = function_.ret().find(arg.name());
      if (ret == function_.ret().end()) return Wrong(StrCat("output ", arg.name(), " is not returned"));
      for (size_t i = 0; i < types.size(); ++i) {
        const bool is_list = !arg.number_attr().empty() || !arg.type_list_attr().empty();
        const auto whole = outputs_.find(ret->second);
        std::string tensor;
        if (is_list && whole != outputs_.end() && i < whole->second.size()) {
          tensor = whole->second[i];
        } else {
          OS_ASSIGN_OR_RETURN(tensor, TensorOf(ret->second));
        }
        body_.fetches.push_back(Returned(tensor, types[i]));
        body_.ret_types.push_back(types[i]);
      }
    }
    return Status::OK();
  }

  // An argument that is returned as it is: a run can't fetch what it is fed.
  std::string Returned(const std::string& tensor, DataType dtype) {
    if (!arguments_.contains(tensor)) return tensor;
    NodeDef node;
    node.set_op("Identity");
    node.set_name(UniqueName(tensor + "_returned"));
    node.add_input(tensor);
    AddNodeAttr("T", dtype, &node);
    *def_.add_node() = node;
    return node.name();
  }

  const FunctionDef& function_;
  AttrMap attrs_;
  const FunctionDefLibrary& library_;
  OpLookup ops_;
  std::unordered_map<std::string, bool> names_, arguments_;
  std::unordered_map<std::string, std::vector<std::string>> outputs_;
  GraphDef def_;
  FunctionBody body_;
};

}  // namespace

bool SubstitutePlaceholders(const google::protobuf::Map<std::string, AttrValue>& attrs, AttrValue* value) {
  return Substitute(attrs, value, 0);
}

StatusOr<FunctionBody> InstantiateFunction(const FunctionDef& function,
                                           const google::protobuf::Map<std::string, AttrValue>& attrs,
                                           const FunctionDefLibrary& library) {
  return Instantiator(function, attrs, library).Make();
}

}  // namespace opscope
