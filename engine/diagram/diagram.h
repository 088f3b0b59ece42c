#pragma once
// Diagram: how a graph is shown, as far as people decide it or it is saved: places, pins, closed scopes, frames.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagram/geometry.h"
#include "engine/diagram/scene_model.h"

namespace opscope {

class Hierarchy;

/// What is kept of one node or scope.
struct DiagramItem {
  std::optional<Point> position;  ///< top-left corner, scene units; of an open scope its frame's
  bool pinned = false;
  std::optional<bool> collapsed;  ///< scopes; nothing = the diagram's default
  std::string color;              ///< "#rrggbb", or empty
  bool IsDefault() const { return !position && !pinned && !collapsed && color.empty(); }
};

/// A value: copies are independent. Names of things that are gone do no harm. Threads: that of its document; a copy may
/// go to a worker.
class Diagram {
 public:
  using Items = std::map<std::string, DiagramItem, std::less<>>;

  /// nullptr when nothing is known.
  const DiagramItem* Find(std::string_view name, bool scope) const;
  /// For change; made when missing.
  DiagramItem& Item(std::string_view name, bool scope);
  void Erase(std::string_view name, bool scope);
  const Items& ops() const { return ops_; }
  const Items& scopes() const { return scopes_; }

  std::optional<Point> Position(std::string_view name, bool scope) const;
  void SetPosition(std::string_view name, bool scope, std::optional<Point> position);
  bool IsPinned(std::string_view name, bool scope) const;
  void SetPinned(std::string_view name, bool scope, bool pinned);
  bool IsCollapsed(std::string_view scope) const;
  void SetCollapsed(std::string_view scope, std::optional<bool> collapsed);
  /// What scopes without a decision are: closed in graphs that came from elsewhere and have more than kOpenLimit ops.
  bool default_collapsed() const { return default_collapsed_; }
  void set_default_collapsed(bool collapsed) { default_collapsed_ = collapsed; }
  static constexpr std::size_t kOpenLimit = 60;

  /// Moves a scope with all that lies in it and has a position.
  void MoveScope(std::string_view scope, Point by);
  /// Forgets all positions of the scope's contents ("" = everything), pinned ones kept.
  void ForgetPositions(std::string_view scope);

  const std::vector<SceneFrame>& frames() const { return frames_; }
  void set_frames(std::vector<SceneFrame> frames) { frames_ = std::move(frames); }

  /// Scopes that are one thing on the canvas while closed, with what it is called ("Variable").
  const std::map<std::string, std::string, std::less<>>& composites() const { return composites_; }
  std::string Composite(std::string_view scope) const;            ///< "" = none
  void SetComposite(std::string_view scope, std::string kind);    ///< "" = none any more

  FlowDirection direction() const { return direction_; }
  void set_direction(FlowDirection direction) { direction_ = direction; }
  double zoom() const { return zoom_; }                           ///< 0 = not set: fit
  Point center() const { return center_; }
  void set_camera(double zoom, Point center) { zoom_ = zoom, center_ = center; }
  const std::string& overlay() const { return overlay_; }
  void set_overlay(std::string overlay) { overlay_ = std::move(overlay); }

 private:
  Items ops_;
  Items scopes_;
  bool default_collapsed_ = false;
  std::vector<SceneFrame> frames_;
  std::map<std::string, std::string, std::less<>> composites_;
  FlowDirection direction_ = FlowDirection::kLeftRight;
  double zoom_ = 0;
  Point center_;
  std::string overlay_;
};

}  // namespace opscope
