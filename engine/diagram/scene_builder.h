#pragma once
// Makes one SceneSnapshot; internal to SceneModel.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/layout_engine.h"
#include "engine/diagram/op_ports.h"
#include "engine/diagram/scene_model.h"
#include "engine/graph/graph.h"

namespace opscope {

/// Works once. Steps: items from the open scopes, edges between them, ports and sizes, places, wires.
class SceneBuilder {
 public:
  SceneBuilder(const Graph& graph, const Hierarchy& hierarchy, const Diagram& diagram, const LabelMeter& meter,
               const LayoutRoutes* routes, SceneModel* model)
      : graph_(graph), hierarchy_(hierarchy), diagram_(diagram), meter_(meter), routes_(routes), model_(model),
        ports_(graph) {}

  std::shared_ptr<SceneSnapshot> Build();

  /// Deeper scopes are shown closed whatever the diagram says: frames in frames have an end, and names a length.
  static constexpr int kMaxOpenDepth = 48;

 private:
  // scene_builder.cpp: what there is
  void AddItems();
  void AddOp(NodeId id, int32_t parent, int32_t depth);
  int32_t AddScope(ScopeId id, int32_t parent, int32_t depth);
  bool IsClosed(const Scope& scope) const;
  void AddEdges();
  SceneEdge* EdgeBetween(int32_t from, int32_t to, int32_t from_port, int32_t to_port, SceneEdgeKind kind);
  void AddEdge(NodeId reader, const InEdge& in);
  void SetScopePorts();
  void SetCompositeOutput(SceneItem* item);
  void SetSize(SceneItem* item);
  void IndexItems();
  // scene_places.cpp: where it is
  void PlaceItems();
  void PlaceContent(int32_t scope, const std::vector<int32_t>& children);
  void ApplyShifts();
  void RouteEdges();
  const WireRoute* ValidRoute(const SceneEdge& edge, Point from, Point to, Point* shift) const;
  void AddBorderPort(const WireRoute::Border& border, Point shift, const SceneEdge& edge);
  void MeasureBounds();

  const Graph& graph_;
  const Hierarchy& hierarchy_;
  const Diagram& diagram_;
  const LabelMeter& meter_;
  const LayoutRoutes* routes_;
  SceneModel* model_;
  OpPorts ports_;
  std::shared_ptr<SceneSnapshot> out_;
  std::vector<int32_t> item_of_;          // by node id
  std::vector<ScopeId> scope_of_item_;    // scopes only
  std::vector<uint8_t> placed_;           // by item: the diagram knows a position
  std::vector<Point> shift_;              // by item: how far its content has to move
  struct EdgeKey {
    uint64_t ends;
    uint64_t ports;
    friend bool operator==(const EdgeKey&, const EdgeKey&) = default;
  };
  struct EdgeKeyHash {
    std::size_t operator()(const EdgeKey& k) const noexcept {
      return static_cast<std::size_t>((k.ends * 0x9e3779b97f4a7c15ull) ^ (k.ports * 0xbf58476d1ce4e5b9ull));
    }
  };
  std::unordered_map<EdgeKey, int32_t, EdgeKeyHash> edge_index_;
};

/// Where wires end on an item: port -1 of the outputs is the control source. Relative to the item.
Point OutputOffset(const SceneItem& item, int32_t port, FlowDirection direction);
Point InputOffset(const SceneItem& item, int32_t port);

}  // namespace opscope
