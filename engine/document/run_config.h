#pragma once
// How a document is run: saved with it, changed by edits.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opscope {

/// Devices and limits of the session (action run.configure).
struct SessionConfig {
  std::string target;                        ///< "" = in this process.
  std::map<std::string, int> devices;        ///< {"CPU": 4}; empty: one CPU.
  bool soft_placement = false;
  int inter_op = 0;                          ///< Threads; 0 = as many as the machine has.
  int intra_op = 0;
  std::optional<int64_t> memory_limit_bytes; ///< Per device.
  std::string allocator = "cpu";             ///< "cpu" or "bfc".
  friend bool operator==(const SessionConfig&, const SessionConfig&) = default;
};

/// A place where a run stops: before the node.
struct Breakpoint {
  std::string node;
  bool enabled = true;
  std::string when = "always";  ///< "always", "nan", "inf", "shape", "value".
  std::string expr;
  friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

/// A value type. Names of nodes and tensors ("x:0") follow renames; see EditBuilder::Rename.
struct RunConfig {
  std::vector<std::string> fetches;          ///< Empty: every output nobody reads.
  std::vector<std::string> targets;
  std::map<std::string, std::string> feeds;  ///< Tensor name ("x:0") → JSON text, or "@file.npy".
  std::vector<Breakpoint> breakpoints;
  std::vector<std::string> watches;
  std::set<std::string> muted;               ///< Nodes that a run bypasses.
  SessionConfig session;
  friend bool operator==(const RunConfig&, const RunConfig&) = default;
};

/// "x" → "x:0"; "x:1" as it is; "^x" as it is.
std::string CanonicalTensorName(std::string_view name);

}  // namespace opscope
