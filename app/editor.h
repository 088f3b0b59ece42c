#pragma once
// One document in a tab: its controllers and its canvas.

#include <functional>
#include <memory>
#include <vector>

#include <QJsonObject>
#include <QWidget>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "widgets/canvas/viewport.h"
#include "widgets/overlays/overlay.h"

class QMenu;

namespace opscope::ui {

class CanvasWidget;
class DocumentController;
class InputRouter;
class LayoutController;
class OverlayModel;
class OverlaySource;
class RunController;
class Selection;
class Theme;
class TraceController;

/// Owns everything of one document, so that documents share nothing but the process: each has its own session, run and
/// undo history. UI thread.
class Editor : public QWidget {
  Q_OBJECT

 public:
  explicit Editor(Theme* theme, QWidget* parent = nullptr);
  ~Editor() override;

  DocumentController* document() const { return document_; }
  LayoutController* layoutController() const { return layout_; }
  RunController* run() const { return run_; }
  TraceController* trace() const { return trace_; }
  Selection* selection() const;
  CanvasWidget* canvas() const { return canvas_; }
  OverlayModel* overlay() const { return overlay_; }
  InputRouter* input() const { return input_.get(); }

  /// Nothing is loading, being laid out or moving.
  bool isSettled() const;
  /// Calls back on the event loop as soon as isSettled(); once.
  void whenSettled(std::function<void()> callback);
  /// Nobody has done anything with this document yet.
  bool isPristine() const;

  /// Everything is shown; again by itself when the canvas changes its size, until the user moves the view.
  void fitView();

  /// The hint (tooltip or refusal) that is shown on the canvas; empty without one.
  QString hint() const { return hint_; }
  void setHint(const QString& hint);

  /// The dialog that gives a Placeholder, Const or variable a value: text, .npy, picture or .csv.
  void askForValue(const QString& node);
  void setFetched(const QString& tensor, bool fetched);
  void askForName(const QString& item);
  void askForDevice(const std::vector<NodeId>& nodes);

 Q_SIGNALS:
  void settled();
  void hintChanged();
  /// Run an action of the registry.
  void actionRequested(const QString& id, const QJsonObject& args);
  /// For the status bar.
  void message(const QString& text);
  /// An edit that was asked for here was refused.
  void failed(const opscope::Status& status);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void connectControllers();
  void connectCanvas();
  void checkSettled();
  void report(const Status& status);
  // editor_menu.cpp
  void showMenu(const QPoint& globalPos);
  void fillNodeMenu(QMenu* menu, const QString& name);

  Theme* theme_;
  DocumentController* document_;
  LayoutController* layout_;
  RunController* run_;
  TraceController* trace_;
  OverlayModel* overlay_ = nullptr;
  CanvasWidget* canvas_ = nullptr;
  std::unique_ptr<OverlaySource> source_;
  std::unique_ptr<InputRouter> input_;
  std::vector<std::function<void()>> waiting_;
  QString hint_;
  Viewport fitted_;  ///< The view that fitView made.
  OverlayKind peeked_ = OverlayKind::kNone;  ///< The overlay that is on while Z hides it.
};

}  // namespace opscope::ui
