#pragma once
// How a graph that came from elsewhere is shown first.

#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"

namespace opscope {

/// Closes scopes by default when there are more than Diagram::kOpenLimit ops, but opens those that only wrap nearly the
/// whole graph: one closed box says nothing.
void SetImportDefaults(const Hierarchy& hierarchy, Diagram* diagram);

}  // namespace opscope
