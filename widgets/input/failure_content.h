#pragma once
// What to say about a failed op: in plain words, with the facts, ways out, and the status verbatim last. Pure but for the
// edits that its fixes make when chosen.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "widgets/canvas/canvas_popover.h"

namespace opscope::ui {

class DocumentController;

/// The shapes in a message ("In[0]: [32,784], In[1]: [10,784]"), in their order; at most eight.
std::vector<std::vector<std::string>> shapesIn(const std::string& message);

/// `runAction`: runs an action of the window by its id ("run.init"); may be empty.
PopoverContent failureContent(const Status& status, const QString& node, DocumentController* document,
                              const std::function<void(const QString& action)>& runAction);

}  // namespace opscope::ui
