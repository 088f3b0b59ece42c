#pragma once
// What an overlay is computed from; gathered by whoever owns the controllers.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QString>

#include "engine/diagram/scene_model.h"
#include "engine/graph/graph.h"
#include "engine/graph/validation.h"
#include "engine/trace/trace_cursor.h"

namespace opscope::ui {

/// dtype and shape of a node's first output as inferred; empty strings where unknown.
struct InferredType {
  std::string dtype;  ///< numpy's name: "float32"
  QString shape;      ///< "?×784", "scalar"; "?" for an unknown rank
};

struct BreakpointInfo {
  bool enabled = true;
  QString condition;  ///< "when NaN"; empty = always
};

enum class VariableState : uint8_t { kUnknown, kUninitialised, kInitialised };

struct OverlayInput {
  std::shared_ptr<const SceneSnapshot> scene;
  const Graph* graph = nullptr;        ///< borrowed; valid while OverlayModel may be asked
  const TraceCursor* cursor = nullptr; ///< borrowed; null or an empty trace = no run is shown
  bool active = false;                 ///< a run goes on or is paused
  bool stale = false;                  ///< the graph changed since the run
  std::string current;                 ///< node that the run is paused before
  std::string failed;                  ///< node that a run failed at
  QString failure;                     ///< its message
  std::map<std::string, int> topological;       ///< from 1, of the nodes that the fetches need
  std::map<std::string, std::string> placement; ///< assigned devices of the session
  std::vector<InferredType> types;     ///< by NodeId
  std::vector<Diagnostic> problems;
  std::map<std::string, std::string> feeds;     ///< tensor name to value text
  std::map<std::string, BreakpointInfo> breakpoints;
  std::map<std::string, VariableState> variables;
};

}  // namespace opscope::ui
