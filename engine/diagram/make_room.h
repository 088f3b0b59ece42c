#pragma once
// Room for a scope that was opened among items that have their places.

#include <vector>

#include "engine/diagram/geometry.h"

namespace opscope {

/// `frame` has grown to the right and downwards from its corner, over `others`. Moves those to the right of what it was
/// (about `closed` large) right, and those below down, each group as a whole, and what is still in the way further
/// down. Returns whether something moved.
bool MakeRoom(const Rect& frame, Size closed, double gap, std::vector<Rect>* others);

}  // namespace opscope
