#include "engine/c_api/function_builder.h"

#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"

#include <cctype>
#include <set>

namespace opscope::capi {
namespace {

// Names of arguments are letters, digits and '_', and begin with a letter.
std::string ArgumentName(std::string_view node) {
  std::string name;
  for (const char c : node) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(std::tolower(letter));
    } else {
      name += '_';
    }
  }
  size_t first = 0;
  while (first < name.size() && std::isalpha(static_cast<unsigned char>(name[first])) == 0) ++first;
  return first == name.size() ? "unknown" : name.substr(first);
}

// Each name is given out once.
class UniqueNames {
 public:
  std::string Take(const std::string& name) {
    const auto [at, is_new] = used_.try_emplace(name, 0);
    if (is_new) return name;
    for (;;) {
      std::string candidate = StrCat(name, "_", used_[name]++);
      if (used_.try_emplace(candidate, 0).second) return candidate;
    }
  }

 private:
  std::map<std::string, int> used_;
};

class Builder {
 public:
  Builder(const TF_Graph& graph, const FunctionParts& parts)
      : graph_(graph), parts_(parts), ops_(OpRegistry::Global(), graph.graph.library()) {}

  StatusOr<FunctionDef> Build() {
    OpDef* const signature = def_.mutable_signature();
    signature->set_name(parts_.name);
    if (!parts_.description.empty()) signature->set_description(parts_.description);
    OS_RETURN_IF_ERROR(AddInputs());
    OS_RETURN_IF_ERROR(FindBody());
    OS_RETURN_IF_ERROR(NameOutputs());
    OS_RETURN_IF_ERROR(NameBody());
    OS_RETURN_IF_ERROR(AddBody());
    OS_RETURN_IF_ERROR(AddReturns());
    OS_RETURN_IF_ERROR(AddControlReturns());
    if (parts_.append_hash) AppendHash();
    return std::move(def_);
  }

 private:
  Status AddInputs();
  Status FindBody();
  Status NameOutputs();
  Status NameBody();
  Status AddBody();
  Status AddNode(const TF_Operation& oper);
  std::string_view ControlSource(const TF_Operation* oper) const;
  Status AddReturns();
  Status AddControlReturns();
  Status CheckTensor(const TF_Output& output, std::string_view what, size_t place) const;
  void AppendHash();
  std::string Where() const {
    return StrCat("Encountered while creating function '", parts_.name, "'");
  }

  const TF_Graph& graph_;
  const FunctionParts& parts_;
  OpLookup ops_;
  FunctionDef def_;
  UniqueNames names_;
  std::map<const TF_Operation*, std::set<int>> input_opers_;
  std::vector<const TF_Operation*> body_;
  std::map<const TF_Operation*, std::string> body_names_;
  std::map<std::pair<const TF_Operation*, int>, std::string>
      tensors_;  ///< What the body calls them.
  std::vector<std::string> output_names_;
};

Status Builder::CheckTensor(const TF_Output& output, std::string_view what, size_t place) const {
  const Status valid = CheckOutput(output);
  if (!valid.ok()) {
    return Status(valid.code(),
                  StrCat(valid.message(), "\n\tEncountered while processing ", what, " ", place,
                         what == "input" ? " into" : " from", " function '", parts_.name, "'"));
  }
  const DataType dtype = output.oper->outputs.at(output.index);
  if (!IsRefType(dtype)) return Status::OK();
  return errors::InvalidArgument("Output ", output.index, " of node '", output.oper->name,
                                 "' has a reference type ", DataTypeString(dtype),
                                 " while it is used as ", what, " ", place, " of function '",
                                 parts_.name, "'");
}

Status Builder::AddInputs() {
  for (size_t i = 0; i < parts_.inputs.size(); ++i) {
    const TF_Output& input = parts_.inputs[i];
    OS_RETURN_IF_ERROR(CheckTensor(input, "input", i));
    if (!input_opers_[input.oper].insert(input.index).second) {
      return errors::InvalidArgument("TF_Output ", input.oper->name, ":", input.index,
                                     " appears more than once in the input list");
    }
    OpDef::ArgDef* const arg = def_.mutable_signature()->add_input_arg();
    arg->set_name(names_.Take(ArgumentName(input.oper->name)));
    arg->set_type(input.oper->outputs.at(input.index));
    tensors_[{input.oper, input.index}] = arg->name();
  }
  return Status::OK();
}

Status Builder::FindBody() {
  if (!parts_.all_opers) {
    body_ = parts_.opers;
    return Status::OK();
  }
  for (const TF_Operation& oper : graph_.opers) {
    if (oper.graph == nullptr || !graph_.graph.has(oper.id)) continue;
    if (!input_opers_.contains(&oper)) {
      body_.push_back(&oper);
    } else if (oper.outputs.size() != 1) {
      return errors::InvalidArgument(
          "When `num_opers` is set to -1, nodes referenced in `inputs` must have a single output. "
          "Node ",
          oper.name, " has ", oper.outputs.size(), " outputs. ", Where());
    }
  }
  return Status::OK();
}

