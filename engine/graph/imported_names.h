#pragma once
// Names of imported nodes: prefix and counting. Part of graph_importer.

#include "engine/base/status.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_importer.h"

#include <string>
#include <string_view>

namespace opscope {

/// What the nodes of a GraphDef are called in the graph that they come into. Borrows its arguments.
class ImportedNames {
 public:
  ImportedNames(const Graph& graph, const GraphDef& def, const ImportOptions& options)
      : graph_(graph), def_(def), options_(options) {}

  /// Settles the prefix; INVALID_ARGUMENT where names would be invalid or are taken.
  Status Prepare();
  /// Whether every node keeps its name. After Prepare.
  bool keep() const { return prefix_.empty() && !counts_up_; }
  /// The new name of a node, chosen when it is first asked for: a loop's head reads what comes later.
  const std::string& NewName(const std::string& name);
  /// "_class" follows the nodes that it names.
  void RenameColocation(NodeDef* node);
  /// INVALID_ARGUMENT for a node that is to be with one that the GraphDef lacks.
  Status CheckColocation(const NodeDef& node, const StringMap<int>& index) const;

 private:
  bool IsTaken(std::string_view name) const {
    return graph_.Find(name).valid() || scopes_.contains(name);
  }
  bool InGraphDef(std::string_view name) const { return def_names_.contains(name); }
  Status CheckFree() const;
  std::string FindUnique(const std::string& name) const;

  const Graph& graph_;
  const GraphDef& def_;
  const ImportOptions& options_;
  std::string prefix_;  ///< With its "/", or "".
  bool counts_up_ = false;
  StringMap<bool> scopes_;     ///< Of the graph.
  StringMap<bool> def_names_;  ///< Names and scopes of the GraphDef.
  StringMap<std::string> renamed_;
};

}  // namespace opscope
