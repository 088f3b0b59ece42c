#include "engine/trace/transfers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace opscope {

std::vector<TransferSum> TransfersAt(const RunTrace& trace, size_t position) {
  if (position == 0) return {};
  // A value is on its way only after its node's last event: at the end nothing is under way any more.
  const int64_t until = position >= trace.num_events() ? std::numeric_limits<int64_t>::max()
                                                       : trace.event(position - 1).time_ns;
  std::map<std::tuple<std::string, int, std::string>, TransferSum> sums;
  for (size_t i = 0; i < trace.num_transfers(); ++i) {
    const TraceTransfer& transfer = trace.transfer(i);
    if (transfer.end_ns > until) continue;
    TransferSum& sum = sums[{trace.name(transfer.node), transfer.output, trace.name(transfer.to)}];
    if (sum.count++ == 0) {
      sum.node = trace.name(transfer.node);
      sum.output = transfer.output;
      sum.from = trace.name(transfer.from);
      sum.to = trace.name(transfer.to);
    }
    // Sizes of a hostile file may not fit.
    if (__builtin_add_overflow(sum.bytes, transfer.bytes, &sum.bytes)) sum.bytes = std::numeric_limits<int64_t>::max();
  }
  std::vector<TransferSum> list;
  list.reserve(sums.size());
  for (auto& [key, sum] : sums) list.push_back(std::move(sum));
  return list;
}

}  // namespace opscope
