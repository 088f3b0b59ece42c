#include <map>
#include <tuple>

#include "engine/framework/device_base.h"
#include "engine/graph/op_lookup.h"
#include "engine/runtime/graph_partition.h"
#include "engine/runtime/host_memory.h"
#include "engine/runtime/transfer_kernels.h"

namespace opscope {
namespace {

class Inserter {
 public:
  Inserter(const Partitions& partitions, RunGraph* run_graph) : nodes_(run_graph->nodes), position_(nodes_.size(), 0) {
    for (const Transfer& transfer : partitions.transfers) {
      transfers_.emplace(std::make_tuple(transfer.src, transfer.src_output, transfer.to, transfer.host_recv), &transfer);
    }
  }

  Status Insert() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      RunNode node = nodes_[i];
      std::vector<size_t> back_edges;
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        RunNode::Input& input = node.inputs[k];
        if (input.src >= i) {
          // Back to the head of a loop: the executor counts on NextIteration itself, whatever device it is on.
          back_edges.push_back(k);
          continue;
        }
        if (nodes_[input.src].device == node.device || IsBackEdge(i, input)) {
          input.src = position_[input.src];
        } else {
          OS_ASSIGN_OR_RETURN(input.src, Receiver(input.src, input.src_output, node.device, InputOnHost(nodes_[i], k)));
          input.src_output = 0;
        }
      }
      for (uint32_t& src : node.control_inputs) {
        if (nodes_[src].device == node.device) {
          src = position_[src];
        } else {
          OS_ASSIGN_OR_RETURN(src, Receiver(src, TensorId::kControlSlot, node.device, false));
        }
      }
      position_[i] = static_cast<uint32_t>(result_.size());
      for (const size_t k : back_edges) pending_.emplace_back(position_[i], k);
      result_.push_back(std::move(node));
    }
    for (const auto& [index, k] : pending_) result_[index].inputs[k].src = position_[result_[index].inputs[k].src];
    nodes_ = std::move(result_);
    return Status::OK();
  }

 private:
  bool IsBackEdge(uint32_t dst, const RunNode::Input& input) const {
    return IsNextIteration(nodes_[input.src].op) && IsMerge(nodes_[dst].op);
  }

  // The place of the node that has the value on the device.
  StatusOr<uint32_t> Receiver(uint32_t src, int src_output, Device* to, bool on_host) {
    const auto key = std::make_tuple(src, src_output, to, on_host);
    const auto made = made_.find(key);
    if (made != made_.end()) return made->second;
    const auto found = transfers_.find(key);
    if (found == transfers_.end()) {
      return errors::Internal("No transfer of ", nodes_[src].name, ":", src_output, " to ", to->name());
    }
    const Transfer& transfer = *found->second;
    uint32_t sent = position_[src];
    int sent_output = src_output;
    if (src_output == TensorId::kControlSlot) {
      RunNode dummy = Made(src, RunNode::Kind::kGlue, transfer.const_name, "Const", transfer.from);
      dummy.control_inputs = {sent};
      dummy.output_types = {transfer.dtype};
      dummy.kernel = MakeDummyKernel(transfer);
      sent = Append(std::move(dummy));
      sent_output = 0;
    }
    const auto info = std::make_shared<const TransferInfo>(
        TransferInfo{nodes_[src].name, src_output, transfer.tensor_name, transfer.from, transfer.to});
    RunNode send = Made(src, RunNode::Kind::kSend, transfer.send_name, "_Send", transfer.from);
    send.transfer = info;
    send.kernel = MakeSendKernel(transfer);
    uint32_t last = AppendUnary(std::move(send), sent, sent_output, transfer.dtype);
    RunNode recv = Made(src, RunNode::Kind::kRecv, transfer.recv_name, "_Recv", transfer.to);
    recv.transfer = info;
    recv.kernel = MakeRecvKernel(transfer, info->node);
    last = AppendUnary(std::move(recv), last, 0, transfer.dtype);
    if (src_output == TensorId::kControlSlot) {
      RunNode identity = Made(src, RunNode::Kind::kGlue, transfer.identity_name, "Identity", transfer.to);
      identity.kernel = MakeControlIdentityKernel(transfer);
      last = AppendUnary(std::move(identity), last, 0, transfer.dtype);
    }
    made_.emplace(key, last);
    return last;
  }

  RunNode Made(uint32_t src, RunNode::Kind kind, const std::string& name, const char* op, Device* device) {
    RunNode node;
    node.kind = kind;
    node.id = nodes_[src].id;
    node.name = name;
    node.op = op;
    node.device = device;
    return node;
  }

  uint32_t AppendUnary(RunNode node, uint32_t src, int src_output, DataType dtype) {
    node.inputs = {{src, src_output}};
    node.input_types = node.output_types = {dtype};
    return Append(std::move(node));
  }

  uint32_t Append(RunNode node) {
    result_.push_back(std::move(node));
    return static_cast<uint32_t>(result_.size() - 1);
  }

  std::vector<RunNode>& nodes_;
  std::vector<uint32_t> position_;  ///< In the result, by the index before.
  std::vector<RunNode> result_;
  std::vector<std::pair<uint32_t, size_t>> pending_;  ///< Inputs that name a node by its index before.
  std::map<std::tuple<uint32_t, int, Device*, bool>, const Transfer*> transfers_;
  std::map<std::tuple<uint32_t, int, Device*, bool>, uint32_t> made_;
};

}  // namespace

Status InsertTransfers(const Partitions& partitions, RunGraph* run_graph) { return Inserter(partitions, run_graph).Insert(); }

}  // namespace opscope
