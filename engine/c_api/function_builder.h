#pragma once
// A part of a graph as the definition of a function.

#include "engine/base/status.h"
#include "engine/c_api/handles.h"

#include <string>
#include <vector>

namespace opscope::capi {

/// What the function is made of. Borrowed. Without `opers` (all_opers) the body is every node that
/// is no input.
struct FunctionParts {
  std::string name;
  bool append_hash = false;
  bool all_opers = false;
  std::vector<const TF_Operation*> opers;
  std::vector<TF_Output> inputs, outputs;
  std::vector<std::string> output_names;  ///< Empty: from the nodes' names.
  std::vector<const TF_Operation*> control_outputs;
  std::vector<std::string> control_output_names;
  std::string description;
};

/// INVALID_ARGUMENT in TensorFlow's words where something is missing or used twice. REQUIRES: the
/// graph's lock.
StatusOr<FunctionDef> BuildFunction(const TF_Graph& graph, const FunctionParts& parts);

}  // namespace opscope::capi
