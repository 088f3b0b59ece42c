#include "engine/diagram/scope_problem.h"

#include <algorithm>

namespace opscope {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }

class Splitter {
 public:
  explicit Splitter(const SceneSnapshot& scene) : scene_(scene) {}

  SceneProblems Run() {
    AddScopes();
    borders_.resize(out_.scopes.size());
    piece_index_.resize(out_.scopes.size());
    out_.ways.resize(scene_.edges.size());
    for (std::size_t e = 0; e < scene_.edges.size(); ++e) AddEdge(e);
    return std::move(out_);
  }

 private:
  struct Borders {
    std::unordered_map<uint64_t, int32_t> entries;
    std::unordered_map<uint64_t, int32_t> exits;
  };
  struct PieceKey {
    uint64_t from, to;
    friend bool operator==(const PieceKey&, const PieceKey&) = default;
  };
  struct PieceKeyHash {
    std::size_t operator()(const PieceKey& k) const noexcept {
      return static_cast<std::size_t>(k.from * 0x9e3779b97f4a7c15ull ^ k.to * 0xbf58476d1ce4e5b9ull);
    }
  };

  void AddScopes();
  void AddEdge(std::size_t edge);
  int32_t ProblemAround(int32_t item) const {
    const int32_t parent = scene_.items[U(item)].parent;
    return parent < 0 ? 0 : out_.problem_of[U(parent)];
  }
  int32_t Entry(int32_t problem, uint64_t source) {
    const auto [it, fresh] = borders_[U(problem)].entries.emplace(source, out_.scopes[U(problem)].num_entries);
    if (fresh) ++out_.scopes[U(problem)].num_entries;
    return it->second;
  }
  int32_t Exit(int32_t problem, uint64_t source) {
    const auto [it, fresh] = borders_[U(problem)].exits.emplace(source, out_.scopes[U(problem)].num_exits);
    if (fresh) ++out_.scopes[U(problem)].num_exits;
    return it->second;
  }
  void AddPiece(std::size_t edge, int32_t problem, const PieceEnd& from, const PieceEnd& to, bool control);
  PieceEnd Child(int32_t item, int32_t port) const {
    return {PieceEnd::Kind::kChild, place_[U(item)], port};
  }

  const SceneSnapshot& scene_;
  SceneProblems out_;
  std::vector<int32_t> place_;  // by item: number among the children of its scope
  std::vector<Borders> borders_;
  std::vector<std::unordered_map<PieceKey, int32_t, PieceKeyHash>> piece_index_;
};

void Splitter::AddScopes() {
  out_.scopes.emplace_back();
  out_.problem_of.assign(scene_.items.size(), -1);
  place_.assign(scene_.items.size(), 0);
  for (std::size_t i = 0; i < scene_.items.size(); ++i) {
    const SceneItem& item = scene_.items[i];
    const auto index = static_cast<int32_t>(i);
    auto& siblings = out_.scopes[U(ProblemAround(index))].children;
    place_[i] = static_cast<int32_t>(siblings.size());
    siblings.push_back(index);
    if (item.kind != ItemKind::kScope || item.collapsed) continue;
    out_.problem_of[i] = static_cast<int32_t>(out_.scopes.size());
    out_.scopes.emplace_back();
    out_.scopes.back().scope = index;
  }
}

void Splitter::AddPiece(std::size_t edge, int32_t problem, const PieceEnd& from, const PieceEnd& to, bool control) {
  const auto code = [](const PieceEnd& e) {
    return (uint64_t{static_cast<uint32_t>(e.index)} * 4 + static_cast<uint64_t>(e.kind)) << 28 ^
           uint64_t{static_cast<uint32_t>(e.port)};
  };
  ScopeProblem& p = out_.scopes[U(problem)];
  const auto [it, fresh] =
      piece_index_[U(problem)].emplace(PieceKey{code(from), code(to)}, static_cast<int32_t>(p.pieces.size()));
  if (fresh) p.pieces.push_back({from, to, control});
  out_.ways[edge].push_back({problem, it->second});
}

void Splitter::AddEdge(std::size_t e) {
  const SceneEdge& edge = scene_.edges[e];
  const bool control = edge.kind == SceneEdgeKind::kControl;
  const uint64_t source = uint64_t{static_cast<uint32_t>(edge.from)} << 32 | static_cast<uint32_t>(edge.from_port);
  // The scopes around the target from outside to inside, below the innermost that is around the source, too.
  int32_t a = scene_.items[U(edge.from)].parent;
  int32_t b = scene_.items[U(edge.to)].parent;
  std::vector<int32_t> leave;
  std::vector<int32_t> enter;
  const auto depth = [&](int32_t scope) { return scope < 0 ? -1 : scene_.items[U(scope)].depth; };
  while (a != b) {
    if (depth(a) >= depth(b)) {
      leave.push_back(a);
      a = scene_.items[U(a)].parent;
    } else {
      enter.push_back(b);
      b = scene_.items[U(b)].parent;
    }
  }
  PieceEnd from = Child(edge.from, edge.from_port);
  for (int32_t scope : leave) {
    const int32_t problem = out_.problem_of[U(scope)];
    const int32_t exit = Exit(problem, source);
    AddPiece(e, problem, from, {PieceEnd::Kind::kExit, exit, 0}, control);
    from = Child(scope, exit);
  }
  int32_t around = a < 0 ? 0 : out_.problem_of[U(a)];
  for (auto it = enter.rbegin(); it != enter.rend(); ++it) {
    const int32_t problem = out_.problem_of[U(*it)];
    const int32_t entry = Entry(problem, source);
    AddPiece(e, around, from, Child(*it, entry), control);
    from = {PieceEnd::Kind::kEntry, entry, 0};
    around = problem;
  }
  AddPiece(e, around, from, Child(edge.to, edge.to_port), control);
}

}  // namespace

SceneProblems SplitIntoScopes(const SceneSnapshot& scene) { return Splitter(scene).Run(); }

}  // namespace opscope
