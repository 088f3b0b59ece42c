#pragma once
// Pictures are drawn by the editor, offscreen: opscope-cli itself has no canvas.

#include <string>

#include "engine/base/status.h"

namespace opscope::cli {

/// Starts `opscope` (beside this program, else from PATH) with a script that opens `in` and exports `out`.
/// UNIMPLEMENTED when there is no such program; otherwise the script's own error.
Status DrawWithEditor(const std::string& in, const std::string& out);

}  // namespace opscope::cli
