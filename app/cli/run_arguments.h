#pragma once
// What `opscope-cli run` was asked for, and the session options in it that other commands share.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/runtime/session.h"

namespace CLI {
class App;
}

namespace opscope::cli {

/// Options that say what session is made.
struct SessionArguments {
  std::string devices;          ///< "CPU=4,GPU=1"
  std::string session_target;
  std::string allocator = "cpu";
  int64_t memory_limit = 0;     ///< 0: none.
  int inter_op = 0, intra_op = 0;
  bool soft_placement = false;
};

struct RunArguments {
  std::string file;
  std::vector<std::string> feeds;   ///< NAME=VALUE
  std::string feeds_file;
  std::vector<std::string> fetches, targets;
  bool init = false;
  int64_t repeat = 1;
  SessionArguments session;
  double timeout_seconds = 0;
  std::string tags, signature, checkpoint;
  std::vector<std::string> train;   ///< NODE=K
  bool break_on_nan = false;
  std::string out, values, run_metadata, timeline, events;
  bool json = false;
};

void AddSessionOptions(CLI::App* app, SessionArguments* arguments, bool with_tuning);
void AddRunOptions(CLI::App* app, RunArguments* arguments);

/// INVALID_ARGUMENT for a malformed list of devices, UNIMPLEMENTED for a type that there is no factory for.
StatusOr<SessionOptions> MakeSessionOptions(const SessionArguments& arguments);

}  // namespace opscope::cli
