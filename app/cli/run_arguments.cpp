#include "app/cli/run_arguments.h"

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "engine/base/text.h"
#include "engine/runtime/device_factory.h"

namespace opscope::cli {
namespace {

constexpr int64_t kMostThreads = 4096;

// A validator with words that say what is wanted; CLI11's own print the limits of a double.
CLI::Validator WholeNumber(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        int64_t value = 0;
        if (ParseInt64(text, &value) && value >= least && value <= most) return "";
        const bool open = most == INT64_MAX;
        return StrCat("'", Printable(text, 60), "' should be a whole number ", open ? "of " : "from ", least,
                      open ? " or more" : StrCat(" to ", most));
      },
      "N");
}

CLI::Validator Seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double value = 0;
        if (ParseDouble(text, &value) && value > 0 && value <= 1e9) return "";
        return StrCat("'", Printable(text, 60), "' should be a number of seconds above 0");
      },
      "SECONDS");
}

}  // namespace

void AddSessionOptions(CLI::App* app, SessionArguments* arguments, bool with_tuning) {
  app->add_option("--devices", arguments->devices, "Devices by type, as in CPU=4")->type_name("TYPE=N,...");
  app->add_option("--session-target", arguments->session_target, "grpc://host:port; empty: this process");
  if (!with_tuning) return;
  app->add_flag("--soft-placement", arguments->soft_placement, "Use another device where one isn't there");
  app->add_option("--inter-op", arguments->inter_op, "Threads that run nodes; 0: one for each core, -1: the caller's")
      ->check(WholeNumber(-1, kMostThreads));
  app->add_option("--intra-op", arguments->intra_op, "Threads within a node; 0: one for each core")
      ->check(WholeNumber(0, kMostThreads));
  app->add_option("--memory-limit", arguments->memory_limit, "Bytes that each device may use")
      ->check(WholeNumber(1, INT64_MAX));
  app->add_option("--allocator", arguments->allocator, "cpu or bfc");
}

void AddRunOptions(CLI::App* app, RunArguments* arguments) {
  app->add_option("FILE", arguments->file, "Graph, MetaGraph, SavedModel, event file or document")->required();
  app->add_option("--feed", arguments->feeds, "NAME=JSON or NAME=@FILE.npy (repeatable)")->take_all();
  app->add_option("--feeds", arguments->feeds_file, "A .npz with a value for each tensor name");
  app->add_option("--fetch", arguments->fetches, "NAME[:i] (repeatable); default: every output nobody reads")->take_all();
  app->add_option("--target", arguments->targets, "A node to run without fetching (repeatable)")->take_all();
  app->add_flag("--init", arguments->init, "Run every variable initialiser first");
  app->add_option("--repeat", arguments->repeat, "Number of steps")->check(WholeNumber(1, INT64_MAX));
  AddSessionOptions(app, &arguments->session, true);
  app->add_option("--timeout", arguments->timeout_seconds, "Seconds that a step may take")->check(Seconds());
  app->add_option("--saved-model-tags", arguments->tags, "Tags of the MetaGraph to take")->type_name("TAG,...");
  app->add_option("--signature", arguments->signature, "Feed and fetch by the names of this signature");
  app->add_option("--checkpoint", arguments->checkpoint, "Restore variables from this prefix first");
  app->add_option("--train", arguments->train, "NODE=K: first run NODE K times")->take_all();
  app->add_flag("--break-on-nan", arguments->break_on_nan, "Stop at the first NaN");
  app->add_option("--out", arguments->out, "Write the outputs to this .npz");
  app->add_option("--values", arguments->values, "Write every output of every node that ran to this .npz");
  app->add_option("--run-metadata", arguments->run_metadata, "Write the last step's RunMetadata");
  app->add_option("--timeline", arguments->timeline, "Write the last step as a Chrome trace");
  app->add_option("--events", arguments->events, "Write summaries to an event file in this folder");
  app->add_flag("--json", arguments->json, "Print one JSON document");
}

StatusOr<SessionOptions> MakeSessionOptions(const SessionArguments& arguments) {
  SessionOptions options;
  options.target = arguments.session_target;
  options.cpu_allocator = arguments.allocator;
  if (arguments.memory_limit > 0) options.memory_limit_bytes = arguments.memory_limit;
  options.config.set_allow_soft_placement(arguments.soft_placement);
  options.config.set_inter_op_parallelism_threads(arguments.inter_op);
  options.config.set_intra_op_parallelism_threads(arguments.intra_op);
  if (arguments.devices.empty()) return options;
  for (const std::string& part : Split(arguments.devices, ',')) {
    const size_t equals = part.find('=');
    int64_t count = 0;
    if (equals == std::string::npos || equals == 0 || !ParseInt64(std::string_view(part).substr(equals + 1), &count) ||
        count < 0 || count > INT32_MAX) {
      return UsageError(StrCat("--devices: '", part, "' should be TYPE=N, as in CPU=4"));
    }
    const std::string type = part.substr(0, equals);
    if (count > 0 && !DeviceFactory::GetFactory(type)) {
      return errors::Unimplemented("--devices: devices of type '", type, "' are not supported");
    }
    (*options.config.mutable_device_count())[type] = static_cast<int32_t>(count);
  }
  return options;
}

}  // namespace opscope::cli
