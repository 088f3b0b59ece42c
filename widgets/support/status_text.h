#pragma once
// The only place where a Status becomes text for people.

#include <QString>

#include "engine/base/status.h"

namespace opscope::ui {

/// "INVALID_ARGUMENT", … as in interfaces.md.
QString statusCode(const Status& status);
/// One line for the status bar and badges: the first line of the message, without control characters.
QString statusLine(const Status& status);
/// Title for a dialog or a row: "Invalid argument".
QString statusTitle(const Status& status);
/// Everything: code, message, nodes.
QString statusDetails(const Status& status);

}  // namespace opscope::ui
