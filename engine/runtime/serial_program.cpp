#include "engine/runtime/serial_program.h"

#include <algorithm>

#include "engine/runtime/serial_order.h"

namespace opscope {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

bool IsPassOn(const PlanNode& node) {
  return node.op == "Identity" || node.control_flow == ControlFlowKind::kEnter ||
         node.control_flow == ControlFlowKind::kLoopCond;
}

class Compiler {
 public:
  explicit Compiler(const Executable& plan) : plan_(plan), program_(std::make_unique<SerialProgram>()) {}

  std::unique_ptr<const SerialProgram> Compile() {
    auto order = SerialOrder(plan_);
    if (!order) return nullptr;
    for (const PlanNode& node : plan_.nodes) {
      if (node.num_inputs() > UINT16_MAX || node.num_outputs() > UINT16_MAX) return nullptr;
    }
    FindDead();
    FindSources();
    FindLastReads(*order);
    slot_of_.assign(num_outputs_, kNone);
    reads_.assign(num_outputs_, {});
    program_->frames.resize(plan_.frames.size());
    for (uint32_t frame = 0; frame < plan_.frames.size(); ++frame) {
      program_->frames[frame].parent = plan_.frames[frame].info.parent;
      // Values that cross a frame's border or an iteration's end have slots of their own, known beforehand.
      for (const uint32_t node : plan_.frames[frame].nodes) TakeLastingSlots(node);
    }
    for (uint32_t frame = 0; frame < plan_.frames.size(); ++frame) {
      free_.clear();
      EmitFrame(frame, (*order)[frame]);
    }
    program_->num_slots = next_slot_;
    return std::move(program_);
  }

