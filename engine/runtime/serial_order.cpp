#include "engine/runtime/serial_order.h"

#include <queue>

namespace opscope {
namespace {

constexpr int kMaxDepth = 32;

class Orderer {
 public:
  explicit Orderer(const Executable& plan) : plan_(plan) {}

  bool Run() {
    if (!CheckDepth()) return false;
    for (const PlanNode& node : plan_.nodes) {
      if (node.kernel && node.kernel->AsAsync()) return false;
    }
    orders_.resize(plan_.frames.size());
    if (plan_.frames.size() == 1) {
      for (uint32_t i = 0; i < plan_.nodes.size(); ++i) orders_[0].push_back({false, i});
      return true;
    }
    return LinkUnits() && SortUnits();
  }

  std::vector<std::vector<SerialUnit>> Take() { return std::move(orders_); }

 private:
  // Units are numbered: nodes first, then frames.
  uint32_t UnitOf(uint32_t node, uint32_t frame) const {
    return plan_.nodes[node].frame == frame ? node : static_cast<uint32_t>(plan_.nodes.size()) + plan_.nodes[node].frame;
  }

  bool CheckDepth() const {
    for (uint32_t frame = 0; frame < plan_.frames.size(); ++frame) {
      int depth = 0;
      for (uint32_t at = frame; at != 0 && depth <= kMaxDepth; at = plan_.frames[at].info.parent) ++depth;
      if (depth > kMaxDepth) return false;
    }
    return true;
  }

  bool LinkUnits() {
    const size_t count = plan_.nodes.size() + plan_.frames.size();
    out_.resize(count);
    pending_.resize(count, 0);
    for (uint32_t src = 0; src < plan_.nodes.size(); ++src) {
      for (const PlanEdge& edge : plan_.nodes[src].out_edges) {
        if (!Fits(plan_.nodes[src], plan_.nodes[edge.dst], edge)) return false;
        if (plan_.nodes[src].control_flow == ControlFlowKind::kNextIteration) continue;
        if (!Link(src, edge.dst)) return false;
      }
    }
    return true;
  }

  // Whether the edge carries something in each iteration of the loop that it is in, or begins or closes the loop.
  static bool Fits(const PlanNode& src, const PlanNode& dst, const PlanEdge& edge) {
    const bool begins_loop = src.control_flow == ControlFlowKind::kEnter && !src.is_constant_enter;
    const bool is_data = edge.src_output >= 0;
    const bool loop_merge = dst.is_merge() && dst.num_back_edges > 0;
    if (src.control_flow == ControlFlowKind::kNextIteration || begins_loop) return is_data && loop_merge;
    return !(is_data && loop_merge);
  }

  bool Link(uint32_t src, uint32_t dst) {
    const uint32_t from = plan_.nodes[src].frame, to = plan_.nodes[dst].frame;
    uint32_t frame = from;
    if (from != to) {
      if (to != 0 && plan_.frames[to].info.parent == from) {
        frame = from;
      } else if (from != 0 && plan_.frames[from].info.parent == to) {
        frame = to;
      } else {
        return false;
      }
    }
    const uint32_t before = UnitOf(src, frame), after = UnitOf(dst, frame);
    if (before == after) return false;
    out_[before].push_back(after);
    ++pending_[after];
    return true;
  }

  // Lowest rank first; a loop as soon as it can.
  bool SortUnits() {
    const auto nodes = static_cast<uint32_t>(plan_.nodes.size());
    const auto rank = [nodes](uint32_t unit) { return unit < nodes ? unit + 1 : 0; };
    const auto later = [&](uint32_t a, uint32_t b) { return std::make_pair(rank(a), a) > std::make_pair(rank(b), b); };
    std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(later)> next(later);
    const auto units = static_cast<uint32_t>(out_.size());
    for (uint32_t unit = 0; unit < units; ++unit) {
      if (pending_[unit] == 0 && unit != nodes) next.push(unit);
    }
    uint32_t done = 1;  // the root is no unit
    while (!next.empty()) {
      const uint32_t unit = next.top();
      next.pop();
      ++done;
      const bool is_loop = unit >= nodes;
      const uint32_t index = is_loop ? unit - nodes : unit;
      const uint32_t frame = is_loop ? plan_.frames[index].info.parent : plan_.nodes[index].frame;
      orders_[frame].push_back({is_loop, index});
      for (const uint32_t after : out_[unit]) {
        if (--pending_[after] == 0) next.push(after);
      }
    }
    return done == units;
  }

  const Executable& plan_;
  std::vector<std::vector<uint32_t>> out_;
  std::vector<int> pending_;
  std::vector<std::vector<SerialUnit>> orders_;
};

}  // namespace

std::optional<std::vector<std::vector<SerialUnit>>> SerialOrder(const Executable& plan) {
  Orderer orderer(plan);
  if (!orderer.Run()) return std::nullopt;
  return orderer.Take();
}

}  // namespace opscope
