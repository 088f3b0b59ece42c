// opscope-cli: the engine for shells, servers and continuous integration. Links no Qt.

#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "engine/base/text.h"

namespace opscope::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int Fail(const Status& status, int exit_status) {
  std::cout.flush();
  std::cerr << "opscope-cli: " << CodeName(status.code()) << ": " << Printable(status.message()) << std::endl;
  return exit_status;
}

int Run(int argc, char** argv) {
  CLI::App app("OpScope: dataflow graphs on the command line", "opscope-cli");
  app.require_subcommand(1);
  app.set_version_flag("--version", "opscope-cli " OPSCOPE_VERSION);
  CommandFunction chosen;
  for (const Command& command : Commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    const std::string name = command.name;
    if (command.setup == nullptr) {
      sub->prefix_command();
      sub->callback([&chosen, name] {
        chosen = [name] { return errors::Unimplemented("the command '", name, "' is not there yet"); };
      });
      continue;
    }
    const CommandFunction function = command.setup(sub);
    sub->callback([&chosen, function] { chosen = function; });
  }
  const auto is_first = [&](const Command& command) { return std::string_view(argv[1]) == command.name; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(Commands().begin(), Commands().end(), is_first)) {
    return Fail(errors::InvalidArgument("unknown command '", argv[1], "'; --help lists the commands"), kWrongUsage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return Fail(errors::InvalidArgument(error.what()), kWrongUsage);
  }
  const Status status = chosen();
  if (!status.ok()) return Fail(status, IsUsageError(status) ? kWrongUsage : kFailed);
  std::cout.flush();
  return std::cout.good() ? kDone : Fail(errors::DataLoss("cannot write to standard output"), kFailed);
}

}  // namespace
}  // namespace opscope::cli

int main(int argc, char** argv) {
  google::protobuf::SetLogHandler(nullptr);  // Standard error carries one line of ours and nothing else.
  std::signal(SIGPIPE, SIG_IGN);             // A closed pipe is an error of writing, not a crash.
  std::ios::sync_with_stdio(false);
  // Third-party code may throw for want of memory; the promise is one line, never a crash.
  try {
    return opscope::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "opscope-cli: RESOURCE_EXHAUSTED: out of memory" << std::endl;
  } catch (const std::exception& error) {
    std::cerr << "opscope-cli: INTERNAL: " << opscope::Printable(error.what()) << std::endl;
  }
  return 1;
}
