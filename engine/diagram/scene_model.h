#pragma once
// What is visible now: items (ops, scopes, series) and edges as one immutable snapshot, computed from a Graph's
// Hierarchy and a Diagram. The canvas mirrors a snapshot and asks for nothing else.
//
// Threads: SceneModel lives on the UI thread; a SceneSnapshot is immutable and may be read anywhere.

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/diagram/geometry.h"

namespace opscope {

class Diagram;
class Graph;
class Hierarchy;
class LabelMeter;
struct LayoutRoutes;

/// Names one visible thing for as long as its SceneModel lives: an op keeps its id over edits of the graph (it is its
/// NodeId), a scope or series keeps it by its name over collapse, expand and rebuild.
struct ItemId {
  static constexpr uint32_t kNone = 0xffffffffu;
  static constexpr uint32_t kScopeBit = 0x80000000u;
  uint32_t value = kNone;
  bool valid() const { return value != kNone; }
  friend bool operator==(ItemId, ItemId) = default;
  friend auto operator<=>(ItemId, ItemId) = default;
};

enum class ItemKind : uint8_t { kOp, kScope, kSeries };
enum class SceneEdgeKind : uint8_t { kData, kControl, kRef };
enum class FlowDirection : uint8_t { kLeftRight, kTopBottom };

/// A place on an item's frame where wires end. Data ports come first, in the order of the op's inputs (outputs); an
/// unconnected input of a known op has a port, too.
struct ScenePort {
  std::string name;  ///< of the op's argument ("x", "values[2]"); empty where there is none to show
  Point offset;      ///< from the item's top-left corner; always on the frame
  bool connected = false;
  bool control = false;   ///< drawn as a hollow diamond
  bool boundary = false;  ///< of an expanded scope: a wire goes on inside from here
  bool ref = false;       ///< a reference or resource value
  NodeId node;            ///< the op whose input or output this is; not valid() for ports that stand for several
  int32_t index = -1;     ///< its number there
};

struct SceneItem {
  ItemId id;
  ItemKind kind = ItemKind::kOp;
  NodeId node;                ///< ops only
  int32_t parent = -1;        ///< index in SceneSnapshot::items of the expanded scope around it; -1 at the root
  int32_t depth = 0;          ///< number of scopes around it
  bool collapsed = false;     ///< scopes: the content is not shown
  bool pinned = false;        ///< stays where it is when laid out
  Rect rect;                  ///< scene units; of an expanded scope the whole frame with its header
  std::string name;           ///< full name of the node or scope
  std::string title;          ///< the part of the name below the enclosing visible scope
  std::string subtitle;       ///< op type; of a scope "13 ops"
  int32_t op_count = 0;       ///< scopes and series: ops inside, at any depth
  int32_t scope_count = 0;    ///< scopes: scopes inside, at any depth
  std::string composite;      ///< closed scopes that are one thing: what it is called ("Variable")
  std::vector<ScenePort> inputs;   ///< left frame (top in top-to-bottom flow); control port last
  std::vector<ScenePort> outputs;  ///< right frame (bottom)
  std::vector<std::string> members;  ///< series: the ops' names
  /// What the Diagram knows it by where that isn't `name`: the second and further nodes of one name (a faulty graph).
  std::string place_name;
  const std::string& DiagramName() const { return place_name.empty() ? name : place_name; }
};

struct SceneEdge {
  int32_t from = -1;          ///< index in SceneSnapshot::items
  int32_t to = -1;
  int32_t from_port = 0;      ///< index in the item's outputs; -1 = the control source (no port is drawn)
  int32_t to_port = 0;        ///< index in the item's inputs
  int32_t from_output = -1;   ///< output number at the source op; -1 = control, or several in a bundle
  int32_t to_input = -1;      ///< input number at the reading op; -1 = control, or several in a bundle
  SceneEdgeKind kind = SceneEdgeKind::kData;
  bool routed = false;        ///< `points` come from the layout (orthogonal: draw them with rounded corners); otherwise
                              ///< they are the two ends, to be joined by a curve
  int32_t count = 1;          ///< edges of the graph that this line stands for
  NodeId from_node;           ///< of the first one: the ops at its ends
  NodeId to_node;
  std::vector<Point> points;  ///< scene units, from port to port, two or more
};

/// A free text box behind the items.
struct SceneFrame {
  Rect rect;
  std::string text;
};

struct SceneSnapshot {
  uint64_t version = 0;          ///< grows with every snapshot of one SceneModel
  FlowDirection direction = FlowDirection::kLeftRight;
  std::vector<SceneItem> items;  ///< a scope comes before what lies in it: painting order
  std::vector<SceneEdge> edges;
  std::vector<SceneFrame> frames;
  Rect bounds;                   ///< around everything
  /// Expanded scopes ("" = root) in which some item has no position yet and stands in a provisional place.
  std::vector<std::string> unplaced_scopes;

  /// Index of an item, or -1.
  int32_t Find(ItemId id) const;
  int32_t FindOp(std::string_view name) const;
  int32_t FindScope(std::string_view name) const;
  /// The item that stands for an op: itself, or the collapsed scope or series that hides it; -1 if unknown.
  int32_t FindVisible(std::string_view op_name) const;

 private:
  friend class SceneBuilder;
  std::unordered_map<uint32_t, int32_t> by_id_;
  std::unordered_map<std::string_view, int32_t> ops_by_name_;     // views into items[i].name
  std::unordered_map<std::string_view, int32_t> scopes_by_name_;
  std::unordered_map<std::string_view, int32_t> series_by_member_;
};

/// What differs between two snapshots: ids for items; edges are replaced as a whole when `edges_changed`.
struct SceneDelta {
  std::vector<ItemId> added;
  std::vector<ItemId> removed;
  std::vector<ItemId> changed;
  bool edges_changed = false;
  bool empty() const {
    return added.empty() && removed.empty() && changed.empty() && !edges_changed;
  }
};
SceneDelta Difference(const SceneSnapshot& before, const SceneSnapshot& after);

/// Keeps the ids of scopes stable and makes snapshots.
class SceneModel {
 public:
  SceneModel();
  ~SceneModel();
  SceneModel(const SceneModel&) = delete;
  SceneModel& operator=(const SceneModel&) = delete;

  /// Computes the picture anew and keeps it as snapshot(). Items without a position get a provisional one beside the
  /// others. `meter` estimates text widths. Cost: linear in what is visible plus the edges of the graph.
  std::shared_ptr<const SceneSnapshot> Rebuild(const Graph& graph, const Hierarchy& hierarchy,
                                               const Diagram& diagram, const LabelMeter& meter);
  /// The last picture; never null (empty at first).
  std::shared_ptr<const SceneSnapshot> snapshot() const { return snapshot_; }

  /// Takes the wires of a layout into account from the next Rebuild on (together with its positions in the Diagram).
  void AddRoutes(std::shared_ptr<const LayoutRoutes> routes);
  void ClearRoutes();

  /// The stable id of a scope or series by its full name.
  ItemId ScopeItem(std::string_view name);

 private:
  std::shared_ptr<const SceneSnapshot> snapshot_;
  std::shared_ptr<LayoutRoutes> routes_;
  std::unordered_map<std::string, uint32_t> scope_ids_;
  uint64_t version_ = 0;
};

}  // namespace opscope