Status Builder::NameOutputs() {
  std::set<std::string> given;
  for (size_t i = 0; i < parts_.outputs.size(); ++i) {
    const TF_Output& output = parts_.outputs[i];
    OS_RETURN_IF_ERROR(CheckTensor(output, "output", i));
    std::string name;
    if (parts_.output_names.empty()) {
      name = names_.Take(ArgumentName(output.oper->name));
    } else {
      name = parts_.output_names[i];
      if (name.empty())
        return errors::InvalidArgument("The name of output ", i, " is empty. ", Where());
      if (!given.insert(name).second) {
        return errors::InvalidArgument("Cannot have duplicate output names. Name '", name,
                                       "' appears more than once in 'output_names' array.");
      }
    }
    OpDef::ArgDef* const arg = def_.mutable_signature()->add_output_arg();
    arg->set_name(name);
    arg->set_type(output.oper->outputs.at(output.index));
    output_names_.push_back(name);
  }
  return Status::OK();
}

// Inside of a function an output is told by its node, its argument and the number within it.
Status Builder::NameBody() {
  for (const TF_Operation* oper : body_) {
    if (oper == nullptr)
      return errors::InvalidArgument("An operation of the body is NULL. ", Where());
    const std::string name = names_.Take(oper->name);
    body_names_[oper] = name;
    const OpDef* op = nullptr;
    OS_RETURN_IF_ERROR(ops_.LookUp(oper->op, &op));
    if (op->is_stateful()) def_.mutable_signature()->set_is_stateful(true);
    const NodeDef& node = graph_.graph.node(oper->id).def;
    int number = 0;
    for (const OpDef::ArgDef& arg : op->output_arg()) {
      OS_ASSIGN_OR_RETURN(const int length, ArgLength(node, arg));
      for (int i = 0; i < length; ++i) {
        // An input of the function hides the node's own output.
        tensors_.try_emplace({oper, number++}, StrCat(name, ":", arg.name(), ":", i));
      }
    }
  }
  return Status::OK();
}

// A node of the body, or the argument that stands for one; "" where there is neither.
std::string_view Builder::ControlSource(const TF_Operation* oper) const {
  const auto body = body_names_.find(oper);
  if (body != body_names_.end()) return body->second;
  const auto input = input_opers_.find(oper);
  if (input == input_opers_.end()) return {};
  return tensors_.find({oper, *input->second.begin()})->second;
}

Status Builder::AddNode(const TF_Operation& oper) {
  const Node& node = graph_.graph.node(oper.id);
  NodeDef* const def = def_.add_node_def();
  *def = node.def;
  def->clear_input();
  def->set_name(body_names_[&oper]);
  for (const InEdge& edge : node.in_edges) {
    const TF_Operation* const source = &graph_.opers[edge.src.index()];
    if (edge.dst_input == TensorId::kControlSlot) {
      const std::string_view name = ControlSource(source);
      if (name.empty()) {
        return errors::InvalidArgument("The source of control edge ", source->name, " -> ",
                                       oper.name, " is not in the body. ", Where());
      }
      def->add_input("^" + std::string(name));
      continue;
    }
    const auto found = tensors_.find({source, edge.src_output});
    if (found == tensors_.end()) {
      return errors::InvalidArgument("Input ", edge.dst_input, ", '", source->name, ":",
                                     edge.src_output, "', of node '", oper.name, "' in function '",
                                     parts_.name,
                                     "' is not available. You might need to include it in inputs "
                                     "or include its source node in the body");
    }
    def->add_input(found->second);
  }
  return Status::OK();
}

Status Builder::AddBody() {
  for (const TF_Operation* oper : body_) OS_RETURN_IF_ERROR(AddNode(*oper));
  return Status::OK();
}

Status Builder::AddReturns() {
  for (size_t i = 0; i < parts_.outputs.size(); ++i) {
    const TF_Output& output = parts_.outputs[i];
    const auto found = tensors_.find({output.oper, output.index});
    if (found == tensors_.end()) {
      return errors::InvalidArgument("TF_Output ", output.oper->name, ":", output.index,
                                     " is neither in the function body nor among function inputs. ",
                                     Where());
    }
    (*def_.mutable_ret())[output_names_[i]] = found->second;
  }
  return Status::OK();
}

Status Builder::AddControlReturns() {
  for (size_t i = 0; i < parts_.control_outputs.size(); ++i) {
    const TF_Operation* const oper = parts_.control_outputs[i];
    const auto found = body_names_.find(oper);
    if (found == body_names_.end()) {
      return errors::InvalidArgument("Control output ", oper ? oper->name : "",
                                     " is not in the function body. ", Where());
    }
    const std::string name =
        parts_.control_output_names.empty() ? oper->name : parts_.control_output_names[i];
    if (!def_.mutable_control_ret()->insert({name, found->second}).second) {
      return errors::InvalidArgument("Repeated control output name: ", name);
    }
    def_.mutable_signature()->add_control_output(name);
  }
  return Status::OK();
}

void Builder::AppendHash() {
  // FNV-1a over the definition: equal bodies get equal names.
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : def_.ShortDebugString())
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
  def_.mutable_signature()->set_name(parts_.name + "_" + text);
}

}  // namespace

StatusOr<FunctionDef> BuildFunction(const TF_Graph& graph, const FunctionParts& parts) {
  return Builder(graph, parts).Build();
}

}  // namespace opscope::capi
