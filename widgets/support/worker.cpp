#include "widgets/support/worker.h"

#include <QMetaObject>

namespace opscope::ui {

QThreadPool& Worker::pool() {
  // Lives as long as the program; its threads end when idle.
  static QThreadPool* const pool = [] {
    auto* made = new QThreadPool;
    made->setMaxThreadCount(2);
    made->setObjectName(QStringLiteral("opscope worker"));
    return made;
  }();
  return *pool;
}

void Worker::post(const QPointer<QObject>& receiver, std::function<void()> closure) {
  // The application object lives on the UI thread, where receivers are made and deleted: the guard is asked there.
  QCoreApplication* app = QCoreApplication::instance();
  if (app == nullptr) return;
  QMetaObject::invokeMethod(
      app,
      [receiver, closure = std::move(closure)] {
        if (receiver) closure();
      },
      Qt::QueuedConnection);
}

}  // namespace opscope::ui
