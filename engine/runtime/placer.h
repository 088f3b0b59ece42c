#pragma once
// Placer: which device each node runs on, and why. Follows what TensorFlow's placer does for CPUs.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/graph/graph.h"
#include "engine/runtime/device_mgr.h"

namespace opscope {

/// What decided (interfaces.md, `place`).
enum class PlacementRule {
  kRequested, kColocated, kReference, kResource, kFollowsConsumer, kFollowsInput, kOnlyKernel, kSoft, kDefault
};
/// "requested", "follows_consumer" …
std::string_view PlacementRuleName(PlacementRule rule);

struct PlacedNode {
  Device* device = nullptr;  ///< Null for ids that have no node.
  PlacementRule rule = PlacementRule::kDefault;
};

struct PlacerOptions {
  bool allow_soft_placement = false;
};

/// A device for every node, by NodeId. Errors, worded as TensorFlow's: a malformed or absent device, colocated nodes that
/// want different ones.
StatusOr<std::vector<PlacedNode>> PlaceGraph(const Graph& graph, const DeviceMgr& devices, const PlacerOptions& options);

}  // namespace opscope
