#pragma once
// Mouse, wheel and keyboard as from the devices: events enter at the window system's side of Qt, so that hover, focus,
// grabs, shortcuts and double clicks come about as they do for a person.

#include <vector>

#include <QPoint>
#include <QString>
#include <Qt>

#include "engine/base/status.h"

class QWidget;
class QWindow;

namespace opscope::ui {

/// Positions are global device-independent pixels. Threads: UI thread.
class InputDriver {
 public:
  void press(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  void move(QPoint at, Qt::KeyboardModifiers modifiers);
  void release(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  void click(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  void doubleClick(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  /// Presses at the first point, moves in small steps over the others, releases at the last.
  void drag(const std::vector<QPoint>& path, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  void wheel(QPoint at, QPoint angleDelta, Qt::KeyboardModifiers modifiers);
  /// "Ctrl+Z", "Tab", "Shift+F10". INVALID_ARGUMENT for what is no key.
  Status key(const QString& sequence);
  void type(const QString& text);

  QPoint position() const { return position_; }
  /// The visible widget (window or popup) at a point; nullptr outside.
  static QWidget* windowAt(QPoint at);

 private:
  void send(QPoint at, Qt::MouseButton button, int eventType, Qt::KeyboardModifiers modifiers);
  static QWindow* keyWindow();

  Qt::MouseButtons buttons_;
  QPoint position_;
  QWindow* grabber_ = nullptr;  ///< Gets the events between press and release.
  int timestamp_ = 1000;
};

/// "left", "right", "middle"; left when empty.
StatusOr<Qt::MouseButton> parseButton(const QString& name);
/// ["ctrl","shift"], or "ctrl+shift".
StatusOr<Qt::KeyboardModifiers> parseModifiers(const QStringList& names);

}  // namespace opscope::ui
