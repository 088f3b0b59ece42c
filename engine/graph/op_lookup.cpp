#include "engine/graph/op_lookup.h"

#include <algorithm>

namespace opscope {

OpLookup::OpLookup(const OpRegistry& registry, const FunctionDefLibrary& library) : registry_(registry) {
  functions_.reserve(static_cast<size_t>(library.function_size()));
  for (const FunctionDef& function : library.function()) {
    functions_.try_emplace(function.signature().name(), &function.signature());
  }
}

const OpDef* OpLookup::Find(std::string_view op) const {
  if (const OpRegistrationData* data = registry_.Find(op)) return &data->op_def;
  const auto found = functions_.find(op);
  return found == functions_.end() ? nullptr : found->second;
}

Status OpLookup::LookUp(std::string_view op, const OpDef** def) const {
  *def = Find(op);
  if (*def != nullptr) return Status::OK();
  const OpRegistrationData* data = nullptr;
  return registry_.LookUp(op, &data);
}

Status CheckVersions(const VersionDef& versions) {
  if (versions.min_consumer() > kGraphDefVersion) {
    return errors::InvalidArgument("GraphDef min consumer version ", versions.min_consumer(), " above current version ",
                                   kGraphDefVersion, " for TensorFlow 2.21.0.  Please upgrade TensorFlow.");
  }
  const auto& bad = versions.bad_consumers();
  if (std::find(bad.begin(), bad.end(), kGraphDefVersion) != bad.end()) {
    return errors::InvalidArgument("GraphDef disallows consumer version ", kGraphDefVersion,
                                   ".  Please upgrade TensorFlow: this version is likely buggy.");
  }
  return Status::OK();
}

Status CheckOpDeprecation(const OpDef& op, int producer) {
  if (!op.has_deprecation() || producer < op.deprecation().version()) return Status::OK();
  return errors::Unimplemented("Op ", op.name(), " is not available in GraphDef version ", producer,
                               ". It has been removed in version ", op.deprecation().version(), ". ",
                               op.deprecation().explanation(), ".");
}

bool IsMerge(std::string_view op) { return op == "Merge" || op == "RefMerge" || op == "_XlaMerge"; }
bool IsNextIteration(std::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }
bool IsEnter(std::string_view op) { return op == "Enter" || op == "RefEnter"; }
bool IsExit(std::string_view op) { return op == "Exit" || op == "RefExit"; }

bool TypesCompatible(DataType expected, DataType actual) {
  return expected == actual || expected == RemoveRef(actual);
}

Status TypeMismatch(std::string_view dst, int dst_input, DataType expected, std::string_view src, int src_output,
                    DataType actual) {
  return errors::InvalidArgument("Input ", dst_input, " of node ", dst, " was passed ", DataTypeString(actual),
                                 " from ", src, ":", src_output, " incompatible with expected ",
                                 DataTypeString(expected), ".");
}

}  // namespace opscope
