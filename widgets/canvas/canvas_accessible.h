#pragma once
// The diagram for screen readers: the canvas is a list whose children are the items, with their type, name, value and state.

namespace opscope::ui {

/// Makes canvases answer to assistive technology; harmless when called again.
void installCanvasAccessibility();

}  // namespace opscope::ui
