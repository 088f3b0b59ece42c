#include "app/cli/commands.h"

#include <array>

namespace opscope::cli {

std::span<const Command> Commands() {
  static constexpr std::array kCommands = {
      Command{"info", "What a file holds: nodes, edges, ops, inputs, outputs, signatures, problems", &SetUpInfo},
      Command{"run", "Run a graph", &SetUpRun},
      Command{"convert", "Write a graph in another form", &SetUpConvert},
      Command{"layout", "Positions of nodes and edges as the canvas would draw them", &SetUpLayout},
      Command{"shapes", "Type and shape of every output", &SetUpShapes},
      Command{"devices", "The devices that a session would have", &SetUpDevices},
      Command{"ops", "The catalogue of operations", &SetUpOps},
      Command{"place", "The device of every node and why", &SetUpPlace},
      Command{"diff", "What differs between two graphs (not there yet)", nullptr},
      Command{"serve", "A TensorFlow master over this machine's devices (not there yet)", nullptr},
  };
  return kCommands;
}

Status UsageError(std::string message) {
  Status status = errors::InvalidArgument(std::move(message));
  status.AddNode("\x01usage");  // No node can be called that.
  return status;
}

bool IsUsageError(const Status& status) { return !status.nodes().empty() && status.nodes()[0] == "\x01usage"; }

}  // namespace opscope::cli
