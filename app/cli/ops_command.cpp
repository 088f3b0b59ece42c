// `opscope-cli ops [--json]`: the catalogue of operations, and which of them can be run.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>

#include "app/cli/command.h"
#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/framework/op_kernel.h"
#include "engine/framework/op_registry.h"
#include "engine/io/json.h"

namespace opscope::cli {
namespace {

std::string_view GradientText(GradientKind gradient) {
  switch (gradient) {
    case GradientKind::kYes: return "yes";
    case GradientKind::kNone: return "none (registered not-differentiable)";
    default: return "unregistered";
  }
}

JsonValue TypeName(int dtype) { return DataType_Name(static_cast<DataType>(dtype)); }

JsonValue ArgsToJson(const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args) {
  JsonValue::Array array;
  for (const OpDef::ArgDef& arg : args) {
    JsonValue::Object object{{"name", arg.name()}};
    if (arg.type() != DT_INVALID) object.emplace_back("type", TypeName(arg.type()));
    if (!arg.type_attr().empty()) object.emplace_back("type_attr", arg.type_attr());
    if (!arg.number_attr().empty()) object.emplace_back("number_attr", arg.number_attr());
    if (!arg.type_list_attr().empty()) object.emplace_back("type_list_attr", arg.type_list_attr());
    if (arg.is_ref()) object.emplace_back("is_ref", true);
    array.emplace_back(std::move(object));
  }
  return array;
}

JsonValue ShapeToJson(const TensorShapeProto& shape) {
  if (shape.unknown_rank()) return JsonValue();
  JsonValue::Array dims;
  for (const auto& dim : shape.dim()) dims.emplace_back(int64_t{dim.size()});
  return dims;
}

// The shortest number that is this float: 1e-05 rather than the double that it is.
JsonValue FloatToJson(float value) {
  AttrValue attr;
  attr.set_f(value);
  double shown = 0;
  return ParseDouble(SummarizeAttrValue(attr), &shown) ? JsonValue(shown) : JsonValue(double{value});
}

template <typename List, typename F>
JsonValue ListToJson(const List& list, F&& f) {
  JsonValue::Array array;
  for (const auto& item : list) array.push_back(f(item));
  return array;
}

JsonValue AttrListToJson(std::string_view type, const AttrValue::ListValue& list) {
  if (type == "list(string)") return ListToJson(list.s(), [](const std::string& s) { return JsonValue(s); });
  if (type == "list(int)") return ListToJson(list.i(), [](int64_t i) { return JsonValue(i); });
  if (type == "list(float)") return ListToJson(list.f(), [](float f) { return JsonValue(double{f}); });
  if (type == "list(bool)") return ListToJson(list.b(), [](bool b) { return JsonValue(b); });
  if (type == "list(type)") return ListToJson(list.type(), TypeName);
  if (type == "list(shape)") return ListToJson(list.shape(), ShapeToJson);
  return ListToJson(list.func(), [](const NameAttrList& f) { return JsonValue(f.name()); });
}

JsonValue DefaultToJson(std::string_view type, const AttrValue& value) {
  if (type == "string") return value.s();
  if (type == "int") return int64_t{value.i()};
  if (type == "float") return FloatToJson(value.f());
  if (type == "bool") return value.b();
  if (type == "type") return TypeName(value.type());
  if (type == "shape") return ShapeToJson(value.shape());
  if (type == "func") return value.func().name();
  if (type == "tensor") {
    return JsonValue::Object{{"tensor_dtype", TypeName(value.tensor().dtype())},
                             {"shape", ShapeToJson(value.tensor().tensor_shape())}};
  }
  return AttrListToJson(type, value.list());
}

JsonValue AttrsToJson(const OpDef& op) {
  JsonValue::Array array;
  for (const OpDef::AttrDef& attr : op.attr()) {
    JsonValue::Object object{{"name", attr.name()}, {"type", attr.type()}};
    if (attr.has_default_value()) {
      object.emplace_back("default", DefaultToJson(attr.type(), attr.default_value()));
      object.emplace_back("has_default", true);
    }
    if (attr.has_allowed_values()) {
      const bool types = attr.allowed_values().list().type_size() > 0;
      object.emplace_back("allowed", AttrListToJson(types ? "list(type)" : "list(string)", attr.allowed_values().list()));
    }
    if (attr.has_minimum()) object.emplace_back("min", int64_t{attr.minimum()});
    array.emplace_back(std::move(object));
  }
  return array;
}

// What the kernels of one op on the CPU take.
struct CpuKernels {
  int64_t count = 0;  ///< A kernel that allows several types counts for each, as TensorFlow registers them.
  std::map<std::string, std::vector<DataType>> types;
  std::vector<std::string> host_memory_args;
};

void AddUnique(const std::string& text, std::vector<std::string>* list) {
  if (std::find(list->begin(), list->end(), text) == list->end()) list->push_back(text);
}

CpuKernels FindCpuKernels(const std::string& op) {
  CpuKernels found;
  for (const KernelRegistration* kernel : KernelRegistry::Global().ForOp(op)) {
    if (kernel->device_type != kDeviceCpu) continue;
    int64_t combinations = 1;
    for (const auto& [attr, types] : kernel->type_constraints) {
      combinations *= static_cast<int64_t>(types.size());
      std::vector<DataType>& all = found.types[attr];
      for (const DataType type : types) {
        if (std::find(all.begin(), all.end(), type) == all.end()) all.push_back(type);
      }
    }
    found.count += combinations;
    for (const std::string& arg : kernel->host_memory_args) AddUnique(arg, &found.host_memory_args);
  }
  return found;
}

void AddFlags(const OpDef& op, JsonValue::Object* object) {
  if (op.is_stateful()) object->emplace_back("is_stateful", true);
  if (op.is_commutative()) object->emplace_back("is_commutative", true);
  if (op.is_aggregate()) object->emplace_back("is_aggregate", true);
  if (op.allows_uninitialized_input()) object->emplace_back("allows_uninitialized_input", true);
  if (!op.has_deprecation()) return;
  object->emplace_back("deprecated_at_version", op.deprecation().version());
  object->emplace_back("deprecated", op.deprecation().explanation());
}

JsonValue OpToJson(const OpRegistrationData& data) {
  const OpDef& op = data.op_def;
  JsonValue::Object object{{"name", op.name()}, {"group", data.group}, {"tier", data.tier}};
  object.emplace_back("inputs", ArgsToJson(op.input_arg()));
  object.emplace_back("outputs", ArgsToJson(op.output_arg()));
  object.emplace_back("attrs", AttrsToJson(op));
  AddFlags(op, &object);
  object.emplace_back("gradient", GradientText(data.gradient));
  const CpuKernels kernels = FindCpuKernels(op.name());
  object.emplace_back("cpu_kernels", kernels.count);
  if (!kernels.types.empty()) {
    JsonValue::Object types;
    for (const auto& [attr, list] : kernels.types) types.emplace_back(attr, ListToJson(list, TypeName));
    object.emplace_back("cpu_types", std::move(types));
  }
  if (!kernels.host_memory_args.empty()) {
    object.emplace_back("cpu_host_memory_args",
                        ListToJson(kernels.host_memory_args, [](const std::string& s) { return JsonValue(s); }));
  }
  return object;
}

std::string Signature(const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args) {
  std::vector<std::string> names;
  for (const OpDef::ArgDef& arg : args) names.push_back(arg.name());
  return Join(names, ", ");
}

Status Ops(bool json) {
  const std::vector<const OpRegistrationData*> all = OpRegistry::Global().All();
  if (json) {
    JsonValue::Array array;
    for (const OpRegistrationData* op : all) array.push_back(OpToJson(*op));
    std::cout << JsonValue(std::move(array)).ToString(true) << "\n";
    return Status::OK();
  }
  for (const OpRegistrationData* op : all) {
    const bool runs = FindCpuKernels(op->op_def.name()).count > 0;
    std::cout << op->op_def.name() << "(" << Signature(op->op_def.input_arg()) << ") -> "
              << Signature(op->op_def.output_arg()) << "  [" << op->group << "]" << (runs ? "  CPU" : "  no kernel")
              << (op->gradient == GradientKind::kYes ? ", gradient" : "") << "\n";
  }
  return Status::OK();
}

}  // namespace

CommandFunction SetUpOps(CLI::App* app) {
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "One JSON document on standard output");
  return [json] { return Ops(*json); };
}

}  // namespace opscope::cli
