#pragma once
// Scenes made by hand, for pictures and tests without an engine behind them.

#include <memory>
#include <string>
#include <vector>

#include "engine/diagram/scene_model.h"
#include "widgets/overlays/overlay.h"

namespace opscope::ui {

/// Collects items and wires; ports stand where the layout would put them.
class DemoScene {
 public:
  int op(const std::string& type, const std::string& name, double x, double y, double width,
         std::vector<std::string> inputs = {}, std::vector<std::string> outputs = {""}, int parent = -1);
  int scope(const std::string& name, double x, double y, double width, double height, int parent = -1);
  int closed(const std::string& name, int ops, double x, double y, double width, int parent = -1);
  void boundary(int scope, bool output, double y);
  /// Orthogonal, its vertical piece at `bendX`; straight where both ends are on one height.
  int wire(int from, int output, int to, int input, double bendX = 0, SceneEdgeKind kind = SceneEdgeKind::kData);
  int curve(int from, int output, int to, int input);
  SceneItem& item(int i) { return scene_->items[static_cast<size_t>(i)]; }
  SceneEdge& edge(int e) { return scene_->edges[static_cast<size_t>(e)]; }
  std::shared_ptr<const SceneSnapshot> take();
  size_t size() const { return scene_->items.size(); }

 private:
  Point portAt(int item, bool output, int port) const;
  std::shared_ptr<SceneSnapshot> scene_ = std::make_shared<SceneSnapshot>();
};

/// The graph of the mock-up "build": a dense layer with one wire missing.
std::shared_ptr<const SceneSnapshot> buildScene();
std::shared_ptr<const OverlayPicture> buildOverlay(const SceneSnapshot& scene);
/// Training, paused before an op: the mock-up "debug".
std::shared_ptr<const SceneSnapshot> debugScene();
std::shared_ptr<const OverlayPicture> debugOverlay(const SceneSnapshot& scene);
/// `count` ops in blocks of 32 in super-blocks, with wires within and a few far ones.
std::shared_ptr<const SceneSnapshot> bigScene(int count, bool scopes);

}  // namespace opscope::ui
