#pragma once
// What kind of work an op does, for its colour (visual.md rule 4) and the palette's grouping.

#include <string_view>

namespace opscope::ui {

enum class OpCategory : unsigned char { kLinear, kElementwise, kActivation, kShape, kVariable, kIo };

/// By the op's group in OpRegistry::Global() and, within mixed groups, its name. An unknown op counts as kIo.
/// Cost: one hash look-up after the first time. Threads: UI thread.
OpCategory categoryOf(std::string_view op);

/// The same from a group and a name, without the registry.
OpCategory categoryOf(std::string_view group, std::string_view op);

}  // namespace opscope::ui
