#include "engine/framework/allocation_failure.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace opscope {
namespace {

constexpr size_t kMaxNodeLines = 10;
constexpr int64_t kSmallShare = 100;  // A node with less than this part of the memory has no line of its own.

// "512B", "384.0KiB", "3.00MiB": as TensorFlow writes bytes.
std::string Bytes(int64_t bytes) {
  if (bytes < 1024) return StrCat(bytes, "B");
  std::array<char, 32> text{};
  auto value = static_cast<double>(bytes) / 1024;
  if (value < 1024) {
    std::snprintf(text.data(), text.size(), "%.1fKiB", value);
    return text.data();
  }
  size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit < 3; ++unit) value /= 1024;
  std::snprintf(text.data(), text.size(), "%.2f%ciB", value, "MGTP"[unit]);
  return text.data();
}

std::string Exact(int64_t bytes) { return StrCat(Bytes(bytes), " (", bytes, " bytes)"); }

// A pool is fragmented when enough is free, only not in one piece.
std::string Verdict(const AllocatorStats& stats, std::optional<uint64_t> bytes) {
  if (!bytes) return "No machine could address that much.";
  const auto asked = static_cast<int64_t>(std::min<uint64_t>(*bytes, INT64_MAX));
  if (!stats.bytes_limit) return "The machine has no more memory to give.";
  if (asked > *stats.bytes_limit) return "It is more than the limit.";
  const int64_t free = *stats.bytes_limit - stats.bytes_in_use;
  if (asked > free) return "The memory is used up.";
  if (asked <= stats.largest_free_block_bytes) return "The machine has no more memory to give.";
  return "The memory is fragmented: enough is free, but not in one piece.";
}

struct Holder {
  std::string node;
  int64_t bytes = 0;
  int64_t tensors = 0;
};

// Nodes by the bytes that they hold, the largest first.
std::vector<Holder> HoldersOf(const std::vector<AllocatorChunk>& chunks) {
  std::map<std::string_view, Holder> by_node;
  for (const AllocatorChunk& chunk : chunks) {
    if (!chunk.in_use) continue;
    Holder& holder = by_node[chunk.node];
    holder.bytes += chunk.size;
    ++holder.tensors;
  }
  std::vector<Holder> holders;
  for (auto& [node, holder] : by_node) {
    holder.node = node.empty() ? "(no node)" : std::string(node);
    holders.push_back(std::move(holder));
  }
  std::stable_sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  return holders;
}

std::string HolderLines(const std::vector<AllocatorChunk>& chunks) {
  const std::vector<Holder> holders = HoldersOf(chunks);
  if (holders.empty()) return {};
  int64_t all = 0;
  for (const Holder& holder : holders) all += holder.bytes;
  std::string text = "\n\t In use by:";
  size_t shown = 0;
  int64_t rest = all;
  for (; shown < holders.size() && shown < kMaxNodeLines; ++shown) {
    const Holder& holder = holders[shown];
    if (shown > 0 && holder.bytes < all / kSmallShare) break;
    text += StrCat("\n\t ", holder.node, " ", Bytes(holder.bytes));
    if (holder.tensors > 1) text += StrCat(" (", holder.tensors, " tensors)");
    rest -= holder.bytes;
  }
  const size_t more = holders.size() - shown;
  if (more > 0) text += StrCat("\n\t ", more, more == 1 ? " more node, " : " more nodes, ", Bytes(rest), " in total");
  return text;
}

}  // namespace

std::string DescribeAllocationFailure(const Allocator& allocator, std::optional<uint64_t> bytes, std::string_view node) {
  const AllocatorStats stats = allocator.GetStats().value_or(AllocatorStats());
  std::string text = "\n\t ";
  if (!node.empty()) text += StrCat("Node '", node, "': ");
  text += StrCat("requested ", bytes ? Exact(static_cast<int64_t>(std::min<uint64_t>(*bytes, INT64_MAX))) : "more than 2^63 - 1 bytes");
  if (!allocator.DeviceName().empty()) text += StrCat(" on ", allocator.DeviceName());
  if (stats.bytes_limit) {
    text += StrCat(", free ", Bytes(*stats.bytes_limit - stats.bytes_in_use), ", largest free ",
                   Bytes(stats.largest_free_block_bytes), ", in use ", Exact(stats.bytes_in_use), ", limit ",
                   Exact(*stats.bytes_limit), ". ");
  } else {
    text += StrCat(", in use ", Exact(stats.bytes_in_use), ", no limit. ");
  }
  return text + Verdict(stats, bytes) + HolderLines(allocator.Snapshot());
}

Status AllocationFailure(DataType dtype, const TensorShape& shape, const Allocator& allocator, std::optional<uint64_t> bytes,
                         std::string_view node) {
  const std::string device = allocator.DeviceName();
  return errors::ResourceExhausted("OOM when allocating tensor with shape", shape.DebugString(), " and type ",
                                   DataTypeString(dtype), device.empty() ? "" : " on ", device, " by allocator ",
                                   allocator.Name(), DescribeAllocationFailure(allocator, bytes, node));
}

}  // namespace opscope
