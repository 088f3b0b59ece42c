#pragma once
// Feeds and fetches of `opscope-cli run`: read, named and checked as TensorFlow's Python client does.

#include <string>
#include <vector>

#include "app/cli/run_arguments.h"
#include "engine/graph/graph_io.h"
#include "engine/runtime/session.h"

namespace opscope::cli {

/// What one run feeds and fetches, by the names of tensors.
struct RunPlan {
  Session::NamedTensors feeds;
  std::vector<std::string> fetches, targets;
};

/// Reads feeds from arguments and files, replaces a signature's keys by its tensors, finds the default fetches, and checks
/// types and shapes of feeds. Messages name the file at fault.
StatusOr<RunPlan> MakeRunPlan(const RunArguments& arguments, const LoadedGraph& loaded);

/// Names of all outputs that no node reads and that are values (no resources); assignments are left out, for to fetch one
/// would be to run it.
std::vector<std::string> UnreadOutputs(const Graph& graph);

/// "(2, ?)" as Python prints shapes: "(2,)", "()", "<unknown>".
std::string PythonShape(const PartialTensorShape& shape);

}  // namespace opscope::cli
