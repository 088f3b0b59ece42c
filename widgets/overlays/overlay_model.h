#pragma once
// The overlay that is on, and what it shows for the current scene and moment. Derived data: computed when asked for, after
// anything that it depends on has changed.

#include <functional>
#include <memory>

#include <QObject>

#include "widgets/overlays/op_facts.h"
#include "widgets/overlays/overlay.h"
#include "widgets/overlays/overlay_input.h"

namespace opscope::ui {

/// UI thread.
class OverlayModel : public QObject {
  Q_OBJECT

 public:
  explicit OverlayModel(QObject* parent = nullptr);
  ~OverlayModel() override;

  OverlayKind kind() const { return kind_; }
  void setKind(OverlayKind kind);

  /// Where the model gets its input from, each time it computes.
  void setSource(std::function<OverlayInput()> source);
  /// Or the input itself (tests).
  void setInput(OverlayInput input);

  /// The current picture; computed now if something changed.
  std::shared_ptr<const OverlayPicture> picture();
  /// How often a picture was computed; for tests.
  int computations() const { return computations_; }

 public Q_SLOTS:
  /// Something that the input tells of has changed. Several calls before the event loop make one changed().
  void invalidate();

 Q_SIGNALS:
  void changed();

 private:
  std::function<OverlayInput()> source_;
  OverlayKind kind_ = OverlayKind::kNone;
  std::shared_ptr<const OverlayPicture> picture_;
  ValueCache values_;
  bool announced_ = false;
  int computations_ = 0;
};

}  // namespace opscope::ui
