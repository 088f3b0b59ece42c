#pragma once
// Work off the UI thread whose answer comes back on the thread of its receiver.

#include <functional>
#include <memory>
#include <utility>

#include <QCoreApplication>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

namespace opscope::ui {

/// Runs closures on a pool shared by all documents (two threads). Answers are dropped when the receiver is gone.
/// Threads: run() from any thread; `answer` is called on the receiver's thread, from its event loop.
class Worker {
 public:
  static QThreadPool& pool();

  /// `work` runs on the pool and gives a value; `answer` gets it.
  template <typename Work, typename Answer>
  static void run(QObject* receiver, Work work, Answer answer) {
    pool().start([guard = QPointer<QObject>(receiver), work = std::move(work), answer = std::move(answer)]() mutable {
      auto result = std::make_shared<decltype(work())>(work());
      post(guard, [answer = std::move(answer), result]() mutable { answer(std::move(*result)); });
    });
  }

  /// Calls `closure` on the thread of `receiver`, unless it is gone by then.
  static void post(const QPointer<QObject>& receiver, std::function<void()> closure);
};

}  // namespace opscope::ui
