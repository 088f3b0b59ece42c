#include "engine/diagram/track_router.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/diagram/wire_tracks.h"

namespace opscope::layered {
namespace {

std::size_t U(int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kStraight = 0.01;
constexpr double kMarginBefore = 16;  // free length between the layer and the first track
constexpr double kMarginAfter = 16;   // and between the last track and the next layer: room for the arrow

/// A wire's way through one gap: from `left` to `right` across, or a turn with both ends on one side.
struct Piece {
  int32_t gap = 0;  // gap g lies before layer g
  double from = 0;  // across, in the order of drawing
  double to = 0;
  bool from_left = true;
  bool to_left = false;
  int64_t left_key = -1;   // what it leaves (pieces of one source port share a line)
  int64_t right_key = -1;
  int32_t net = -1;        // in its gap; -1 = straight
  double x = 0;
};

class Router {
 public:
  Router(const FlowGraph& flow, const LayerGraph& g, std::vector<double> y, const RouteOptions& options)
      : flow_(flow), g_(g), y_(std::move(y)), options_(options) {}

  Drawing Run() {
    SplitRows();
    CollectPieces();
    if (options_.orthogonal) BuildNets();
    PlaceLayers();
    for (std::size_t e = 0; e < flow_.edges.size(); ++e) {
      out_.routes.push_back(options_.orthogonal ? OrthogonalRoute(e) : SlantedRoute(e));
    }
    out_.across = std::move(y_);
    return std::move(out_);
  }

 private:
  void SplitRows();
  void NumberLanes(int32_t row);
  void CollectPieces();
  void CollectForward(const FlowEdge& e, const EdgePath& path);
  void CollectBackward(const FlowEdge& e, const EdgePath& path);
  void CollectOutside(const FlowEdge& e, const EdgePath& path);
  void AddPiece(int32_t gap, double from, double to, bool from_left, bool to_left, int64_t left, int64_t right);
  /// Row whose first layer comes after the gap, if that is not the first row; else 0.
  int32_t RowBegunAt(int32_t gap) const {
    return gap > 0 && gap < layers() && row_of_[U(gap)] != row_of_[U(gap) - 1] ? row_of_[U(gap)] : 0;
  }
  /// Where a row begins there is a second gap, before its first layer; they are numbered after the others.
  int32_t GapBefore(int32_t layer) const {
    const int32_t row = layer < layers() ? RowBegunAt(layer) : 0;
    return row > 0 ? layers() + row : layer;
  }
  void BuildNets();
  void PlaceLayers();
  std::vector<Point> OrthogonalRoute(std::size_t edge) const;
  std::vector<Point> SlantedRoute(std::size_t edge) const;
  double LaneY(const EdgePath& path) const { return -(path.lane + 2) * options_.track_gap; }
  double LayerEnd(int32_t l) const { return layer_start_[U(l)] + layer_width_[U(l)]; }
  double BoxEnd(int32_t b) const { return out_.along[U(b)] + flow_.boxes[U(b)].along; }
  int32_t layers() const { return static_cast<int32_t>(g_.order.size()); }
  /// A key for a port of a vertex: equal for equal offsets.
  static int64_t PortKey(int32_t v, double off) {
    return (int64_t{v} << 24) + static_cast<int64_t>(std::lround(off * 16));
  }

  const FlowGraph& flow_;
  const LayerGraph& g_;
  std::vector<double> y_;
  const RouteOptions& options_;
  std::vector<Piece> pieces_;
  std::vector<int32_t> first_piece_;        // by edge
  std::vector<std::vector<Net>> nets_;      // by gap
  std::vector<int32_t> tracks_;             // by gap
  std::vector<int32_t> row_of_;             // by layer
  std::vector<std::map<int64_t, double>> lanes_;  // by row: across coordinate of the way back, by the port it is for
  std::vector<double> layer_start_, layer_width_, gap_start_;
  Drawing out_;
};

/// Puts each row below the one before, with room for the lanes of the wires between them.
void Router::SplitRows() {
  row_of_.assign(g_.order.size(), 0);
  const std::size_t rows = options_.row_starts.size() + 1;
  lanes_.resize(rows);
  if (rows == 1) return;
  for (int32_t start : options_.row_starts) {
    for (std::size_t l = U(start); l < row_of_.size(); ++l) ++row_of_[l];
  }
  std::vector<double> low(rows, 1e300);
  std::vector<double> high(rows, -1e300);
  for (int32_t v = 0; v < g_.size(); ++v) {
    const std::size_t row = U(row_of_[U(g_.layer[U(v)])]);
    low[row] = std::min(low[row], y_[U(v)]);
    high[row] = std::max(high[row], y_[U(v)] + g_.height[U(v)]);
  }
  for (std::size_t row = 1; row < rows; ++row) NumberLanes(static_cast<int32_t>(row));
  std::vector<double> shift(rows, 0);
  for (std::size_t row = 1; row < rows; ++row) {
    const double bottom = high[row - 1] + shift[row - 1] + options_.row_gap;
    for (auto& [port, lane] : lanes_[row]) lane = bottom + lane * options_.track_gap;
    shift[row] = bottom + static_cast<double>(lanes_[row].size()) * options_.track_gap + options_.row_gap - low[row];
    shift[row] = std::ceil(shift[row] / kGrid) * kGrid;
  }
  for (int32_t v = 0; v < g_.size(); ++v) y_[U(v)] += shift[U(row_of_[U(g_.layer[U(v)])])];
}

/// The lowest wire turns back first, in the upper lane: nested turns do not cross.
void Router::NumberLanes(int32_t row) {
  std::map<int64_t, double> port_y;
  for (const Segment& s : g_.segments) {
    if (row_of_[U(g_.layer[U(s.to)])] != row || row_of_[U(g_.layer[U(s.from)])] == row) continue;
    port_y[PortKey(s.from, s.from_off)] = y_[U(s.from)] + s.from_off;
  }
  std::vector<std::pair<double, int64_t>> order;
  for (const auto& [port, y] : port_y) order.push_back({-y, port});
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) lanes_[U(row)][order[i].second] = static_cast<double>(i);
}

void Router::AddPiece(int32_t gap, double from, double to, bool from_left, bool to_left, int64_t left,
                      int64_t right) {
  const int32_t row = RowBegunAt(gap);
  if (row == 0) {
    pieces_.push_back({gap, from, to, from_left, to_left, left, right, -1, 0});
  } else if (from_left == to_left) {
    pieces_.push_back({from_left ? gap : GapBefore(gap), from, to, from_left, to_left, left, right, -1, 0});
  } else {
    // Out of the end of one row, back in the lane, into the start of the next; or the other way round.
    const double lane = lanes_[U(row)].at(left);
    const Piece end{gap, from_left ? from : lane, from_left ? lane : to, true, true, left, -1, -1, 0};
    const Piece start{GapBefore(gap), from_left ? lane : from, from_left ? to : lane, false, false, left, -1, -1, 0};
    pieces_.push_back(from_left ? end : start);
    pieces_.push_back(from_left ? start : end);
  }
}

void Router::CollectForward(const FlowEdge& e, const EdgePath& path) {
  double y = y_[U(e.from)] + e.from_off;
  int64_t left = PortKey(e.from, e.from_off);
  int32_t gap = g_.layer[U(e.from)] + 1;
  for (int32_t k = path.chain_begin; k < path.chain_end; ++k, ++gap) {
    const int32_t d = g_.chain[U(k)];
    AddPiece(gap, y, y_[U(d)], true, false, left, PortKey(d, 0));
    y = y_[U(d)];
    left = PortKey(d, 0);
  }
  AddPiece(gap, y, y_[U(e.to)] + e.to_off, true, false, left, PortKey(e.to, e.to_off));
}

void Router::CollectBackward(const FlowEdge& e, const EdgePath& path) {
  int32_t gap = g_.layer[U(e.from)] + 1;
  double y = y_[U(e.from)] + e.from_off;
  int32_t d = g_.chain[U(path.chain_end - 1)];
  AddPiece(gap, y, y_[U(d)], true, true, PortKey(e.from, e.from_off), -1);
  y = y_[U(d)];
  for (int32_t k = path.chain_end - 2; k >= path.chain_begin; --k) {
    --gap;
    const int32_t next = g_.chain[U(k)];
    AddPiece(gap, y, y_[U(next)], false, true, PortKey(next, 0), PortKey(d, 0));
    y = y_[U(next)];
    d = next;
  }
  AddPiece(g_.layer[U(e.to)], y, y_[U(e.to)] + e.to_off, false, false, -1, PortKey(e.to, e.to_off));
}

void Router::CollectOutside(const FlowEdge& e, const EdgePath& path) {
  const double lane = LaneY(path);
  AddPiece(g_.layer[U(e.from)] + 1, y_[U(e.from)] + e.from_off, lane, true, false, PortKey(e.from, e.from_off), -1);
  AddPiece(g_.layer[U(e.to)], lane, y_[U(e.to)] + e.to_off, true, false, -1, PortKey(e.to, e.to_off));
}

void Router::CollectPieces() {
  for (std::size_t i = 0; i < flow_.edges.size(); ++i) {
    first_piece_.push_back(static_cast<int32_t>(pieces_.size()));
    const EdgePath& path = g_.paths[i];
    switch (path.form) {
      case EdgeForm::kForward: CollectForward(flow_.edges[i], path); break;
      case EdgeForm::kBackward: CollectBackward(flow_.edges[i], path); break;
      case EdgeForm::kOutside: CollectOutside(flow_.edges[i], path); break;
    }
  }
  first_piece_.push_back(static_cast<int32_t>(pieces_.size()));
}

/// Pieces that leave one port, or that reach one, share a line; the larger group takes a piece.
void Router::BuildNets() {
  nets_.resize(U(layers()) + lanes_.size());
  tracks_.assign(nets_.size(), 0);
  std::vector<std::vector<int32_t>> by_gap(nets_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) by_gap[U(pieces_[i].gap)].push_back(static_cast<int32_t>(i));
  for (std::size_t gap = 0; gap < by_gap.size(); ++gap) {
    std::map<int64_t, int32_t> left_count;
    std::map<int64_t, int32_t> right_count;
    for (int32_t i : by_gap[gap]) {
      if (pieces_[U(i)].left_key >= 0) ++left_count[pieces_[U(i)].left_key];
      if (pieces_[U(i)].right_key >= 0) ++right_count[pieces_[U(i)].right_key];
    }
    std::map<std::pair<int, int64_t>, int32_t> net_of;
    auto& nets = nets_[gap];
    for (int32_t i : by_gap[gap]) {
      Piece& p = pieces_[U(i)];
      const int32_t l = p.left_key >= 0 ? left_count[p.left_key] : 1;
      const int32_t r = p.right_key >= 0 ? right_count[p.right_key] : 1;
      const bool turn = p.from_left == p.to_left;
      if (!turn && std::abs(p.from - p.to) < kStraight) continue;
      auto fresh = static_cast<int32_t>(nets.size());
      if (l > 1 || r > 1) {
        const bool by_left = l >= r;
        fresh = net_of.emplace(std::pair(by_left ? 0 : 1, by_left ? p.left_key : p.right_key), fresh).first->second;
      }
      if (U(fresh) == nets.size()) nets.emplace_back();
      p.net = fresh;
      Net& net = nets[U(fresh)];
      (p.from_left ? net.lefts : net.rights).push_back(p.from);
      (p.to_left ? net.lefts : net.rights).push_back(p.to);
    }
    for (Net& net : nets) {
      for (auto* side : {&net.lefts, &net.rights}) {
        std::sort(side->begin(), side->end());
        side->erase(std::unique(side->begin(), side->end()), side->end());
      }
      net.Finish();
    }
    tracks_[gap] = AssignTracks(&nets);
  }
}

void Router::PlaceLayers() {
  layer_width_.assign(U(layers()), 0);
  std::vector<double> label(U(layers()), 0);
  std::vector<uint8_t> border(U(layers()), 0);
  for (int32_t b = 0; b < g_.num_boxes; ++b) {
    const FlowBox& box = flow_.boxes[U(b)];
    const std::size_t l = U(g_.layer[U(b)]);
    layer_width_[l] = std::max(layer_width_[l], box.along);
    label[l] = std::max(label[l], box.label_space);
    border[l] |= box.entry || box.exit;
  }
  layer_start_.resize(U(layers()));
  gap_start_.resize(U(layers()) + 1);
  double x = 0;
  std::vector<double> first_track(U(layers()) + lanes_.size(), 0);
  const auto tracks_in = [&](int32_t gap) { return options_.orthogonal ? tracks_[U(gap)] : 0; };
  const auto wires_in = [&](int32_t gap) { return std::max(0, tracks_in(gap) - 1) * options_.track_gap; };
  const auto room_for = [&](int32_t gap) { return tracks_in(gap) > 0 ? kMarginBefore + wires_in(gap) + kMarginAfter : 0; };
  for (int32_t gap = 0; gap <= layers(); ++gap) {
    gap_start_[U(gap)] = x;
    double width = room_for(gap);
    int32_t here = gap;
    if (RowBegunAt(gap) > 0) {  // the end of a row; the next one starts anew
      first_track[U(gap)] = x + kMarginBefore;
      out_.length = std::max(out_.length, x + width);
      here = GapBefore(gap);
      x = 0;
      width = room_for(here);
    } else if (gap > 0 && gap < layers()) {
      const bool at_border = border[U(gap)] || border[U(gap) - 1];
      width = std::max(width, at_border ? options_.border_gap : options_.rank_gap);
    }
    const double room = std::max(width, kMarginBefore + wires_in(here) + kMarginAfter);
    first_track[U(here)] = x + (here == gap ? std::floor((room - wires_in(here)) / 2) : kMarginBefore);
    if (gap == layers()) {
      x += width;
      break;
    }
    x += width + label[U(gap)];
    if (options_.orthogonal) x = std::ceil(x / kGrid) * kGrid;
    layer_start_[U(gap)] = x;
    x += layer_width_[U(gap)];
  }
  out_.length = std::max(out_.length, x);
  for (Piece& p : pieces_) {
    if (p.net < 0) continue;
    p.x = first_track[U(p.gap)] + nets_[U(p.gap)][U(p.net)].track * options_.track_gap;
  }
  out_.along.resize(U(g_.num_boxes));
  for (int32_t b = 0; b < g_.num_boxes; ++b) {
    const int32_t l = g_.layer[U(b)];
    double at = layer_start_[U(l)];
    if (options_.centered) at += (layer_width_[U(l)] - flow_.boxes[U(b)].along) / 2;
    out_.along[U(b)] = at;
  }
}

std::vector<Point> Router::OrthogonalRoute(std::size_t edge) const {
  const FlowEdge& e = flow_.edges[edge];
  std::vector<Point> route{{BoxEnd(e.from), y_[U(e.from)] + e.from_off}};
  const auto add = [&](Point p) {
    if (std::abs(p.x - route.back().x) > 1e-6 || std::abs(p.y - route.back().y) > 1e-6) route.push_back(p);
  };
  for (int32_t i = first_piece_[edge]; i < first_piece_[edge + 1]; ++i) {
    const Piece& p = pieces_[U(i)];
    if (p.net < 0) continue;
    add({p.x, p.from});
    add({p.x, p.to});
  }
  add({out_.along[U(e.to)], y_[U(e.to)] + e.to_off});
  if (route.size() < 2) route.push_back(route.back());
  return route;
}

std::vector<Point> Router::SlantedRoute(std::size_t edge) const {
  const FlowEdge& e = flow_.edges[edge];
  const Point start{BoxEnd(e.from), y_[U(e.from)] + e.from_off};
  const Point end{out_.along[U(e.to)], y_[U(e.to)] + e.to_off};
  std::vector<Point> route{start};
  const auto add = [&](Point p) {
    // A bend in a straight line is none.
    if (route.size() >= 2) {
      const Point a = route[route.size() - 2];
      const Point b = route.back();
      if (std::abs((b.x - a.x) * (p.y - b.y) - (b.y - a.y) * (p.x - b.x)) < 1e-6) route.pop_back();
    }
    if (!(p == route.back())) route.push_back(p);
  };
  const EdgePath& path = g_.paths[edge];
  const int32_t from_layer = g_.layer[U(e.from)];
  const int32_t to_layer = g_.layer[U(e.to)];
  if (path.form == EdgeForm::kOutside) {
    add({LayerEnd(from_layer), start.y});
    add({LayerEnd(from_layer) + options_.rank_gap / 2, LaneY(path)});
    add({layer_start_[U(to_layer)] - options_.rank_gap / 2, LaneY(path)});
    add({layer_start_[U(to_layer)], end.y});
  } else if (path.form == EdgeForm::kForward) {
    add({LayerEnd(from_layer), start.y});
    for (int32_t k = path.chain_begin; k < path.chain_end; ++k) {
      const int32_t d = g_.chain[U(k)];
      add({layer_start_[U(g_.layer[U(d)])], y_[U(d)]});
      add({LayerEnd(g_.layer[U(d)]), y_[U(d)]});
    }
    add({layer_start_[U(to_layer)], end.y});
  } else {
    add({LayerEnd(from_layer) + options_.rank_gap / 3, start.y});
    for (int32_t k = path.chain_end - 1; k >= path.chain_begin; --k) {
      const int32_t d = g_.chain[U(k)];
      add({LayerEnd(g_.layer[U(d)]), y_[U(d)]});
      add({layer_start_[U(g_.layer[U(d)])], y_[U(d)]});
    }
    add({layer_start_[U(to_layer)] - options_.rank_gap / 3, end.y});
  }
  add(end);
  if (route.size() < 2) route.push_back(route.back());
  return route;
}

}  // namespace

Drawing RouteWires(const FlowGraph& flow, const LayerGraph& graph, const std::vector<double>& across,
                   const RouteOptions& options) {
  return Router(flow, graph, across, options).Run();
}

}  // namespace opscope::layered
