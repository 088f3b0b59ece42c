#pragma once
// Problems of a graph that is being drawn.

#include <vector>

#include "engine/graph/validation.h"

namespace opscope::ui {

/// As Validate, but where a node merely isn't wired up yet one problem says which inputs are open, instead of what
/// TensorFlow says about a graph that nobody draws any more. Threads: any.
std::vector<Diagnostic> findProblems(const Graph& graph);

}  // namespace opscope::ui
