#include "engine/framework/op_registry.h"

#include <unistd.h>

#include <array>

#include "engine/base/text.h"

namespace opscope {
namespace {

struct PendingShape {
  std::vector<const char*> ops;
  ShapeFunction function;
};

std::vector<PendingShape>& PendingShapes() {
  static std::vector<PendingShape> pending;
  return pending;
}

struct Catalogue {
  std::string_view (*op_list)() = nullptr;
  std::string_view (*op_info)() = nullptr;
};

Catalogue& TheCatalogue() {
  static Catalogue catalogue;
  return catalogue;
}

GradientKind ParseGradient(std::string_view text) {
  if (text == "yes") return GradientKind::kYes;
  return text == "none" ? GradientKind::kNone : GradientKind::kUnregistered;
}

// Lines of op_info: name, group, tier, gradient, separated by tabs.
std::map<std::string, OpRegistrationData, std::less<>> ReadOpInfo(std::string_view text) {
  std::map<std::string, OpRegistrationData, std::less<>> infos;
  for (const std::string& line : Split(text, '\n')) {
    const std::vector<std::string> fields = Split(line, '\t');
    int64_t tier = 0;
    if (fields.size() != 4 || line.starts_with('#') || !ParseInt64(fields[2], &tier)) continue;
    OpRegistrationData& info = infos[fields[0]];
    info.group = fields[1];
    info.tier = static_cast<int>(tier);
    info.gradient = ParseGradient(fields[3]);
  }
  return infos;
}

std::string HostName() {
  std::array<char, 256> buffer{};
  return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? buffer.data() : "localhost";
}

OpRegistry* MakeGlobal() {
  auto* registry = new OpRegistry;
  OpList list;
  if (TheCatalogue().op_list) {
    const std::string_view bytes = TheCatalogue().op_list();
    if (!list.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return registry;
  }
  auto infos = ReadOpInfo(TheCatalogue().op_info ? TheCatalogue().op_info() : std::string_view());
  for (OpDef& op : *list.mutable_op()) {
    OpRegistrationData data = infos[op.name()];
    data.op_def = std::move(op);
    (void)registry->Register(std::move(data));
  }
  for (PendingShape& shape : PendingShapes()) {
    for (const char* op : shape.ops) (void)registry->SetShapeFunction(op, shape.function);
  }
  return registry;
}

}  // namespace

const OpRegistry& OpRegistry::Global() {
  static const OpRegistry* const registry = MakeGlobal();
  return *registry;
}

Status OpRegistry::Register(OpRegistrationData data) {
  const std::string name = data.op_def.name();
  if (name.empty()) return errors::InvalidArgument("An op to register has no name");
  if (!ops_.emplace(name, std::make_unique<OpRegistrationData>(std::move(data))).second) {
    return errors::AlreadyExists("Op with name ", name, " is registered already");
  }
  return Status::OK();
}

Status OpRegistry::SetShapeFunction(std::string_view op, ShapeFunction function) {
  const auto found = ops_.find(op);
  if (found == ops_.end()) return errors::NotFound("A shape function is registered for '", op, "', which is no op");
  if (found->second->shape_function) return errors::AlreadyExists("Op '", op, "' has a shape function already");
  found->second->shape_function = std::move(function);
  return Status::OK();
}

const OpRegistrationData* OpRegistry::Find(std::string_view op) const {
  const auto found = ops_.find(op);
  return found == ops_.end() ? nullptr : found->second.get();
}

Status OpRegistry::LookUp(std::string_view op, const OpRegistrationData** data) const {
  *data = Find(op);
  if (*data) return Status::OK();
  return errors::NotFound("Op type not registered '", op, "' in binary running on ", HostName(),
                          ". It is not in the op catalogue of this program: the graph can be looked at and edited, "
                          "and what does not need this op can be run.");
}

std::vector<const OpRegistrationData*> OpRegistry::All() const {
  std::vector<const OpRegistrationData*> all;
  for (const auto& [name, data] : ops_) all.push_back(data.get());
  return all;
}

ShapeFunctionRegistrar::ShapeFunctionRegistrar(std::initializer_list<const char*> ops, ShapeFunction function) {
  PendingShapes().push_back({std::vector<const char*>(ops), std::move(function)});
}

OpCatalogueRegistrar::OpCatalogueRegistrar(std::string_view (*op_list)(), std::string_view (*op_info)()) {
  TheCatalogue() = {op_list, op_info};
}

}  // namespace opscope
