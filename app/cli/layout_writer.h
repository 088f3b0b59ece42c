#pragma once
// The forms in which `opscope-cli layout` prints a drawing.

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/diagram/geometry.h"
#include "engine/diagram/scene_model.h"

namespace opscope::cli {

struct LayoutDocument {
  struct Node {
    std::string name;
    ItemKind kind = ItemKind::kOp;
    Rect rect;
    bool collapsed = false;
  };
  struct Edge {
    std::string from;
    std::string to;
    std::vector<Point> points;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  double draft_ms = 0;
  double refine_ms = 0;
};

/// One JSON document (interfaces.md, section 2), or a table for people.
void Write(const LayoutDocument& document, bool json, std::ostream& out);

}  // namespace opscope::cli
