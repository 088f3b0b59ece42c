#include "engine/graph/dot_writer.h"

#include <algorithm>

#include "engine/base/text.h"

namespace opscope {
namespace {

/// Graphviz recurses into clusters; no reader wants more levels than this.
constexpr size_t kMaxClusterDepth = 50;

std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : Printable(text, 10000)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string NodeKey(NodeId id) { return StrCat("n", id.value); }

struct Entry {
  std::vector<std::string> scopes;
  NodeId id;
};

class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : graph_(graph) {}

  std::string Run() {
    out_ = "digraph {\n  node [shape=box, style=rounded];\n";
    WriteNodes();
    WriteEdges();
    return std::move(out_) + "}\n";
  }

 private:
  std::vector<Entry> Entries() const {
    std::vector<Entry> entries;
    graph_.ForEachNode([&](NodeId id, const Node& node) {
      std::vector<std::string> scopes = Split(node.name(), '/');
      scopes.pop_back();
      if (scopes.size() > kMaxClusterDepth) scopes.resize(kMaxClusterDepth);
      entries.push_back({std::move(scopes), id});
    });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.scopes < b.scopes; });
    return entries;
  }

  void Indent() { out_.append(2 * (open_.size() + 1), ' '); }

  // Closes and opens clusters until those of `scopes` are open; entries come sorted, so each opens once.
  void OpenClusters(const std::vector<std::string>& scopes) {
    size_t common = 0;
    while (common < open_.size() && common < scopes.size() && open_[common] == scopes[common]) ++common;
    while (open_.size() > common) {
      open_.pop_back();
      Indent();
      out_ += "}\n";
    }
    while (open_.size() < scopes.size()) {
      Indent();
      out_ += StrCat("subgraph cluster_", num_clusters_++, " {\n");
      open_.push_back(scopes[open_.size()]);
      Indent();
      out_ += StrCat("label=", Quote(open_.back()), ";\n");
    }
  }

  void WriteNodes() {
    for (const Entry& entry : Entries()) {
      OpenClusters(entry.scopes);
      const Node& node = graph_.node(entry.id);
      std::string label = Quote(LastPart(node.name()));
      label.pop_back();
      label += "\\n" + Quote(node.op()).substr(1);
      Indent();
      out_ += StrCat(NodeKey(entry.id), " [label=", label, ", tooltip=", Quote(node.name()), "];\n");
    }
    OpenClusters({});
  }

  std::string Ghost(std::string_view name) {
    const auto [found, is_new] = ghosts_.try_emplace(std::string(name), ghosts_.size());
    const std::string key = StrCat("ghost", found->second);
    if (is_new) out_ += StrCat("  ", key, " [label=", Quote(name), ", style=dashed];\n");
    return key;
  }

  void WriteEdges() {
    graph_.ForEachNode([&](NodeId id, const Node& node) {
      for (const std::string& input : node.def.input()) {
        const TensorId tensor = ParseTensorName(input);
        const NodeId src = graph_.Find(tensor.node);
        const std::string from = src.valid() ? NodeKey(src) : Ghost(tensor.node);
        std::string attributes;
        if (tensor.is_control()) attributes = " [style=dashed]";
        if (tensor.index > 0) attributes = StrCat(" [taillabel=\"", tensor.index, "\"]");
        out_ += StrCat("  ", from, " -> ", NodeKey(id), attributes, ";\n");
      }
    });
  }

  const Graph& graph_;
  std::string out_;
  std::vector<std::string> open_;
  size_t num_clusters_ = 0;
  StringMap<size_t> ghosts_;
};

}  // namespace

std::string GraphToDot(const Graph& graph) { return DotWriter(graph).Run(); }

}  // namespace opscope
