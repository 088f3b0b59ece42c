#include "engine/diagram/make_room.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace opscope {
namespace {

/// Pushes down what lies on the frame or on another one, from top to bottom.
bool ResolveRest(const Rect& frame, double gap, std::vector<Rect>* others) {
  std::vector<std::size_t> order(others->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return (*others)[a].y < (*others)[b].y; });
  bool moved = false;
  std::vector<Rect> fixed{frame};
  for (std::size_t i : order) {
    Rect& r = (*others)[i];
    for (bool again = true; again;) {
      again = false;
      for (const Rect& f : fixed) {
        if (!f.Intersects(r)) continue;
        r.y = f.bottom() + gap;
        again = moved = true;
      }
    }
    fixed.push_back(r);
  }
  return moved;
}

}  // namespace

bool MakeRoom(const Rect& frame, Size closed, double gap, std::vector<Rect>* others) {
  const auto is_right = [&](const Rect& r) { return r.x >= frame.x + closed.width * 0.8; };
  const auto is_below = [&](const Rect& r) { return !is_right(r) && r.y >= frame.y + closed.height * 0.8; };
  double dx = 0;
  double dy = 0;
  for (const Rect& r : *others) {
    if (!r.Intersects(frame)) continue;
    if (is_right(r)) dx = std::max(dx, frame.right() + gap - r.x);
    if (is_below(r)) dy = std::max(dy, frame.bottom() + gap - r.y);
  }
  for (Rect& r : *others) {
    if (is_right(r)) {
      r.x += dx;
    } else if (is_below(r)) {
      r.y += dy;
    }
  }
  const bool pushed = ResolveRest(frame, gap, others);
  return dx > 0 || dy > 0 || pushed;
}

}  // namespace opscope
