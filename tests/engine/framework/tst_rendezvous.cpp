#include <QtTest>

#include <atomic>
#include <thread>

#include "engine/framework/rendezvous.h"

using namespace opscope;

namespace {

std::string Key(const std::string& tensor, uint64_t frame = 0, int64_t iteration = 0) {
  RendezvousKey key;
  key.src_device = "/job:localhost/replica:0/task:0/device:CPU:0";
  key.dst_device = "/job:localhost/replica:0/task:0/device:CPU:1";
  key.src_incarnation = 0xab;
  key.tensor_name = tensor;
  key.frame = frame;
  key.iteration = iteration;
  return key.ToString();
}

Tensor F(float value) { return Tensor::Scalar(value); }

}  // namespace

class TstRendezvous : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keys() {
    const std::string text = Key("edge_5_x", 7, 3);
    QCOMPARE(text, std::string("/job:localhost/replica:0/task:0/device:CPU:0;00000000000000ab;"
                               "/job:localhost/replica:0/task:0/device:CPU:1;edge_5_x;7:3"));
    const auto parsed = RendezvousKey::Parse(text);
    QVERIFY(parsed.ok());
    QCOMPARE(parsed->ToString(), text);
    QCOMPARE(parsed->src_incarnation, uint64_t{0xab});
    QCOMPARE(parsed->iteration, int64_t{3});
    for (const char* wrong : {"", "a;b", "a;zz;b;c;0:0", "a;1;b;c;0", "a;1;b;c;0:x", ";1;b;c;0:0", "a;1;;c;0:0", "a;1;b;;0:0"}) {
      QCOMPARE(RendezvousKey::Parse(wrong).status().code(), Code::kInvalidArgument);
    }
  }

  void either_may_come_first() {
    LocalRendezvous rendezvous;
    Tensor value;
    bool is_dead = true;
    QVERIFY(rendezvous.Send(Key("a"), F(1), false).ok());
    QVERIFY(rendezvous.Recv(Key("a"), &value, &is_dead).ok());
    QCOMPARE(value.flat<float>()[0], 1.0F);
    QVERIFY(!is_dead);
    float got = 0;
    rendezvous.RecvAsync(Key("b"), nullptr, [&](const Status&, const Tensor& t, bool) { got = t.flat<float>()[0]; });
    QCOMPARE(got, 0.0F);
    QVERIFY(rendezvous.Send(Key("b"), F(2), false).ok());
    QCOMPARE(got, 2.0F);
  }

  void values_of_one_key_keep_their_order() {
    LocalRendezvous rendezvous;
    for (int i = 0; i < 5; ++i) QVERIFY(rendezvous.Send(Key("a"), F(static_cast<float>(i)), i == 4).ok());
    Tensor value;
    bool is_dead = false;
    for (int i = 0; i < 5; ++i) {
      QVERIFY(rendezvous.Recv(Key("a"), &value, &is_dead).ok());
      QCOMPARE(value.flat<float>()[0], static_cast<float>(i));
      QCOMPARE(is_dead, i == 4);
    }
  }

  void frames_and_iterations_are_apart() {
    LocalRendezvous rendezvous;
    QVERIFY(rendezvous.Send(Key("a", 1, 0), F(10), false).ok());
    QVERIFY(rendezvous.Send(Key("a", 1, 1), F(11), false).ok());
    Tensor value;
    bool is_dead = false;
    QVERIFY(rendezvous.Recv(Key("a", 1, 1), &value, &is_dead).ok());
    QCOMPARE(value.flat<float>()[0], 11.0F);
  }

  void a_timeout_swallows_nothing() {
    LocalRendezvous rendezvous;
    Tensor value;
    bool is_dead = false;
    QCOMPARE(rendezvous.Recv(Key("a"), &value, &is_dead, 30).code(), Code::kDeadlineExceeded);
    QVERIFY(rendezvous.Send(Key("a"), F(9), false).ok());
    QVERIFY(rendezvous.Recv(Key("a"), &value, &is_dead, 1000).ok());
    QCOMPARE(value.flat<float>()[0], 9.0F);
  }

  void abort() {
    LocalRendezvous rendezvous;
    Status seen;
    rendezvous.RecvAsync(Key("a"), nullptr, [&](const Status& status, const Tensor&, bool) { seen = status; });
    rendezvous.StartAbort(errors::Internal("broken"));
    rendezvous.StartAbort(errors::Cancelled("later"));
    QCOMPARE(seen.message(), std::string("broken"));
    Tensor value;
    bool is_dead = false;
    QCOMPARE(rendezvous.Recv(Key("b"), &value, &is_dead).message(), std::string("broken"));
    QCOMPARE(rendezvous.Send(Key("b"), F(1), false).message(), std::string("broken"));
  }

  void cancellation() {
    LocalRendezvous rendezvous;
    Cancellation cancellation;
    std::vector<Status> seen;
    rendezvous.RecvAsync(Key("a"), &cancellation, [&](const Status& s, const Tensor&, bool) { seen.push_back(s); });
    cancellation.Cancel(errors::Cancelled("stopped"));
    rendezvous.RecvAsync(Key("a"), &cancellation, [&](const Status& s, const Tensor&, bool) { seen.push_back(s); });
    QCOMPARE(seen.size(), size_t{2});
    QCOMPARE(seen[0].message(), std::string("stopped"));
    QCOMPARE(seen[1].message(), std::string("stopped"));
    // Others aren't touched.
    QVERIFY(rendezvous.Send(Key("a"), F(1), false).ok());
    Tensor value;
    bool is_dead = false;
    QVERIFY(rendezvous.Recv(Key("a"), &value, &is_dead, 1000).ok());
  }

  void who_waits_when_it_goes_is_told() {
    Status seen;
    {
      LocalRendezvous rendezvous;
      rendezvous.RecvAsync(Key("a"), nullptr, [&](const Status& status, const Tensor&, bool) { seen = status; });
    }
    QCOMPARE(seen.code(), Code::kCancelled);
  }

  void many_threads() {
    LocalRendezvous rendezvous;
    constexpr int kValues = 2000;
    std::atomic<int64_t> sum{0};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = t; i < kValues; i += 4) wrong += !rendezvous.Send(Key(std::to_string(i)), F(static_cast<float>(i)), false).ok();
      });
      threads.emplace_back([&, t] {
        for (int i = kValues - 1 - t; i >= 0; i -= 4) {
          Tensor value;
          bool is_dead = false;
          wrong += !rendezvous.Recv(Key(std::to_string(i)), &value, &is_dead, 20000).ok();
          sum += static_cast<int64_t>(value.flat<float>()[0]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(sum.load(), int64_t{kValues} * (kValues - 1) / 2);
  }
};

QTEST_GUILESS_MAIN(TstRendezvous)
#include "tst_rendezvous.moc"
