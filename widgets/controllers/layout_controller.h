#pragma once
// LayoutController: arranges scopes off the UI thread.

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <QObject>
#include <QString>

#include "engine/diagram/layout_engine.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

/// Watches a DocumentController. While nobody placed anything, everything shown is arranged anew whenever items appear or a
/// scope is opened or closed. Once people placed items, those stay: only what has no place yet gets one, and an opened
/// scope pushes its neighbours aside. Late answers (another generation) are dropped. UI thread.
class LayoutController : public QObject {
  Q_OBJECT
 public:
  explicit LayoutController(DocumentController* document, QObject* parent = nullptr);
  ~LayoutController() override;

  /// Lays out one scope ("" = all) anew, with all open scopes inside; pinned items stay. One undo entry. Answers with
  /// layoutDone.
  void layout(const QString& scope = QString());
  /// Nothing is being laid out.
  bool isIdle() const { return !running_ && !wanted_; }

 Q_SIGNALS:
  void layoutStarted();
  void layoutDone();  ///< All that was asked for is done and in the scene.

 private:
  enum class Reach { kMissing, kAll };
  void onSceneChanged();
  void onCollapsedChanged(const QString& scope, bool collapsed);
  void want(Reach reach);
  void request(const std::string& scope, Reach reach, bool undoable);
  void apply(const LayoutAnswer& answer, Reach reach, bool undoable);
  bool nobodyPlaced(const SceneSnapshot& scene) const;
  void makeRoom(const std::string& scope);

  using Key = std::pair<std::string, bool>;
  DocumentController* document_;
  std::shared_ptr<LayoutEngine> engine_;
  std::map<Key, Point> own_;  ///< Where layouts put things: what stands elsewhere was placed by somebody.
  std::stop_source stop_;
  int generation_ = 0;
  bool running_ = false;
  bool wanted_ = false;
  bool applying_ = false;
  Reach wanted_reach_ = Reach::kMissing;
};

}  // namespace opscope::ui
