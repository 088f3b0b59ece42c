#pragma once
// The layout problems of a scene's open scopes: what stands in each, where wires enter and leave it, and which pieces
// of wires run in it.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/diagram/scene_model.h"

namespace opscope {

/// Where a piece of a wire ends in a scope.
struct PieceEnd {
  enum class Kind : uint8_t { kChild, kEntry, kExit };
  Kind kind = Kind::kChild;
  int32_t index = 0;      ///< in children, entries or exits of the problem
  int32_t port = 0;       ///< kChild: the item's port; of an open scope the number of its exit or entry
  friend bool operator==(const PieceEnd&, const PieceEnd&) = default;
};

struct WirePiece {
  PieceEnd from;
  PieceEnd to;
  bool control = false;
};

/// One open scope. Wires of one source share the place where they enter or leave, and the way up to where they part.
struct ScopeProblem {
  int32_t scope = -1;                ///< item, -1 = root
  std::vector<int32_t> children;     ///< items
  int32_t num_entries = 0;
  int32_t num_exits = 0;
  std::vector<WirePiece> pieces;
};

/// Piece `piece` of problem `problem`.
struct PieceRef {
  int32_t problem = 0;
  int32_t piece = 0;
};

/// All open scopes of a scene, and the way of each of its edges through them, from source to target.
struct SceneProblems {
  std::vector<ScopeProblem> scopes;          ///< [0] is the root; a scope comes after the one around it
  std::vector<int32_t> problem_of;           ///< by item: the number in `scopes`, -1 for ops and closed scopes
  std::vector<std::vector<PieceRef>> ways;   ///< by edge
};

SceneProblems SplitIntoScopes(const SceneSnapshot& scene);

}  // namespace opscope
