#pragma once
// One document in a tab: its controllers and its canvas.

#include <functional>
#include <memory>

#include <QWidget>

namespace opscope::ui {

class CanvasWidget;
class DocumentController;
class LayoutController;
class OverlayModel;
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

  /// Nothing is loading, being laid out or moving.
  bool isSettled() const;
  /// Calls back on the event loop as soon as isSettled(); once.
  void whenSettled(std::function<void()> callback);
  /// Nobody has done anything with this document yet.
  bool isPristine() const;

  /// The hint (tooltip or refusal) that is shown on the canvas; empty without one.
  QString hint() const;

 Q_SIGNALS:
  void settled();
  void hintChanged();

 private:
  void connectControllers();
  void checkSettled();

  DocumentController* document_;
  LayoutController* layout_;
  RunController* run_;
  TraceController* trace_;
  OverlayModel* overlay_ = nullptr;
  CanvasWidget* canvas_ = nullptr;
};

}  // namespace opscope::ui
