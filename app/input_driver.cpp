#include "app/input_driver.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QKeySequence>
#include <QPointer>
#include <QStringList>
#include <QStyleHints>
#include <QWheelEvent>
#include <QWidget>
#include <QWindow>

// Qt's own door for tests (declared the same in its QtTest headers).
QT_BEGIN_NAMESPACE
Q_GUI_EXPORT void qt_handleMouseEvent(QWindow* window, const QPointF& local, const QPointF& global,
                                      Qt::MouseButtons state, Qt::MouseButton button, QEvent::Type type,
                                      Qt::KeyboardModifiers mods, int timestamp);
Q_GUI_EXPORT void qt_handleKeyEvent(QWindow* w, QEvent::Type t, int k, Qt::KeyboardModifiers mods,
                                    const QString& text = QString(), bool autorep = false, ushort count = 1);
QT_END_NAMESPACE

namespace opscope::ui {
namespace {

constexpr int kDragStep = 8;  ///< Pixels between two moves of a drag: as a slow hand gives them.

// The character that a key without Ctrl, Alt or Meta types.
QString keyText(int key, Qt::KeyboardModifiers modifiers) {
  if (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return QString();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return QStringLiteral("\r");
  if (key == Qt::Key_Tab) return QStringLiteral("\t");
  if (key < 0x20 || key > 0xFF) return QString();
  const QChar c(key);
  return modifiers & Qt::ShiftModifier ? QString(c) : QString(c.toLower());
}

}  // namespace

QWidget* InputDriver::windowAt(QPoint at) {
  if (QWidget* popup = QApplication::activePopupWidget()) return popup;
  if (QWidget* modal = QApplication::activeModalWidget()) return modal;
  QWidget* under = QApplication::topLevelAt(at);
  if (under) return under;
  for (QWidget* window : QApplication::topLevelWidgets()) {
    if (window->isVisible() && window->geometry().contains(at)) return window;
  }
  return nullptr;
}

void InputDriver::send(QPoint at, Qt::MouseButton button, int eventType, Qt::KeyboardModifiers modifiers) {
  QPointer<QWindow> window = grabber_;
  if (!window) {
    QWidget* widget = windowAt(at);
    window = widget ? widget->windowHandle() : nullptr;
  }
  position_ = at;
  timestamp_ += 10;
  if (!window) return;
  qt_handleMouseEvent(window, window->mapFromGlobal(QPointF(at)), QPointF(at), buttons_, button,
                      static_cast<QEvent::Type>(eventType), modifiers, timestamp_);
  QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
}

void InputDriver::press(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  if (position_ != at) move(at, modifiers);
  QWidget* widget = windowAt(at);
  buttons_ |= button;
  QWindow* target = widget ? widget->windowHandle() : nullptr;
  send(at, button, QEvent::MouseButtonPress, modifiers);
  // A popup that the press opened takes over.
  grabber_ = QApplication::activePopupWidget() ? nullptr : target;
}

void InputDriver::move(QPoint at, Qt::KeyboardModifiers modifiers) {
  send(at, Qt::NoButton, QEvent::MouseMove, modifiers);
}

void InputDriver::release(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  if (position_ != at) move(at, modifiers);
  buttons_ &= ~Qt::MouseButtons(button);
  send(at, button, QEvent::MouseButtonRelease, modifiers);
  if (buttons_ == Qt::NoButton) grabber_ = nullptr;
}

void InputDriver::click(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  press(at, button, modifiers);
  release(at, button, modifiers);
  // Two clicks of a script are no double click.
  timestamp_ += QApplication::styleHints()->mouseDoubleClickInterval() + 1;
}

void InputDriver::doubleClick(QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  press(at, button, modifiers);
  release(at, button, modifiers);
  click(at, button, modifiers);
}

void InputDriver::drag(const std::vector<QPoint>& path, Qt::MouseButton button, Qt::KeyboardModifiers modifiers) {
  press(path.front(), button, modifiers);
  for (size_t i = 1; i < path.size(); ++i) {
    const QPointF from(path[i - 1]);
    const QPointF way = QPointF(path[i]) - from;
    const int steps = std::max(1, static_cast<int>(std::hypot(way.x(), way.y())) / kDragStep);
    for (int s = 1; s <= steps; ++s) move((from + way * s / steps).toPoint(), modifiers);
  }
  release(path.back(), button, modifiers);
  timestamp_ += QApplication::styleHints()->mouseDoubleClickInterval() + 1;
}

void InputDriver::wheel(QPoint at, QPoint angleDelta, Qt::KeyboardModifiers modifiers) {
  move(at, modifiers);
  QWidget* widget = windowAt(at);
  QWindow* window = widget ? widget->windowHandle() : nullptr;
  if (!window) return;
  QWheelEvent event(window->mapFromGlobal(QPointF(at)), QPointF(at), QPoint(), angleDelta, buttons_, modifiers,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(window, &event);
  QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
}

QWindow* InputDriver::keyWindow() {
  // Without a window manager (a bare virtual display) nobody has made the window the active one.
  if (!QApplication::activeWindow()) {
    for (QWidget* window : QApplication::topLevelWidgets()) {
      if (!window->isVisible() || window->windowType() != Qt::Window) continue;
      QApplication::setActiveWindow(window);
      break;
    }
  }
  for (QWidget* widget : {QApplication::activePopupWidget(), QApplication::activeModalWidget(), QApplication::activeWindow()}) {
    if (widget && widget->windowHandle()) return widget->windowHandle();
  }
  return QApplication::focusWindow();
}

Status InputDriver::key(const QString& sequence) {
  const QKeySequence keys = QKeySequence::fromString(sequence, QKeySequence::PortableText);
  if (keys.isEmpty() || keys[0].key() == Qt::Key_unknown) {
    return errors::InvalidArgument("'", sequence.toStdString(), "' is no key; expected a name such as Ctrl+Z or Tab");
  }
  for (int i = 0; i < keys.count(); ++i) {
    const QKeyCombination combination = keys[static_cast<uint>(i)];
    const Qt::KeyboardModifiers modifiers = combination.keyboardModifiers();
    const QString text = keyText(combination.key(), modifiers);
    if (QWindow* window = keyWindow()) qt_handleKeyEvent(window, QEvent::KeyPress, combination.key(), modifiers, text);
    QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
    if (QWindow* window = keyWindow()) qt_handleKeyEvent(window, QEvent::KeyRelease, combination.key(), modifiers, text);
    QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
  }
  return Status::OK();
}

void InputDriver::type(const QString& text) {
  for (const QChar c : text) {
    const Qt::KeyboardModifiers modifiers = c.isUpper() ? Qt::ShiftModifier : Qt::NoModifier;
    const int key = c == QLatin1Char('\n') ? int(Qt::Key_Return) : int(c.toUpper().unicode());
    const QString typed = c == QLatin1Char('\n') ? QStringLiteral("\r") : QString(c);
    if (QWindow* window = keyWindow()) qt_handleKeyEvent(window, QEvent::KeyPress, key, modifiers, typed);
    if (QWindow* window = keyWindow()) qt_handleKeyEvent(window, QEvent::KeyRelease, key, modifiers, typed);
    QCoreApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
  }
}

StatusOr<Qt::MouseButton> parseButton(const QString& name) {
  if (name.isEmpty() || name == QLatin1String("left")) return Qt::LeftButton;
  if (name == QLatin1String("right")) return Qt::RightButton;
  if (name == QLatin1String("middle")) return Qt::MiddleButton;
  return errors::InvalidArgument("'", name.toStdString(), "' is no button; expected left, right or middle");
}

StatusOr<Qt::KeyboardModifiers> parseModifiers(const QStringList& names) {
  Qt::KeyboardModifiers modifiers;
  for (const QString& name : names.join(QLatin1Char('+')).split(QLatin1Char('+'), Qt::SkipEmptyParts)) {
    const QString lower = name.trimmed().toLower();
    if (lower == QLatin1String("ctrl") || lower == QLatin1String("control")) modifiers |= Qt::ControlModifier;
    else if (lower == QLatin1String("shift")) modifiers |= Qt::ShiftModifier;
    else if (lower == QLatin1String("alt")) modifiers |= Qt::AltModifier;
    else if (lower == QLatin1String("meta")) modifiers |= Qt::MetaModifier;
    else return errors::InvalidArgument("'", name.toStdString(), "' is no modifier; expected ctrl, shift, alt or meta");
  }
  return modifiers;
}

}  // namespace opscope::ui
