#include "engine/gradients/gradient_builder.h"

#include <algorithm>

#include "engine/framework/tensor_eigen.h"

namespace opscope::gradients {
namespace {

// All elements of a numeric or bool tensor.
void FillWith(double value, Tensor* t) {
  const auto fill = [&](auto element) {
    using T = decltype(element);
    std::fill(t->flat<T>().begin(), t->flat<T>().end(), static_cast<T>(value));
  };
  switch (t->dtype()) {
    case DT_FLOAT: return fill(float());
    case DT_DOUBLE: return fill(double());
    case DT_HALF: std::fill(t->flat<half>().begin(), t->flat<half>().end(), half(static_cast<float>(value))); return;
    case DT_BFLOAT16:
      std::fill(t->flat<bfloat16>().begin(), t->flat<bfloat16>().end(), bfloat16(static_cast<float>(value)));
      return;
    case DT_COMPLEX64: return fill(std::complex<float>());
    case DT_COMPLEX128: return fill(std::complex<double>());
    case DT_INT8: return fill(int8_t());
    case DT_INT16: return fill(int16_t());
    case DT_INT32: return fill(int32_t());
    case DT_INT64: return fill(int64_t());
    case DT_UINT8: return fill(uint8_t());
    case DT_UINT16: return fill(uint16_t());
    case DT_UINT32: return fill(uint32_t());
    case DT_UINT64: return fill(uint64_t());
    case DT_BOOL: return fill(bool());
    default: return;
  }
}

bool HasAttr(const NodeDef& node, const std::string& name) { return name.empty() || node.attr().contains(name); }

// Number of tensors that arguments with the attribute `number` share, given `total` inputs.
int ListLength(const OpDef& def, const std::string& number, size_t total) {
  int fixed = 0;
  int lists = 0;
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    if (arg.number_attr() == number) {
      ++lists;
    } else if (arg.number_attr().empty() && arg.type_list_attr().empty()) {
      ++fixed;
    }
  }
  return lists == 0 ? 0 : (static_cast<int>(total) - fixed) / lists;
}

}  // namespace

Out GradientBuilder::Op(std::string_view op, const Outs& inputs, const Attrs& attrs, std::string_view name) {
  if (!status_.ok()) return {};
  const OpDef* def = lookup_.Find(op);
  if (!def) {
    Fail(errors::Unimplemented("The gradient needs the op ", op, ", which is not known"));
    return {};
  }
  for (const Out& in : inputs) {
    if (in.valid()) continue;
    Fail(errors::Internal("A gradient's ", op, " lacks an input"));
    return {};
  }
  StatusOr<std::string> unique = names_.OpName(name.empty() ? op : name);
  if (!unique.ok()) {
    Fail(unique.status());
    return {};
  }
  Outs ins = inputs;
  if (context_) {
    const NameScope scope(*this, *unique + "/");
    for (Out& in : ins) in = context_->Import(in);
    if (!status_.ok()) return {};
  }
  NodeDef node;
  node.set_name(*unique);
  node.set_op(std::string(op));
  for (const Attr& attr : attrs) (*node.mutable_attr())[attr.name] = attr.value;
  if (!FillTypes(*def, ins, &node)) return {};
  AddDefaultAttrs(*def, &node);
  for (const Out& in : ins) node.add_input(TensorIdToString(graph_->node(in.node).name(), in.index));
  AddControls(ins, &node);
  if (!colocation_.empty()) {
    AttrValue& classes = (*node.mutable_attr())["_class"];
    for (const std::string& c : colocation_) classes.mutable_list()->add_s(c);
  }
  std::vector<DataType> in_types;
  std::vector<DataType> out_types;
  Status made = InOutTypesForNode(node, *def, &in_types, &out_types);
  if (made.ok()) made = ValidateNodeDef(node, *def);
  if (!made.ok()) {
    Fail(made.Prepend("Making the gradient's " + node.name() + ": "));
    return {};
  }
  const StatusOr<NodeId> id = graph_->AddNode(std::move(node));
  if (!id.ok()) {
    Fail(id.status());
    return {};
  }
  added_.push_back(*id);
  unrefined_.push_back(*id);
  new_types_.resize(id->index() - first_new_ + 1);
  new_types_[id->index() - first_new_] = std::move(out_types);
  for (Control& control : controls_) control.members.push_back(*id);
  if (context_) context_->Made(*id);
  return {*id, 0};
}

