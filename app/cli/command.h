#pragma once
// What a command of opscope-cli is. One file per command; commands.cpp lists them.

#include <functional>
#include <string>

#include "engine/base/status.h"

namespace CLI {
class App;
}

namespace opscope::cli {

/// Does the work after the arguments have been read. A failure is printed by main as one line on standard error, with
/// exit status 1; what the command prints on standard output comes only after all that can fail has been done.
using CommandFunction = std::function<Status()>;

/// Adds the command's options to `app` and gives the function that runs it.
using CommandSetup = CommandFunction (*)(CLI::App* app);

struct Command {
  const char* name;
  const char* summary;
  CommandSetup setup;  ///< nullptr: not there yet; it answers UNIMPLEMENTED with its name.
};

/// Wrong usage that only the command itself can see: exit status 2 instead of 1.
Status UsageError(std::string message);
bool IsUsageError(const Status& status);

CommandFunction SetUpInfo(CLI::App* app);
CommandFunction SetUpConvert(CLI::App* app);
CommandFunction SetUpLayout(CLI::App* app);
CommandFunction SetUpShapes(CLI::App* app);
CommandFunction SetUpOps(CLI::App* app);
CommandFunction SetUpRun(CLI::App* app);
CommandFunction SetUpDevices(CLI::App* app);
CommandFunction SetUpPlace(CLI::App* app);

}  // namespace opscope::cli
