#pragma once
// `opscope-cli layout`: positions of a graph's nodes and wires, as the canvas would show them.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/diagram/geometry.h"
#include "engine/graph/graph.h"

namespace opscope::cli {

struct LayoutArguments {
  std::string file;
  bool json = false;
  bool expand_all = false;
  std::vector<std::string> expand;   ///< scopes to open, with those around them
  bool flat = false;
  bool top_to_bottom = false;
  bool label_sizes = false;          ///< boxes as wide as the last part of the name
  std::optional<Size> node_size;
  double node_gap = 32;
  double rank_gap = 48;
  double refine_seconds = 0;

  void SetExpand(const std::vector<std::string>& words);
  /// Read the texts of options; UsageError naming the option.
  Status SetDirection(const std::string& word);
  Status SetNodeSize(const std::string& word);
  Status SetGaps(const std::string& word);
  Status SetRefine(double seconds);
};

/// Lays the graph out and writes the result. NOT_FOUND for a scope to open that the graph doesn't have.
Status WriteLayout(const Graph& graph, const LayoutArguments& arguments, std::ostream& out);

}  // namespace opscope::cli