// Attributes that tell types and numbers of inputs, from the inputs.
bool GradientBuilder::FillTypes(const OpDef& def, const Outs& inputs, NodeDef* node) {
  size_t at = 0;
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    size_t count = 1;
    if (!arg.number_attr().empty()) {
      const int length = ListLength(def, arg.number_attr(), inputs.size());
      if (!HasAttr(*node, arg.number_attr())) AddNodeAttr(arg.number_attr(), length, node);
      count = static_cast<size_t>(std::max(length, 0));
    } else if (!arg.type_list_attr().empty()) {
      count = inputs.size() - at;
      if (!HasAttr(*node, arg.type_list_attr())) {
        auto* list = (*node->mutable_attr())[arg.type_list_attr()].mutable_list();
        for (size_t i = at; i < inputs.size(); ++i) list->add_type(dtype(inputs[i]));
      }
    }
    if (at + count > inputs.size()) {
      Fail(errors::Internal("A gradient's ", node->name(), " of op ", def.name(), " has ", inputs.size(), " inputs"));
      return false;
    }
    if (!HasAttr(*node, arg.type_attr()) && count > 0) AddNodeAttr(arg.type_attr(), dtype(inputs[at]), node);
    at += count;
  }
  return true;
}

void GradientBuilder::AddControls(const Outs& inputs, NodeDef* node) {
  std::vector<NodeId> controls;
  const auto reads = [&](NodeId id) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Out& in) { return in.node == id; });
  };
  for (const Control& control : controls_) {
    // What comes from a node made under the same condition has it already.
    if (std::any_of(control.members.begin(), control.members.end(), reads)) continue;
    for (const NodeId id : control.controls) {
      if (!reads(id) && std::find(controls.begin(), controls.end(), id) == controls.end()) controls.push_back(id);
    }
  }
  if (context_) context_->Control(node->op(), inputs, &controls);
  for (const NodeId id : controls) node->add_input("^" + graph_->node(id).name());
}

Out GradientBuilder::Const(const Tensor& value, std::string_view name) {
  AttrValue attr;
  value.AsProtoTensorContent(attr.mutable_tensor());
  return Op("Const", {}, {{"dtype", value.dtype()}, {"value", attr}}, name);
}

Out GradientBuilder::Scalar(DataType dtype, double value, std::string_view name) {
  return Filled(dtype, value, TensorShape(), name);
}

