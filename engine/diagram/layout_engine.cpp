#include "engine/diagram/layout_engine.h"

#include <algorithm>
#include <cmath>

#include "engine/diagram/make_room.h"
#include "engine/diagram/scope_drawing.h"
#include "engine/diagram/scope_problem.h"

namespace opscope {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kLeastClosedWidth = 120;
constexpr std::size_t kCacheLimit = 4'000'000;  // points and boxes

std::size_t CostOf(const LayoutEngine::Drawing& d) {
  std::size_t cost = d.children.size() + 16;
  for (const auto& piece : d.pieces) cost += piece.size() + 2;
  return cost;
}

}  // namespace

/// One call of Layout.
class SceneLayouter {
 public:
  SceneLayouter(LayoutEngine* engine, const SceneSnapshot& scene, const LayoutOptions& options, std::stop_token stop)
      : engine_(engine), scene_(scene), options_(options), stop_(std::move(stop)), problems_(SplitIntoScopes(scene)) {}

  StatusOr<LayoutAnswer> Run(const std::string& scope);

 private:
  using DrawingPtr = std::shared_ptr<const LayoutEngine::Drawing>;

  bool IsWithin(int32_t problem) const { return within_[U(problem)] != 0; }
  void MarkWithin(int32_t top);
  DrawingPtr Draw(const ScopeProblem& problem);
  void PlaceContent(int32_t problem, Point frame);
  void KeepPinned(const ScopeProblem& problem, std::vector<Rect>* rects);
  void MakeRoomAround(int32_t top, Point corner);
  void MoveAlong(int32_t item, Point by);
  void CollectRoutes();
  WireRoute RouteOf(std::size_t edge) const;

  LayoutEngine* engine_;
  const SceneSnapshot& scene_;
  const LayoutOptions& options_;
  std::stop_token stop_;
  SceneProblems problems_;
  std::vector<uint8_t> within_;        // by problem: is to be laid out
  std::vector<uint8_t> disturbed_;     // by problem: pinned items stand where the drawing doesn't have them
  std::vector<DrawingPtr> drawings_;   // by problem
  std::vector<Point> frames_;          // by problem
  LayoutAnswer answer_;
  std::shared_ptr<LayoutRoutes> routes_ = std::make_shared<LayoutRoutes>();
};

void SceneLayouter::MarkWithin(int32_t top) {
  within_.assign(problems_.scopes.size(), 0);
  within_[U(top)] = 1;
  for (std::size_t p = 1; p < problems_.scopes.size(); ++p) {
    const int32_t parent = scene_.items[U(problems_.scopes[p].scope)].parent;
    const int32_t around = parent < 0 ? 0 : problems_.problem_of[U(parent)];
    within_[p] |= within_[U(around)];
  }
}

SceneLayouter::DrawingPtr SceneLayouter::Draw(const ScopeProblem& problem) {
  std::vector<const LayoutEngine::Drawing*> inner;
  for (int32_t child : problem.children) {
    const int32_t p = problems_.problem_of[U(child)];
    inner.push_back(p < 0 ? nullptr : drawings_[U(p)].get());
  }
  const LayoutInput input = MakeLayoutInput(scene_, problem, inner);
  LayeredOptions layered;
  layered.top_to_bottom = scene_.direction == FlowDirection::kTopBottom;
  layered.node_gap = options_.node_gap;
  layered.rank_gap = options_.rank_gap;
  layered.fold = options_.fold;
  layered.refine_seconds = options_.refine_seconds / static_cast<double>(problems_.scopes.size());
  // Two scopes of equal content look alike, but what is theirs (names of children) is not in the drawing.
  const uint64_t key = Fingerprint(input, layered) ^ (problem.scope < 0 ? 1u : 0u);
  {
    const std::lock_guard lock(engine_->mutex_);
    const auto it = engine_->cache_.find(key);
    if (it != engine_->cache_.end() && it->second->children.size() == problem.children.size() &&
        it->second->pieces.size() == problem.pieces.size()) {
      return it->second;
    }
  }
  auto drawing = std::make_shared<LayoutEngine::Drawing>(DrawScope(scene_, problem, input, layered, stop_));
  if (stop_.stop_requested()) return drawing;
  answer_.draft_ms += drawing->draft_ms;
  answer_.refine_ms += drawing->refine_ms;
  const std::lock_guard lock(engine_->mutex_);
  engine_->cache_cost_ += CostOf(*drawing);
  if (engine_->cache_cost_ > kCacheLimit) {
    engine_->cache_.clear();
    engine_->cache_cost_ = CostOf(*drawing);
  }
  engine_->cache_[key] = drawing;
  return drawing;
}

