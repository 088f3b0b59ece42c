#pragma once

#include <string_view>

namespace opscope {

// The signatures and a few facts of the operations known to OpScope, carried inside the program so
// that nothing has to be found at run time. Both answers are constant data that lives as long as
// the program; any thread may read them. Source: TensorFlow 2.21's own op registry, as data in
// ops.pbtxt and op_info.tsv beside this file.

// A serialized tensorflow.OpList: the OpDefs in the order of ops.pbtxt.
std::string_view EmbeddedOpList();

// One line per operation, in the same order, each ended by '\n': name, group, tier and gradient,
// separated by tabs. Tier: 1 (wanted first), 2 or 3. Gradient: "yes", "none" (registered as not
// differentiable) or "unregistered". There is no heading line.
std::string_view EmbeddedOpInfo();

}  // namespace opscope
