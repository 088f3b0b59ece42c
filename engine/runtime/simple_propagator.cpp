#include <atomic>

#include "engine/runtime/propagator.h"

namespace opscope {
namespace {

// Without control flow each node runs once, when all of its inputs are there: a counter per node is enough, and no lock.
class SimplePropagator final : public Propagator {
 public:
  explicit SimplePropagator(const Executable& plan)
      : plan_(plan), pending_(plan.nodes.size()), inputs_(plan.frames[0].num_inputs) {
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
      pending_[i].store(plan.nodes[i].num_inputs() + plan.nodes[i].num_controls, std::memory_order_relaxed);
    }
  }

  void Start(std::vector<ReadyNode>* ready) override {
    for (const uint32_t root : plan_.roots) ready->push_back({root});
  }

  TensorValue* Inputs(const ReadyNode& node) override { return inputs_.data() + plan_.nodes[node.node].input_start; }

  void Propagate(const ReadyNode& node, std::span<OutputValue> outputs, std::vector<ReadyNode>* ready) override {
    for (const PlanEdge& edge : plan_.nodes[node.node].out_edges) {
      if (edge.src_output >= 0) {
        TensorValue& slot = inputs_[plan_.nodes[edge.dst].input_start + static_cast<size_t>(edge.dst_input)];
        HandOn(&outputs[static_cast<size_t>(edge.src_output)], edge.is_last, &slot);
      }
      if (pending_[edge.dst].fetch_sub(1, std::memory_order_acq_rel) == 1) ready->push_back({edge.dst});
    }
  }

 private:
  const Executable& plan_;
  std::vector<std::atomic<int>> pending_;
  std::vector<TensorValue> inputs_;
};

}  // namespace

std::unique_ptr<Propagator> NewSimplePropagator(const Executable& plan) {
  return std::make_unique<SimplePropagator>(plan);
}

}  // namespace opscope