 private:
  // Dead values come from Switches; all that is in a loop may be dead in its last iteration.
  void FindDead() {
    may_be_dead_.assign(plan_.nodes.size(), false);
    waited_for_.assign(plan_.nodes.size(), false);
    if (!plan_.has_control_flow) return;
    std::vector<bool> taints(plan_.nodes.size(), false);
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      const PlanNode& node = plan_.nodes[i];
      const bool ignores = node.control_flow == ControlFlowKind::kControlTrigger;
      may_be_dead_[i] = (may_be_dead_[i] || node.frame != 0) && !ignores;
      if (!may_be_dead_[i] && node.control_flow != ControlFlowKind::kSwitch) continue;
      for (const PlanEdge& edge : node.out_edges) {
        // The order is topological but for edges that close a loop, where everything is taken as dead anyway.
        const bool only_output = edge.src_output < 0 && !may_be_dead_[i];
        if (only_output) continue;
        if (edge.src_output >= 0 || !plan_.nodes[edge.dst].is_merge()) may_be_dead_[edge.dst] = true;
      }
    }
    for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      if (!may_be_dead_[i]) continue;
      for (const PlanEdge& edge : plan_.nodes[i].out_edges) {
        if (edge.src_output < 0) waited_for_[i] = true;
      }
    }
  }

  // By node and input the output that it reads, and the nodes that it waits for.
  void FindSources() {
    const size_t count = plan_.nodes.size();
    first_input_.resize(count);
    first_output_.resize(count);
    uint32_t inputs = 0;
    num_outputs_ = 0;
    for (size_t i = 0; i < count; ++i) {
      first_input_[i] = inputs;
      first_output_[i] = num_outputs_;
      inputs += static_cast<uint32_t>(plan_.nodes[i].num_inputs());
      num_outputs_ += static_cast<uint32_t>(plan_.nodes[i].num_outputs());
      program_->max_inputs = std::max(program_->max_inputs, static_cast<uint32_t>(plan_.nodes[i].num_inputs()));
    }
    sources_.assign(inputs, {});
    program_->output_required.assign(num_outputs_, 0);
    if (plan_.has_control_flow) controls_.resize(count);
    for (uint32_t src = 0; src < count; ++src) {
      for (const PlanEdge& edge : plan_.nodes[src].out_edges) {
        if (edge.src_output >= 0) {
          const uint32_t output = first_output_[src] + static_cast<uint32_t>(edge.src_output);
          sources_[first_input_[edge.dst] + static_cast<uint32_t>(edge.dst_input)] = {src, output};
          program_->output_required[output] = 1;
        } else if (may_be_dead_[src]) {
          controls_[edge.dst].push_back(src);
        }
      }
    }
  }

  // By output the instruction that reads it last: one of the frame where it is read.
  void FindLastReads(const std::vector<std::vector<SerialUnit>>& order) {
    last_reader_.assign(num_outputs_, kNone);
    for (const auto& units : order) {
      for (const SerialUnit& unit : units) {
        if (unit.is_loop) continue;
        for (int i = 0; i < plan_.nodes[unit.index].num_inputs(); ++i) last_reader_[SourceOf(unit.index, i).output] = unit.index;
      }
    }
  }

  /// How often the instruction at hand reads an output, and how often it still will.
  struct Reads {
    uint32_t all = 0, left = 0;
  };
  struct Source {
    uint32_t node = 0, output = 0;
  };
  const Source& SourceOf(uint32_t node, int i) const { return sources_[first_input_[node] + static_cast<uint32_t>(i)]; }

  bool IsLasting(const PlanNode& node) const {
    switch (node.control_flow) {
      case ControlFlowKind::kEnter:
      case ControlFlowKind::kExit:
      case ControlFlowKind::kNextIteration:
        return true;
      default:
        return node.kernel && node.kernel->const_tensor();
    }
  }

  void TakeLastingSlots(uint32_t index) {
    const PlanNode& node = plan_.nodes[index];
    if (!IsLasting(node) || node.num_outputs() == 0) return;
    const uint32_t slot = slot_of_[first_output_[index]] = next_slot_++;
    if (node.kernel->const_tensor()) program_->constants.emplace_back(slot, node.kernel->const_tensor());
    if (node.is_constant_enter) program_->frames[node.child_frame].constant_slots.push_back(slot);
    if (node.control_flow == ControlFlowKind::kExit) {
      program_->frames[node.frame].exit_slots.push_back(slot);
      program_->frames[node.frame].exit_nodes.push_back(index);
    }
  }

  void EmitFrame(uint32_t frame, const std::vector<SerialUnit>& units) {
    SerialFrame& to = program_->frames[frame];
    to.ops.reserve(units.size());
    const auto is_leading = [this](const SerialUnit& unit) {
      if (unit.is_loop) return false;
      const PlanNode& node = plan_.nodes[unit.index];
      return node.num_controls == 0 && node.num_inputs() == 0 && node.kernel && node.kernel->const_tensor();
    };
    for (const SerialUnit& unit : units) {
      if (is_leading(unit)) EmitNode(unit.index, &to);
    }
    to.num_leading_constants = static_cast<uint32_t>(to.ops.size());
    for (const SerialUnit& unit : units) {
      if (unit.is_loop) {
        SerialOp op;
        op.kind = SerialOp::Kind::kLoop;
        op.node = unit.index;
        to.ops.push_back(op);
      } else if (!is_leading(unit)) {
        EmitNode(unit.index, &to);
      }
    }
  }

  SerialOp::Kind KindOf(const PlanNode& node, uint32_t index) const {
    if (node.kind == RunNode::Kind::kArg) return SerialOp::Kind::kArg;
    bool has_refs = false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Source& source = SourceOf(index, i);
      has_refs |= IsRefType(plan_.nodes[source.node].output_types[source.output - first_output_[source.node]]);
      has_refs |= IsRefType(node.input_types[static_cast<size_t>(i)]);
    }
    if (node.kind == RunNode::Kind::kRetval) return has_refs ? SerialOp::Kind::kGather : SerialOp::Kind::kRetval;
    switch (node.control_flow) {
      case ControlFlowKind::kMerge:
        return SerialOp::Kind::kMerge;
      case ControlFlowKind::kNextIteration:
        return SerialOp::Kind::kNextIteration;
      case ControlFlowKind::kExit:
        return SerialOp::Kind::kExit;
      default:
        break;
    }
    if (has_refs) return SerialOp::Kind::kGather;
    if (node.kernel->const_tensor()) return SerialOp::Kind::kConst;
    return IsPassOn(node) ? SerialOp::Kind::kPassOn : SerialOp::Kind::kKernel;
  }

  void EmitNode(uint32_t index, SerialFrame* to) {
    const PlanNode& node = plan_.nodes[index];
    SerialOp op;
    op.kind = KindOf(node, index);
    op.node = index;
    op.first_required = first_output_[index];
    op.kernel = node.kernel.get();
    op.device = node.device;
    op.num_inputs = static_cast<uint16_t>(node.num_inputs());
    op.num_outputs = static_cast<uint16_t>(node.num_outputs());
    op.output_type = node.output_types.empty() ? DT_INVALID : RemoveRef(node.output_types[0]);
    op.may_lack_outputs = node.control_flow == ControlFlowKind::kSwitch;
    op.notes_dead = waited_for_[index];
    op.checks_dead = may_be_dead_[index];
    if (op.checks_dead && !node.is_merge()) {
      op.first_control = static_cast<uint32_t>(program_->control_nodes.size());
      for (const uint32_t src : controls_[index]) program_->control_nodes.push_back(src);
      op.num_controls = static_cast<uint32_t>(program_->control_nodes.size()) - op.first_control;
    }
    EmitOutputs(node, index, &op);
    EmitInputs(node, index, &op);
    for (int i = 0; i < node.num_outputs(); ++i) {
      const uint32_t output = first_output_[index] + static_cast<uint32_t>(i);
      if (program_->output_required[output] != 0 || IsLasting(node)) continue;
      op.has_unread_outputs = true;
      free_.push_back(slot_of_[output]);
    }
    op.is_plain = op.kind == SerialOp::Kind::kKernel && op.num_outputs == 1 && !op.checks_dead && !op.notes_dead &&
                  !op.has_unread_outputs && !op.may_lack_outputs;
    to->ops.push_back(op);
  }

  // Before the inputs' slots become free: an output never lies where an input is read.
  void EmitOutputs(const PlanNode& node, uint32_t index, SerialOp* op) {
    const uint32_t first = first_output_[index];
    if (node.num_outputs() == 0) return;
    if (slot_of_[first] == kNone) {
      if (node.num_outputs() == 1 && !free_.empty()) {
        slot_of_[first] = free_.back();
        free_.pop_back();
      } else {
        for (int i = 0; i < node.num_outputs(); ++i) slot_of_[first + static_cast<uint32_t>(i)] = next_slot_++;
      }
    }
    op->first_output = slot_of_[first];
  }

  void EmitInputs(const PlanNode& node, uint32_t index, SerialOp* op) {
    op->first_input = static_cast<uint32_t>(program_->input_slots.size());
    for (int i = 0; i < node.num_inputs(); ++i) {
      Reads& reads = reads_[SourceOf(index, i).output];
      reads.left = ++reads.all;
    }
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Source& source = SourceOf(index, i);
      const PlanNode& from = plan_.nodes[source.node];
      Reads& reads = reads_[source.output];
      --reads.left;
      const bool stays = (from.kernel && from.kernel->const_tensor()) || from.is_constant_enter;
      const bool clears = !stays && last_reader_[source.output] == index && reads.left == 0;
      program_->input_slots.push_back(slot_of_[source.output]);
      program_->clears_input.push_back(clears ? 1 : 0);
      program_->input_is_last.push_back(clears && reads.all == 1 ? 1 : 0);
      if (clears && !IsLasting(from)) free_.push_back(slot_of_[source.output]);
    }
    for (int i = 0; i < node.num_inputs(); ++i) reads_[SourceOf(index, i).output] = {};
  }

  const Executable& plan_;
  std::unique_ptr<SerialProgram> program_;
  std::vector<bool> may_be_dead_, waited_for_;
  std::vector<uint32_t> first_input_, first_output_;
  std::vector<Source> sources_;
  std::vector<std::vector<uint32_t>> controls_;
  std::vector<uint32_t> last_reader_, slot_of_;
  std::vector<Reads> reads_;
  std::vector<uint32_t> free_;
  uint32_t num_outputs_ = 0, next_slot_ = 0;
};

}  // namespace

std::unique_ptr<const SerialProgram> CompileSerial(const Executable& plan) { return Compiler(plan).Compile(); }

}  // namespace opscope
