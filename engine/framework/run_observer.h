#pragma once
// What a run tells while it runs. Runtime calls it; statistics, traces and the window listen.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"

namespace opscope {

/// One execution of a node: the node, the loop frame ("" outside loops) and the iteration.
struct ExecutionKey {
  std::string_view node;
  std::string_view frame;
  int64_t iteration = 0;
};

/// Bytes that a kernel took or gave back while it ran.
struct AllocationEvent {
  std::string_view allocator;
  int64_t bytes = 0;          ///< Negative when freed.
  int64_t time_ns = 0;        ///< Clock::NowNanos.
  int64_t bytes_in_use = 0;   ///< Of the allocator, after it.
  uint64_t address = 0;
  int64_t requested = 0;      ///< Bytes that were asked for; 0 when freed.
};

/// One finished node.
struct NodeExecution {
  ExecutionKey key;
  std::string_view op;
  std::string_view device;     ///< "/job:localhost/replica:0/task:0/device:CPU:0"
  int thread = 0;              ///< Index in the pool.
  int64_t scheduled_ns = 0, start_ns = 0, compute_start_ns = 0, compute_end_ns = 0, end_ns = 0;
  const std::vector<Tensor>* outputs = nullptr;  ///< Valid during the call; "no value" where an output is dead or a ref.
  std::vector<AllocationEvent> allocations;
  Status status;               ///< Of the kernel.
};

/// One value that went from one device to another.
struct TransferEvent {
  std::string_view node;       ///< The graph's node that it came from …
  int output = 0;              ///< … and its output; -1 for a control edge.
  std::string_view frame;      ///< Loop frame and iteration.
  int64_t iteration = 0;
  std::string_view tensor_name;    ///< "edge_5_x", as in the partition graphs.
  std::string_view from, to;       ///< Full names of the devices.
  int64_t bytes = 0;
  int64_t start_ns = 0, end_ns = 0;  ///< Of the copy into the memory of `to`.
  std::vector<AllocationEvent> allocations;  ///< Taken from the allocator of `to`, given back to that of `from`.
};

/// Listens to one run. Threads: called from the session's threads, several at a time unless a step gate is attached.
/// Must not block and must not call into the session. Views are valid during the call only.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void NodeStarted(const ExecutionKey& key, std::string_view device, int64_t time_ns) = 0;
  virtual void NodeDone(const NodeExecution& execution) = 0;
  /// Only runs over several devices have transfers.
  virtual void TensorTransferred(const TransferEvent&) {}
};

}  // namespace opscope
