#pragma once
// Graph files laid out by the engine, for pictures and frame times.

#include <memory>
#include <string>

#include "engine/base/status.h"
#include "engine/diagram/scene_model.h"

namespace opscope::ui {

/// `open`: all scopes open (else as the file's size decides).
StatusOr<std::shared_ptr<const SceneSnapshot>> layOutFile(const std::string& path, bool open, FlowDirection direction);

}  // namespace opscope::ui
