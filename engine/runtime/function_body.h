#pragma once
// A function of a graph's library made concrete: its attributes filled in, its body as a graph that can be run.

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/graph/graph.h"
#include "engine/proto/function.pb.h"

namespace opscope {

/// One instantiation.
struct FunctionBody {
  Graph graph;
  std::vector<std::string> feeds;     ///< The nodes that stand for the arguments, in order.
  std::vector<std::string> fetches;   ///< The tensors that are returned, in order.
  std::vector<std::string> targets;   ///< What has to run besides: control outputs and nodes with side effects.
  std::vector<DataType> arg_types, ret_types;
};

/// The body of `function` with `attrs` for its attributes. `library` has the functions that it may call. INVALID_ARGUMENT,
/// naming function and node, when an attribute is missing or something refers to nothing.
StatusOr<FunctionBody> InstantiateFunction(const FunctionDef& function,
                                           const google::protobuf::Map<std::string, AttrValue>& attrs,
                                           const FunctionDefLibrary& library);

/// Fills in `$T` and the like: placeholders in attributes take their values from `attrs`. False when one has no value.
bool SubstitutePlaceholders(const google::protobuf::Map<std::string, AttrValue>& attrs, AttrValue* value);

}  // namespace opscope