/// Pinned items go to where they stand, the others along with them as a whole, and out of their way downwards.
void SceneLayouter::KeepPinned(const ScopeProblem& problem, std::vector<Rect>* rects) {
  std::vector<std::size_t> pinned;
  for (std::size_t i = 0; i < problem.children.size(); ++i) {
    if (scene_.items[U(problem.children[i])].pinned) pinned.push_back(i);
  }
  if (pinned.empty()) return;
  const auto at = [&](std::size_t i) { return scene_.items[U(problem.children[i])].rect.top_left(); };
  const Point by = at(pinned[0]) - (*rects)[pinned[0]].top_left();
  bool moved = false;
  for (std::size_t i : pinned) moved |= std::abs((*rects)[i].x + by.x - at(i).x) > 0.01 ||
                                        std::abs((*rects)[i].y + by.y - at(i).y) > 0.01;
  for (Rect& r : *rects) r = r.Translated(by);
  if (!moved) return;
  for (std::size_t i : pinned) {
    (*rects)[i].x = at(i).x;
    (*rects)[i].y = at(i).y;
  }
  // From top to bottom, each below what it would lie on.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rects->size(); ++i) {
    if (!scene_.items[U(problem.children[i])].pinned) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return (*rects)[a].y < (*rects)[b].y; });
  std::vector<std::size_t> fixed = pinned;
  for (std::size_t i : order) {
    Rect& r = (*rects)[i];
    for (bool again = true; again;) {
      again = false;
      for (std::size_t k : fixed) {
        if (!(*rects)[k].Grown(options_.node_gap / 2).Intersects(r)) continue;
        r.y = (*rects)[k].bottom() + options_.node_gap;
        again = true;
      }
    }
    fixed.push_back(i);
  }
}

void SceneLayouter::PlaceContent(int32_t p, Point frame) {
  const ScopeProblem& problem = problems_.scopes[U(p)];
  const LayoutEngine::Drawing& drawing = *drawings_[U(p)];
  frames_[U(p)] = frame;
  std::vector<Rect> rects;
  for (const Rect& r : drawing.children) rects.push_back(r.Translated(frame));
  const std::vector<Rect> before = rects;
  if (options_.keep_pinned) KeepPinned(problem, &rects);
  if (!rects.empty() && rects != before) {
    const Point by = rects[0].top_left() - before[0].top_left();
    for (std::size_t i = 0; i < rects.size(); ++i) {
      const Point d = rects[i].top_left() - before[i].top_left();
      if (std::abs(d.x - by.x) > 0.01 || std::abs(d.y - by.y) > 0.01) disturbed_[U(p)] = 1;
    }
    frames_[U(p)] = frame + by;
  }
  for (std::size_t i = 0; i < rects.size(); ++i) {
    const SceneItem& item = scene_.items[U(problem.children[i])];
    answer_.places.push_back({item.DiagramName(), item.kind != ItemKind::kOp, rects[i].top_left(), rects[i].size(),
                              problem.children[i]});
    const int32_t inner = problems_.problem_of[U(problem.children[i])];
    if (inner >= 0) frames_[U(inner)] = rects[i].top_left();
  }
  if (problem.scope >= 0) routes_->frames[scene_.items[U(problem.scope)].id.value] = drawing.margins;
}

WireRoute SceneLayouter::RouteOf(std::size_t edge) const {
  WireRoute route;
  const auto& way = problems_.ways[edge];
  for (std::size_t k = 0; k < way.size(); ++k) {
    const int32_t p = way[k].problem;
    if (!IsWithin(p) || disturbed_[U(p)]) return {};
    const ScopeProblem& problem = problems_.scopes[U(p)];
    const WirePiece& piece = problem.pieces[U(way[k].piece)];
    const auto& points = drawings_[U(p)]->pieces[U(way[k].piece)];
    for (const Point& local : points) {
      const Point at = local + frames_[U(p)];
      auto& out = route.points;
      if (!out.empty() && std::abs(out.back().x - at.x) < 0.01 && std::abs(out.back().y - at.y) < 0.01) continue;
      const std::size_t n = out.size();
      const bool straight = n >= 2 && ((std::abs(out[n - 2].x - out[n - 1].x) < 0.01 && std::abs(out[n - 1].x - at.x) < 0.01) ||
                                       (std::abs(out[n - 2].y - out[n - 1].y) < 0.01 && std::abs(out[n - 1].y - at.y) < 0.01));
      if (straight) out.pop_back();
      out.push_back(at);
    }
    if (problem.scope < 0 || points.empty()) continue;
    const uint32_t id = scene_.items[U(problem.scope)].id.value;
    if (piece.from.kind == PieceEnd::Kind::kEntry) route.borders.push_back({id, points.front() + frames_[U(p)], true});
    if (piece.to.kind == PieceEnd::Kind::kExit) route.borders.push_back({id, points.back() + frames_[U(p)], false});
  }
  return route;
}

