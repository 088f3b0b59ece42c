#pragma once
// The actions of interfaces.md, 3, by group. Each function registers its ids.

#include "app/actions.h"
#include "app/editor.h"
#include "app/workbench.h"

namespace opscope::ui {

void registerDocumentActions(ActionRegistry* actions, Workbench* workbench);
void registerGraphActions(ActionRegistry* actions, Workbench* workbench);
void registerEditActions(ActionRegistry* actions, Workbench* workbench);
void registerViewActions(ActionRegistry* actions, Workbench* workbench);
void registerRunActions(ActionRegistry* actions, Workbench* workbench);
void registerInputActions(ActionRegistry* actions, Workbench* workbench);
void registerStateActions(ActionRegistry* actions, Workbench* workbench);

/// A handler that needs a document: answers FAILED_PRECONDITION without one, and after the work waits until the canvas
/// has settled (layout, animation) before it answers, unless the line says "wait":false.
using EditorHandler = std::function<ActionResult(Editor& editor, const QJsonObject& args)>;
ActionHandler withEditor(Workbench* workbench, EditorHandler handler);
/// Calls back when the editor has settled, or at once with "wait":false in `args`.
void replySettled(Editor* editor, const QJsonObject& args, ActionResult result, const ActionReply& reply);

}  // namespace opscope::ui