Out GradientBuilder::Ints(const std::vector<int64_t>& values, std::string_view name, DataType dtype) {
  Tensor t(dtype, TensorShape({static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DT_INT64) {
      t.flat<int64_t>()[i] = values[i];
    } else {
      t.flat<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return Const(t, name);
}

// One value stands for all: the constant is small whatever its shape.
Out GradientBuilder::Filled(DataType dtype, double value, const TensorShape& shape, std::string_view name) {
  Tensor one(dtype, TensorShape());
  FillWith(value, &one);
  AttrValue attr;
  one.AsProtoField(attr.mutable_tensor());
  shape.ToProto(attr.mutable_tensor()->mutable_tensor_shape());
  return Op("Const", {}, {{"dtype", dtype}, {"value", attr}}, name);
}

DataType GradientBuilder::dtype(Out out) const {
  if (!out.valid() || out.index < 0) return DT_INVALID;
  if (!is_new(out.node)) return RemoveRef(shapes_->dtype(out.node, out.index));
  const std::vector<DataType>& types = new_types_[out.node.index() - first_new_];
  return static_cast<size_t>(out.index) < types.size() ? RemoveRef(types[static_cast<size_t>(out.index)]) : DT_INVALID;
}

int GradientBuilder::num_outputs(NodeId id) {
  return is_new(id) ? static_cast<int>(new_types_[id.index() - first_new_].size()) : shapes_->num_outputs(id);
}

void GradientBuilder::Flush() {
  if (unrefined_.empty()) return;
  shapes_->RefineAdded(*graph_, unrefined_);
  unrefined_.clear();
}

PartialTensorShape GradientBuilder::shape(Out out) {
  if (!out.valid()) return {};
  const auto hint = hints_.find(out);
  if (hint != hints_.end()) return hint->second;
  Flush();
  return shapes_->shape(out.node, out.index);
}

bool GradientBuilder::SameStaticShape(Out a, Out b) {
  const PartialTensorShape left = shape(a);
  return left.IsFullyDefined() && left == shape(b);
}

void GradientBuilder::SetShapeHint(Out out, const PartialTensorShape& hint) {
  if (!out.valid() || hint.unknown_rank()) return;
  const PartialTensorShape known = shape(out);
  if (known.IsFullyDefined() || known == hint) return;
  if (known.unknown_rank()) {
    hints_[out] = hint;
    return;
  }
  if (known.dims() != hint.dims()) return;
  std::vector<int64_t> dims(known.dim_sizes().begin(), known.dim_sizes().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) dims[i] = hint.dim_sizes()[i];
  }
  hints_[out] = PartialTensorShape(std::move(dims));
}

std::optional<std::vector<int64_t>> GradientBuilder::IntValues(Out out) {
  if (!out.valid()) return std::nullopt;
  Flush();
  const std::optional<Tensor> value = shapes_->constant(out.node, out.index);
  if (!value) return std::nullopt;
  StatusOr<std::vector<int64_t>> values = IntegerValues(*value);
  if (!values.ok()) return std::nullopt;
  return std::move(values).value();
}

const NodeDef* GradientBuilder::DefWith(NodeId id, const char* name) {
  const NodeDef& def = node(id).def;
  if (FindAttr(def, name)) return &def;
  const OpDef* op = lookup_.Find(def.op());
  if (!op) return nullptr;
  defaults_ = def;
  AddDefaultAttrs(*op, &defaults_);
  return &defaults_;
}

const AttrValue& GradientBuilder::attr_value(NodeId id, const char* name) {
  static const AttrValue none;
  const NodeDef* def = DefWith(id, name);
  const AttrValue* value = def ? FindAttr(*def, name) : nullptr;
  if (!value) Fail(errors::NotFound("No attr named '", name, "' in the node ", node(id).name()));
  return value ? *value : none;
}

void GradientBuilder::EnterScope(std::string_view name) {
  const StatusOr<std::string> entered = names_.EnterScope(name);
  if (entered.ok()) return;
  Fail(entered.status());
  (void)names_.EnterScope(names_.current() + "/");  // so that leaving it is right
}

void GradientBuilder::PushControl(std::vector<NodeId> controls) { controls_.push_back({std::move(controls), {}}); }

void GradientBuilder::Remember(NodeId id) {
  if (is_new(id) || !before_.try_emplace(id, node(id).def).second) return;
  changed_.push_back(id);
}

void GradientBuilder::AddControlInput(NodeId to, NodeId from) {
  if (!status_.ok() || !to.valid() || !from.valid()) return;
  Remember(to);
  NodeDef def = node(to).def;
  const std::string control = "^" + node(from).name();
  if (std::find(def.input().begin(), def.input().end(), control) != def.input().end()) return;
  def.add_input(control);
  Fail(graph_->ReplaceNode(to, std::move(def)));
}

void GradientBuilder::ReplaceInput(NodeId to, int input, Out from) {
  if (!status_.ok() || !to.valid() || !from.valid()) return;
  Remember(to);
  NodeDef def = node(to).def;
  def.set_input(input, TensorIdToString(node(from).name(), from.index));
  Fail(graph_->ReplaceNode(to, std::move(def)));
}

void GradientBuilder::Undo() {
  const GraphBatch batch(graph_);
  for (auto& [id, def] : before_) (void)graph_->ReplaceNode(id, std::move(def));
  for (auto id = added_.rbegin(); id != added_.rend(); ++id) (void)graph_->RemoveNode(*id);
  added_.clear();
  changed_.clear();
  before_.clear();
}

}  // namespace opscope::gradients
