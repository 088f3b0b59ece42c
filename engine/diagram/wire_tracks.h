#pragma once
// Tracks for the wire pieces of one gap between two layers.

#include <cstdint>
#include <vector>

namespace opscope::layered {

/// Wires that share one vertical line in a gap: where they come in from the left layer and go out to the right one.
struct Net {
  std::vector<double> lefts;
  std::vector<double> rights;
  double low = 0;
  double high = 0;
  int32_t track = 0;

  void Finish();  ///< sets low and high
};

/// Gives each net a track, numbered from the left; nets that would touch get different ones. Returns their number.
int32_t AssignTracks(std::vector<Net>* nets);

}  // namespace opscope::layered
