#include "widgets/controllers/edit_command.h"

#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

EditCommand::EditCommand(DocumentController* controller, const QString& text, Edit redo, Edit inverse,
                         const QString& mergeKey)
    : QUndoCommand(text), controller_(controller), redo_(std::move(redo)), inverse_(std::move(inverse)), merge_key_(mergeKey) {}

void EditCommand::undo() { controller_->replay(inverse_); }

void EditCommand::redo() {
  if (!applied_) controller_->replay(redo_);
  applied_ = false;
}

int EditCommand::id() const { return merge_key_.isEmpty() ? -1 : 1; }

bool EditCommand::mergeWith(const QUndoCommand* other) {
  const auto* next = static_cast<const EditCommand*>(other);
  if (next->merge_key_ != merge_key_) return false;
  redo_.Append(next->redo_);
  Edit inverse = next->inverse_;
  inverse.Append(std::move(inverse_));
  inverse_ = std::move(inverse);
  return true;
}

}  // namespace opscope::ui
