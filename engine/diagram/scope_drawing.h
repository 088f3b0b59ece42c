#pragma once
// The drawing of one open scope's content.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/diagram/layered_layout.h"
#include "engine/diagram/layout_engine.h"
#include "engine/diagram/scope_problem.h"

namespace opscope {

/// Relative to the top-left corner of the scope's frame (of the drawing, at the root).
struct LayoutEngine::Drawing {
  std::vector<Rect> children;
  std::vector<std::vector<Point>> pieces;
  std::vector<Point> entries;  ///< on the frame
  std::vector<Point> exits;
  Size size;                   ///< of the frame
  FrameMargins margins;
  double draft_ms = 0;
  double refine_ms = 0;
};

/// `inner` holds the drawings of the open scopes among the children, by child. Drawing::size.width is 0 when stopped.
LayoutInput MakeLayoutInput(const SceneSnapshot& scene, const ScopeProblem& problem,
                            const std::vector<const LayoutEngine::Drawing*>& inner);
LayoutEngine::Drawing DrawScope(const SceneSnapshot& scene, const ScopeProblem& problem, const LayoutInput& input,
                                const LayeredOptions& options, const std::stop_token& stop);

/// A number that is the same for equal inputs and options.
uint64_t Fingerprint(const LayoutInput& input, const LayeredOptions& options);

}  // namespace opscope
