#pragma once
// Layered (Sugiyama) drawing of one flat set of boxes: cycle removal, ranks by network simplex (Gansner et al. 1993),
// crossing reduction by barycentre sweeps and adjacent exchange, placement by Brandes and Koepf (2001) with ports,
// orthogonal wires on tracks. Nothing recurses on the input; equal input gives equal output; no global state.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/diagram/geometry.h"

namespace opscope {

/// A box to place. Port offsets run along the entering side from the box's first corner: downwards on the left side in
/// left-to-right flow, rightwards on the top side in top-to-bottom flow. Without ports an edge ends mid-side.
struct LayoutBox {
  enum class Role : uint8_t {
    kNode,
    kEntry,  ///< a point on the left (top) border of the whole drawing where wires come in; has no size
    kExit,   ///< likewise on the right (bottom) border
  };
  Size size;
  std::vector<double> inputs;
  std::vector<double> outputs;
  Role role = Role::kNode;
  double label_space = 0;  ///< free length wanted before the box for labels of its inputs (left-to-right flow)
};

struct LayoutEdge {
  int32_t from = 0;
  int32_t from_port = 0;  ///< index in outputs; out of range = mid-side
  int32_t to = 0;
  int32_t to_port = 0;    ///< index in inputs; out of range = mid-side
  bool control = false;   ///< counts less when positions are balanced
};

struct LayoutInput {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
};

struct LayeredOptions {
  bool top_to_bottom = false;
  double node_gap = 32;
  double rank_gap = 48;
  double track_gap = 8;         ///< between parallel pieces of wires
  bool orthogonal = true;       ///< false: polylines with slanted pieces in the rank gaps
  bool fold = false;            ///< fold drawings longer than 4:1 into rows
  double refine_seconds = 0;    ///< further crossing reduction after the draft
  int64_t max_dummies = 80000;  ///< longer edges than that allows run outside the drawing
};

struct LayeredResult {
  std::vector<Rect> boxes;                 ///< top-left corner of everything is (0, 0)
  std::vector<std::vector<Point>> routes;  ///< per edge, from source to target
  Size size;
  int64_t layer_crossings = 0;             ///< crossings counted between neighbouring ranks
  double draft_ms = 0;
  double refine_ms = 0;
  bool cancelled = false;                  ///< stopped early: the rest is not meaningful
};

LayeredResult LayeredLayout(const LayoutInput& input, const LayeredOptions& options, std::stop_token stop = {});

}  // namespace opscope
