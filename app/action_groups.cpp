#include "app/action_groups.h"

namespace opscope::ui {

ActionHandler withEditor(Workbench* workbench, EditorHandler handler) {
  return [workbench, handler = std::move(handler)](const QJsonObject& args, const ActionReply& reply) {
    Editor* editor = workbench->currentEditor();
    if (!editor) {
      reply(ActionResult::error(errors::FailedPrecondition("No document is open. Make a new one or open a file.")));
      return;
    }
    replySettled(editor, args, handler(*editor, args), reply);
  };
}

void replySettled(Editor* editor, const QJsonObject& args, ActionResult result, const ActionReply& reply) {
  if (!result.status.ok() || !args.value(QLatin1String("wait")).toBool(true)) {
    reply(std::move(result));
    return;
  }
  editor->whenSettled([result = std::move(result), reply] { reply(result); });
}

}  // namespace opscope::ui
