#pragma once
// LayoutController: arranges scopes off the UI thread.

#include <memory>
#include <map>
#include <stop_token>

#include <QObject>
#include <QString>

#include "engine/diagram/layout_engine.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

/// Watches a DocumentController: a scope that is shown and has items without a place is laid out on the worker; late
/// answers (another generation) are dropped. Pinned items and those that the user placed stay. UI thread.
class LayoutController : public QObject {
  Q_OBJECT
 public:
  explicit LayoutController(DocumentController* document, QObject* parent = nullptr);
  ~LayoutController() override;

  /// Lays out one scope ("" = root) anew, with all open scopes inside; an undo entry. Answers with layoutDone.
  void layout(const QString& scope = QString());
  /// Nothing is being laid out.
  bool isIdle() const { return running_ == 0; }

 Q_SIGNALS:
  void layoutStarted();
  void layoutDone();  ///< All that was asked for is done and in the scene.

 private:
  void onSceneChanged();
  void request(const QString& scope, bool undoable);

  DocumentController* document_;
  std::shared_ptr<LayoutEngine> engine_;
  std::stop_source stop_;
  int generation_ = 0;
  int running_ = 0;
  bool again_ = false;
};

}  // namespace opscope::ui
