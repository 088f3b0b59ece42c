#pragma once
// The table of opscope-cli's commands.

#include <span>

#include "app/cli/command.h"

namespace opscope::cli {

std::span<const Command> Commands();

}  // namespace opscope::cli
