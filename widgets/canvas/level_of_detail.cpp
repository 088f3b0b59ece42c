#include "widgets/canvas/level_of_detail.h"

#include "engine/diagram/geometry.h"

namespace opscope::ui {

Detail detailFor(double zoom) {
  // A hair of tolerance: a fit that lands on a limit must not flicker between two looks.
  const double height = kNodeHeight * zoom + 1e-6;
  if (height >= 40) return Detail::kFull;
  if (height >= 24) return Detail::kTitle;
  if (height >= 12) return Detail::kBlock;
  if (height >= 2) return Detail::kScopes;
  return Detail::kSkip;
}

bool visibleAt(double heightPx) { return heightPx >= 2; }

bool contentVisibleIn(double scopeHeightPx) { return scopeHeightPx >= 44; }

double minEdgePx(Detail detail) {
  switch (detail) {
    case Detail::kFull:
    case Detail::kTitle: return 0;
    case Detail::kBlock: return 3;
    case Detail::kScopes:
    case Detail::kSkip: break;
  }
  return 6;
}

bool portsActive(Detail detail) { return detail == Detail::kFull || detail == Detail::kTitle; }

bool headerTextFits(double zoom) { return kScopeHeader * zoom >= 16; }

}  // namespace opscope::ui
