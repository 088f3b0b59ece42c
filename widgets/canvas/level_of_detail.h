#pragma once
// Which detail at which scale (visual.md rule 10). Pure.

#include <cstdint>

namespace opscope::ui {

enum class Detail : uint8_t {
  kFull,    ///< whole card: type, name, figure, ports with names
  kTitle,   ///< op type only, ports as dots
  kBlock,   ///< category-coloured block, wires of one pixel
  kScopes,  ///< scopes as tinted blocks with their names; ops are marks without edges of their own
  kSkip     ///< too small to be seen
};

/// By the height in pixels of a node of the usual 48 units.
Detail detailFor(double zoom);
/// Of one item by its own height at a zoom: what lies in a big scope may be skipped while the scope is drawn.
bool visibleAt(double heightPx);
/// Whether the content of an expanded scope is drawn, by the scope's own height: in a small one it would be specks behind
/// the scope's name.
bool contentVisibleIn(double scopeHeightPx);
/// Wires shorter than this many pixels are left out below full detail.
double minEdgePx(Detail detail);
/// Whether ports can be grabbed.
bool portsActive(Detail detail);
/// Whether a scope's name stands in its header (else as a label of the screen's own size above it).
bool headerTextFits(double zoom);

}  // namespace opscope::ui
