#pragma once
// The drawing as a file: .png, .svg or .pdf, drawn by the canvas' own painters.

#include <QString>

#include "engine/base/status.h"

namespace opscope::ui {

class Editor;

/// `what`: "all", "view" (what the canvas shows) or "selection"; `scale`: pixels per scene unit of a .png. The file is
/// replaced in one step. INVALID_ARGUMENT for another ending or an absurd size; FAILED_PRECONDITION when there is nothing.
Status exportDrawing(const Editor& editor, const QString& path, const QString& what, double scale);

}  // namespace opscope::ui
