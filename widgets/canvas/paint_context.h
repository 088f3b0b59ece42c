#pragma once
// What every painter of the canvas needs for one frame.

#include <vector>

#include <QRectF>

#include "widgets/canvas/level_of_detail.h"
#include "widgets/canvas/scene_store.h"
#include "widgets/canvas/text_cache.h"
#include "widgets/canvas/viewport.h"
#include "widgets/overlays/overlay.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

struct PaintContext {
  const SceneStore& store;
  const OverlayPicture& overlay;
  const Theme& theme;
  TextCache& text;
  Viewport view;       ///< snapped to device pixels
  QRectF clip;         ///< in px: what is to be painted
  Detail detail = Detail::kFull;
  double devicePixelRatio = 1;
  const std::vector<bool>* traced = nullptr;  ///< items that stay at full strength; null: all do
  QRectF window;       ///< in px: the whole view, where sticky labels keep to its edge
  bool background = true;

  const ThemeColors& colors() const { return theme.colors(); }
  const ItemOverlay& overlayOf(int item) const {
    static const ItemOverlay kNothing;
    const auto index = static_cast<size_t>(item);
    return index < overlay.items.size() ? overlay.items[index] : kNothing;
  }
  QRectF px(int item) const { return view.toPx(store.rect(item)); }
  bool dimmed(int item) const { return traced != nullptr && !(*traced)[static_cast<size_t>(item)]; }
};

inline constexpr double kDimOpacity = 0.35;
inline constexpr double kNotRunOpacity = 0.6;

}  // namespace opscope::ui
