#pragma once
// The one undo command: an Edit and its inverse.

#include <QString>
#include <QUndoCommand>

#include "engine/document/edit.h"

namespace opscope::ui {

class DocumentController;

/// Made after its edit was applied: the first redo() does nothing.
class EditCommand : public QUndoCommand {
 public:
  EditCommand(DocumentController* controller, const QString& text, Edit redo, Edit inverse, const QString& mergeKey);
  void undo() override;
  void redo() override;
  int id() const override;
  bool mergeWith(const QUndoCommand* other) override;

 private:
  DocumentController* controller_;
  Edit redo_;
  Edit inverse_;
  QString merge_key_;
  bool applied_ = true;
};

}  // namespace opscope::ui
