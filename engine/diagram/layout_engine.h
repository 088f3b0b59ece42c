#pragma once
// Lays out what a SceneSnapshot shows: the contents of open scopes first, then what is around them.

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/diagram/geometry.h"
#include "engine/diagram/scene_model.h"

namespace opscope {

struct LayoutOptions {
  double node_gap = 32;
  double rank_gap = 48;
  double refine_seconds = 0;   ///< further crossing reduction after the draft
  bool fold = true;            ///< long drawings go in rows
  bool keep_pinned = true;     ///< pinned items stay where they are
};

/// A wire's way, whole, with the places where it passes frames of open scopes.
struct WireRoute {
  std::vector<Point> points;
  struct Border {
    uint32_t scope = 0;  ///< ItemId value
    Point at;
    bool entering = false;
  };
  std::vector<Border> borders;
};

/// How far the frame of an open scope stands off from the boxes inside.
struct FrameMargins {
  double left = kScopePadding;
  double top = kScopeHeader + kScopePadding;
  double right = kScopePadding;
  double bottom = kScopePadding;
};

/// What a layout found besides positions. A route counts as long as its ends are where the layout put them, or have
/// both moved by the same way. Given to SceneModel::AddRoutes.
struct LayoutRoutes {
  struct Key {
    uint32_t from = 0, to = 0;  // ItemId values
    int32_t from_port = 0, to_port = 0;
    uint8_t kind = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const noexcept {
      uint64_t h = (uint64_t{k.from} << 32 | k.to) * 0x9e3779b97f4a7c15ull;
      h ^= (static_cast<uint64_t>(static_cast<uint32_t>(k.from_port)) << 32 | static_cast<uint32_t>(k.to_port)) +
           (h >> 29);
      return static_cast<std::size_t>(h * 0xbf58476d1ce4e5b9ull + k.kind);
    }
  };
  std::unordered_map<Key, WireRoute, KeyHash> wires;
  std::unordered_map<uint32_t, FrameMargins> frames;  // by ItemId value of the scope
};

struct LayoutAnswer {
  struct Place {
    std::string name;    ///< as the Diagram knows it (SceneItem::DiagramName)
    bool scope = false;
    Point position;      ///< top-left corner, scene units
    Size size;           ///< of an open scope its frame
    int32_t item = -1;   ///< in the snapshot
  };
  std::vector<Place> places;
  std::shared_ptr<const LayoutRoutes> routes;
  double draft_ms = 0;
  double refine_ms = 0;
};

/// Threads: any; concurrent calls are safe. Keeps the drawings of scopes by their content, so that what did not
/// change inside an open scope is not computed again.
class LayoutEngine {
 public:
  /// Lays out an open scope ("" = everything) with all open scopes inside. The scope's own frame keeps its top-left
  /// corner, and items that it would then lie on get out of its way (they are among the places); everything begins at
  /// (0, 0). CANCELLED when stopped; NOT_FOUND when the scope isn't open in the snapshot.
  StatusOr<LayoutAnswer> Layout(const SceneSnapshot& scene, const std::string& scope, const LayoutOptions& options,
                                std::stop_token stop = {});
  /// Layout of everything.
  StatusOr<LayoutAnswer> LayoutAll(const SceneSnapshot& scene, const LayoutOptions& options,
                                   std::stop_token stop = {}) {
    return Layout(scene, std::string(), options, std::move(stop));
  }

  struct Drawing;  // one scope's content, relative to its frame

 private:
  friend class SceneLayouter;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<const Drawing>> cache_;
  std::size_t cache_cost_ = 0;
};

}  // namespace opscope