/// An item that is not laid out goes elsewhere, with all that lies in it.
void SceneLayouter::MoveAlong(int32_t item, Point by) {
  std::vector<uint8_t> inside(scene_.items.size(), 0);
  inside[U(item)] = 1;
  for (std::size_t i = U(item); i < scene_.items.size(); ++i) {
    const SceneItem& it = scene_.items[i];
    if (it.parent >= 0) inside[i] |= inside[U(it.parent)];
    if (!inside[i]) continue;
    answer_.places.push_back({it.DiagramName(), it.kind != ItemKind::kOp, it.rect.top_left() + by, it.rect.size(),
                              static_cast<int32_t>(i)});
  }
}

/// The frame that was laid out may have grown over its neighbours, and the frames around it over theirs.
void SceneLayouter::MakeRoomAround(int32_t top, Point corner) {
  Rect frame{corner.x, corner.y, drawings_[U(top)]->size.width, drawings_[U(top)]->size.height};
  int32_t item = problems_.scopes[U(top)].scope;
  while (item >= 0) {
    const int32_t parent = scene_.items[U(item)].parent;
    const ScopeProblem& around = problems_.scopes[U(parent < 0 ? 0 : problems_.problem_of[U(parent)])];
    std::vector<int32_t> neighbours;
    std::vector<Rect> rects;
    for (int32_t child : around.children) {
      if (child == item) continue;
      neighbours.push_back(child);
      rects.push_back(scene_.items[U(child)].rect);
    }
    if (!MakeRoom(frame, {kLeastClosedWidth, kNodeHeight}, options_.node_gap, &rects)) return;
    const Rect outer = parent < 0 ? Rect() : scene_.items[U(parent)].rect;
    Rect grown = outer.United(frame);
    for (std::size_t i = 0; i < rects.size(); ++i) {
      const Point by = rects[i].top_left() - scene_.items[U(neighbours[i])].rect.top_left();
      if (by.x != 0 || by.y != 0) MoveAlong(neighbours[i], by);
      grown = grown.United(rects[i]);
    }
    frame = {outer.x, outer.y, std::max(outer.width, grown.right() + kScopePadding - outer.x),
             std::max(outer.height, grown.bottom() + kScopePadding - outer.y)};
    item = parent;
  }
}

void SceneLayouter::CollectRoutes() {
  for (std::size_t e = 0; e < scene_.edges.size(); ++e) {
    WireRoute route = RouteOf(e);
    if (route.points.size() < 2) continue;
    const SceneEdge& edge = scene_.edges[e];
    const LayoutRoutes::Key key{scene_.items[U(edge.from)].id.value, scene_.items[U(edge.to)].id.value,
                                edge.from_port, edge.to_port, static_cast<uint8_t>(edge.kind)};
    routes_->wires.insert_or_assign(key, std::move(route));
  }
}

StatusOr<LayoutAnswer> SceneLayouter::Run(const std::string& scope) {
  int32_t top = 0;
  Point corner;
  if (!scope.empty()) {
    const int32_t item = scene_.FindScope(scope);
    top = item < 0 ? -1 : problems_.problem_of[U(item)];
    if (top < 0) return errors::NotFound("Layout: scope '", scope, "' is not open in the diagram");
    corner = scene_.items[U(item)].rect.top_left();
  }
  MarkWithin(top);
  drawings_.resize(problems_.scopes.size());
  frames_.resize(problems_.scopes.size());
  disturbed_.assign(problems_.scopes.size(), 0);
  for (std::size_t p = problems_.scopes.size(); p-- > 0;) {
    if (!within_[p]) continue;
    drawings_[p] = Draw(problems_.scopes[p]);
    if (stop_.stop_requested()) return errors::Cancelled("Layout was cancelled");
  }
  frames_[U(top)] = corner;
  for (std::size_t p = 0; p < problems_.scopes.size(); ++p) {
    if (within_[p]) PlaceContent(static_cast<int32_t>(p), frames_[p]);
  }
  if (top > 0) MakeRoomAround(top, corner);
  CollectRoutes();
  answer_.routes = routes_;
  return std::move(answer_);
}

StatusOr<LayoutAnswer> LayoutEngine::Layout(const SceneSnapshot& scene, const std::string& scope,
                                            const LayoutOptions& options, std::stop_token stop) {
  return SceneLayouter(this, scene, options, std::move(stop)).Run(scope);
}

}  // namespace opscope
