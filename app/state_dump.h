#pragma once
// The window's state as JSON: what state.dump answers (interfaces.md, 3).

#include <QJsonObject>

#include "app/workbench.h"

namespace opscope::ui {

/// Everything of the current document and the window. Threads: UI thread.
QJsonObject dumpState(Workbench* workbench);

/// The parts.
QJsonObject dumpDocument(const Editor& editor);
QJsonObject dumpScene(const Editor& editor);
QJsonObject dumpRun(const Editor& editor);
QJsonArray dumpDevices(const Editor& editor);
QJsonArray dumpAllocators(const Editor& editor);

}  // namespace opscope::ui
