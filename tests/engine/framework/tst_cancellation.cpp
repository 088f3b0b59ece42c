#include <QtTest>

#include <atomic>
#include <thread>

#include "engine/framework/current_cancellation.h"

using namespace opscope;

class TstCancellation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void callbacksAreCalledOnce() {
    Cancellation cancellation;
    int calls = 0;
    Cancellation::Token kept = 0, dropped = 0, late = 0;
    QVERIFY(cancellation.RegisterCallback([&] { ++calls; }, &kept));
    QVERIFY(cancellation.RegisterCallback([&] { calls += 100; }, &dropped));
    QVERIFY(cancellation.DeregisterCallback(dropped));
    QVERIFY(!cancellation.IsCancelled());
    cancellation.Cancel(errors::Cancelled("first"));
    cancellation.Cancel(errors::Aborted("second"));
    QVERIFY(cancellation.IsCancelled());
    QCOMPARE(calls, 1);
    QCOMPARE(cancellation.status().message(), std::string("first"));
    QVERIFY(!cancellation.DeregisterCallback(kept));
    QVERIFY(!cancellation.RegisterCallback([&] { ++calls; }, &late));
    QCOMPARE(calls, 1);
    cancellation.Reset();
    QVERIFY(!cancellation.IsCancelled());
    QVERIFY(cancellation.status().ok());
  }

  void aCallbackMayDeregisterItself() {
    Cancellation cancellation;
    Cancellation::Token token = 0;
    bool was_there = true;
    QVERIFY(cancellation.RegisterCallback([&] { was_there = cancellation.DeregisterCallback(token); }, &token));
    cancellation.Cancel(errors::Cancelled("x"));
    QVERIFY(!was_there);
  }

  // What the callback uses may go when DeregisterCallback has returned.
  void deregisteringWaitsForARunningCallback() {
    Cancellation cancellation;
    std::atomic<bool> begun{false}, ended{false};
    Cancellation::Token token = 0;
    QVERIFY(cancellation.RegisterCallback(
        [&] {
          begun = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          ended = true;
        },
        &token));
    std::jthread canceller([&] { cancellation.Cancel(errors::Cancelled("x")); });
    while (!begun) std::this_thread::yield();
    QVERIFY(!cancellation.DeregisterCallback(token));
    QVERIFY(ended);
  }

  void scopesNest() {
    Cancellation outer, inner;
    QVERIFY(!CurrentStepIsCancelled());
    {
      const CurrentCancellation first(&outer);
      outer.Cancel(errors::Cancelled("x"));
      QVERIFY(CurrentStepIsCancelled());
      {
        const CurrentCancellation second(&inner);
        QVERIFY(!CurrentStepIsCancelled());
      }
      QVERIFY(CurrentStepIsCancelled());
    }
    QVERIFY(!CurrentStepIsCancelled());
  }
};

QTEST_GUILESS_MAIN(TstCancellation)
#include "tst_cancellation.moc"
