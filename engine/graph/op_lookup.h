#pragma once
// Op definitions of a graph: those of the registry, and the signatures of its own functions.

#include "engine/base/status.h"
#include "engine/framework/op_registry.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Finds an op by name as TensorFlow does for a graph with a library: its functions are ops too, registered ops come
/// first. Borrows both arguments. Threads: read-only after construction.
class OpLookup {
 public:
  OpLookup(const OpRegistry& registry, const FunctionDefLibrary& library);

  /// nullptr when it is neither an op nor a function.
  const OpDef* Find(std::string_view op) const;
  bool IsFunction(std::string_view op) const { return functions_.contains(op); }
  /// NOT_FOUND as OpRegistry::LookUp words it.
  Status LookUp(std::string_view op, const OpDef** def) const;

 private:
  const OpRegistry& registry_;
  StringMap<const OpDef*> functions_;
};

/// The consumer version that graphs are held against: that of the TensorFlow whose behaviour is followed.
inline constexpr int kGraphDefVersion = 2474;

/// INVALID_ARGUMENT when the versions ask for another consumer than we are.
Status CheckVersions(const VersionDef& versions);
/// UNIMPLEMENTED when the op was removed before the graph's producer.
Status CheckOpDeprecation(const OpDef& op, int producer);

bool IsMerge(std::string_view op);
bool IsNextIteration(std::string_view op);
bool IsEnter(std::string_view op);
bool IsExit(std::string_view op);

/// Whether a tensor of type `actual` may go into an input of type `expected`.
bool TypesCompatible(DataType expected, DataType actual);
/// "Input 0 of node b was passed float from a:0 incompatible with expected int32."
Status TypeMismatch(std::string_view dst, int dst_input, DataType expected, std::string_view src, int src_output,
                    DataType actual);

}  // namespace opscope
