#include "tests/widgets/canvas/real_scene.h"

#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/diagram/layout_engine.h"
#include "engine/graph/graph_io.h"

namespace opscope::ui {

StatusOr<std::shared_ptr<const SceneSnapshot>> layOutFile(const std::string& path, bool open, FlowDirection direction) {
  StatusOr<LoadedGraph> loaded = LoadGraph(path);
  if (!loaded.ok()) return loaded.status();
  const Graph& graph = loaded->graph;
  const Hierarchy hierarchy(graph);
  Diagram diagram;
  diagram.set_direction(direction);
  diagram.set_default_collapsed(!open && graph.num_nodes() > Diagram::kOpenLimit);
  SceneModel model;
  const EstimatedLabelMeter meter;
  std::shared_ptr<const SceneSnapshot> scene = model.Rebuild(graph, hierarchy, diagram, meter);
  LayoutEngine engine;
  const StatusOr<LayoutAnswer> answer = engine.LayoutAll(*scene, {});
  if (!answer.ok()) return answer.status();
  for (const LayoutAnswer::Place& place : answer->places) diagram.SetPosition(place.name, place.scope, place.position);
  model.AddRoutes(answer->routes);
  return model.Rebuild(graph, hierarchy, diagram, meter);
}

}  // namespace opscope::ui
