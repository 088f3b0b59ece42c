#pragma once
// The working form of a layered drawing: boxes and the dummies of long edges in layers, joined by segments between
// neighbouring layers. Coordinates are "along" (the flow) and "across"; the caller turns them for the direction.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opscope::layered {

/// A box as the layering sees it.
struct FlowBox {
  double along = 0;
  double across = 0;
  std::vector<double> inputs;
  std::vector<double> outputs;
  double label_space = 0;
  bool entry = false;
  bool exit = false;
};

/// An edge with its offsets across, resolved.
struct FlowEdge {
  int32_t from = 0;
  int32_t to = 0;
  double from_off = 0;
  double to_off = 0;
  bool control = false;
};

struct FlowGraph {
  std::vector<FlowBox> boxes;
  std::vector<FlowEdge> edges;
};

/// A piece of an edge from one layer to the next.
struct Segment {
  int32_t from = 0;
  int32_t to = 0;
  double from_off = 0;
  double to_off = 0;
  float weight = 1;
};

enum class EdgeForm : uint8_t {
  kForward,   ///< source's layer is before the target's: a chain of segments
  kBackward,  ///< turns round both ends: dummies in every layer from the target's to the source's
  kOutside,   ///< too long: runs in a lane beside the drawing
};

/// How an edge of the FlowGraph lies in the LayerGraph. `chain` holds its dummies from lower to higher layer.
struct EdgePath {
  EdgeForm form = EdgeForm::kForward;
  int32_t chain_begin = 0;
  int32_t chain_end = 0;
  int32_t lane = 0;
};

/// REQUIRES: vertices 0..num_boxes-1 are the FlowGraph's boxes, the others dummies.
struct LayerGraph {
  int32_t num_boxes = 0;
  std::vector<int32_t> layer;             // of each vertex
  std::vector<int32_t> pos;               // in its layer
  std::vector<double> height;             // across
  std::vector<int32_t> mate;              // dummy at the turn of a backward edge: the box it turns round; else -1
  std::vector<std::vector<int32_t>> order;  // vertices of each layer
  std::vector<Segment> segments;
  // Segments leaving to the next layer and coming from the previous one, by vertex; sorted by offset.
  std::vector<int32_t> out_begin, out_list;
  std::vector<int32_t> in_begin, in_list;
  std::vector<int32_t> chain;             // dummies of all edges
  std::vector<EdgePath> paths;            // per edge of the FlowGraph

  int32_t size() const { return static_cast<int32_t>(layer.size()); }
  bool IsDummy(int32_t v) const { return v >= num_boxes; }
  void RenumberLayer(int32_t l) {
    auto& row = order[static_cast<std::size_t>(l)];
    for (std::size_t i = 0; i < row.size(); ++i) pos[static_cast<std::size_t>(row[i])] = static_cast<int32_t>(i);
  }
};

/// Builds layers, dummies and segments from ranks (smallest 0). The longest edges run outside while there would be
/// more than `max_dummies` dummies.
LayerGraph BuildLayerGraph(const FlowGraph& graph, const std::vector<int32_t>& rank, int64_t max_dummies);

}  // namespace opscope::layered
