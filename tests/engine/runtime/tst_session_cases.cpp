// The cases of the areas run, session, feeds and device at the engine: each with the behaviour that its case.json expects.
#include <QtTest>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "engine/runtime/session_factory.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

std::string CasePath(const char* id, const char* file = "graph.pbtxt") {
  return std::string(OPSCOPE_SHARED_DIR) + "/cases/" + id + "/" + file;
}

std::string ReadCase(const char* id) {
  std::ifstream file(CasePath(id));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<Session> CaseSession(const char* id, const SessionOptions& options = {}, Status* status = nullptr) {
  return MakeSession(ReadCase(id), options, status);
}

struct Outcome {
  Status status;
  std::vector<Tensor> values;
  double seconds = 0;
  float f(size_t i = 0) const { return values[i].flat<float>()[0]; }
};

Outcome Run(Session* session, const Session::NamedTensors& feeds, const std::vector<std::string>& fetches,
            const std::vector<std::string>& targets = {}, const RunOptions& options = {}) {
  Outcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  outcome.status = session->Run(options, feeds, fetches, targets, &outcome.values, nullptr, RunHooks());
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

bool Has(const Status& status, const char* text) { return status.message().find(text) != std::string::npos; }
bool Names(const Status& status, const std::string& node) {
  return std::find(status.nodes().begin(), status.nodes().end(), node) != status.nodes().end();
}

SessionOptions Cpus(int count) {
  SessionOptions options;
  (*options.config.mutable_device_count())["CPU"] = count;
  return options;
}

std::string Cpu(int i) { return "/job:localhost/replica:0/task:0/device:CPU:" + std::to_string(i); }

}  // namespace

#define NEEDS_CASE(id) \
  if (!std::ifstream(CasePath(id)).good()) QSKIP("the shared cases are not there")
#define QUEUE_OR_SKIP(outcome) \
  if (Has((outcome).status, "has no kernel here")) QSKIP("queues have no kernels here")

class TstSessionCases : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void run_dead_fetch() {
    NEEDS_CASE("run-dead-fetch");
    const auto session = CaseSession("run-dead-fetch");
    const Outcome t = Run(session.get(), {}, {"t:0"});
    QCOMPARE(t.status.code(), Code::kInvalidArgument);
    QVERIFY(Has(t.status, "Retval[0] does not have value") && Has(t.status, "t") && Names(t.status, "sw"));
    QCOMPARE(Run(session.get(), {}, {"m:0"}).f(), 7.0F);
  }

  void run_nothing() {
    NEEDS_CASE("run-nothing");
    const auto session = CaseSession("run-nothing");
    const Outcome nothing = Run(session.get(), {}, {});
    QCOMPARE(nothing.status.code(), Code::kInvalidArgument);
    QCOMPARE(nothing.status.message(), std::string("Must specify at least one target to fetch or execute."));
  }

  void run_int_div_zero() {
    NEEDS_CASE("run-int-div-zero");
    const auto session = CaseSession("run-int-div-zero");
    for (const char* fetch : {"q", "r"}) {
      const Outcome outcome = Run(session.get(), {}, {fetch});
      QCOMPARE(outcome.status.code(), Code::kInvalidArgument);
      QVERIFY(outcome.status.message().starts_with("Integer division by zero") && Names(outcome.status, fetch));
    }
    QVERIFY(Run(session.get(), {}, {"a:0"}).status.ok());
  }

  void run_assign_read_order() {
    NEEDS_CASE("run-assign-read-order");
    const auto session = CaseSession("run-assign-read-order");
    for (int i = 0; i < 200; ++i) {
      QVERIFY(Run(session.get(), {}, {}, {"init"}).status.ok());
      QCOMPARE(Run(session.get(), {}, {"read_after:0"}, {"set"}).f(), 5.0F);
    }
  }

  void run_two_assigns() {
    NEEDS_CASE("run-two-assigns");
    const auto session = CaseSession("run-two-assigns");
    GraphDef graph = ParseGraph(ReadCase("run-two-assigns"));
    std::string variable, init;
    for (const NodeDef& node : graph.node()) {
      if (node.op().starts_with("Variable")) variable = node.name();
      if (node.op() == "Assign") init = node.name();
    }
    QVERIFY(Run(session.get(), {}, {}, {init}).status.ok());
    for (int i = 1; i <= 10; ++i) {
      QVERIFY(Run(session.get(), {}, {}, {"both"}).status.ok());
      const Outcome value = Run(session.get(), {}, {variable});
      QVERIFY(value.status.ok());
      const Tensor& tensor = value.values[0];
      QCOMPARE(tensor.dtype() == DT_INT32 ? tensor.flat<int32_t>()[0] : static_cast<int>(tensor.flat<float>()[0]), 42 * i);
    }
  }

  void run_uninitialized() {
    NEEDS_CASE("run-uninitialized");
    const auto session = CaseSession("run-uninitialized");
    const Outcome outcome = Run(session.get(), {}, {"read_any:0"});
    QCOMPARE(outcome.status.code(), Code::kFailedPrecondition);
    QVERIFY(outcome.status.message().starts_with("Attempting to use uninitialized value v"));
  }

  void run_partial() {
    NEEDS_CASE("run-partial");
    const auto session = CaseSession("run-partial");
    for (int time = 0; time < 2; ++time) {
      std::string handle;
      std::vector<Tensor> out;
      QVERIFY(session->PRunSetup({"u:0", "v:0", "w:0"}, {"s1:0", "s2:0"}, {}, &handle).ok());
      QVERIFY(session->PRun(handle, {{"u:0", Tensor::Scalar(9.0F)}, {"v:0", Tensor::Scalar(4.0F)}}, {"s1:0"}, &out).ok());
      QCOMPARE(out[0].flat<float>()[0], 5.0F);
      QCOMPARE(session->PRun(handle, {{"u:0", Tensor::Scalar(9.0F)}}, {}, nullptr).message(),
               std::string("The feed u:0 has already been fed."));
      QVERIFY(session->PRun(handle, {{"w:0", out[0]}}, {"s2:0"}, &out).ok());
      QCOMPARE(out[0].flat<float>()[0], 25.0F);
    }
  }

  void run_bool_string() {
    NEEDS_CASE("run-bool-string");
    const auto session = CaseSession("run-bool-string");
    const Outcome outcome = Run(session.get(), {}, {"e:0", "t:0", "i:0"});
    QVERIFY2(outcome.status.ok(), outcome.status.message().c_str());
    QCOMPARE(outcome.values[0].flat<bool>()[0], true);
    const auto t = outcome.values[1].flat<bool>();
    QCOMPARE((std::vector<bool>{t[0], t[1], t[2]}), (std::vector<bool>{true, false, false}));
    QCOMPARE(outcome.values[2].flat<std::string>()[0], std::string("ab"));
    QCOMPARE(outcome.values[2].flat<std::string>()[1], std::string("\xff\x00", 2));
  }

  void ses_extend_after_run() {
    NEEDS_CASE("ses-extend-after-run");
    const GraphDef all = ParseGraph(ReadCase("ses-extend-after-run"));
    GraphDef first, later;
    *first.mutable_versions() = *later.mutable_versions() = all.versions();
    for (const NodeDef& node : all.node()) *(node.name() == "a" ? &first : &later)->add_node() = node;
    auto session = NewSession(SessionOptions());
    QVERIFY((*session)->Extend(first).ok());
    QVERIFY(Run(session->get(), {}, {"a:0"}).status.ok());
    QVERIFY((*session)->Extend(later).ok());
    const Outcome outcome = Run(session->get(), {}, {"c:0"});
    QVERIFY(outcome.status.ok());
    const Tensor& c = outcome.values[0];
    QCOMPARE(c.dtype() == DT_INT32 ? c.flat<int32_t>()[0] : static_cast<int>(c.flat<float>()[0]), 2);
  }

  void ses_not_shared() {
    NEEDS_CASE("ses-not-shared");
    const auto one = CaseSession("ses-not-shared"), two = CaseSession("ses-not-shared");
    QVERIFY(Run(one.get(), {}, {}, {"init"}).status.ok());
    QCOMPARE(Run(one.get(), {}, {"read_any:0"}).f(), 1.0F);
    QCOMPARE(Run(two.get(), {}, {"read_any:0"}).status.code(), Code::kFailedPrecondition);
  }

  void ses_timeout() {
    NEEDS_CASE("ses-timeout");
    const auto session = CaseSession("ses-timeout");
    RunOptions options;
    options.set_timeout_in_ms(300);
    const Outcome late = Run(session.get(), {}, {"deq:0"}, {}, options);
    QUEUE_OR_SKIP(late);
    QCOMPARE(late.status.code(), Code::kDeadlineExceeded);
    QVERIFY2(late.seconds >= 0.29 && late.seconds < 1.0, qPrintable(QString::number(late.seconds)));
    QCOMPARE(Run(session.get(), {}, {"v:0"}).f(), 9.0F);
    QVERIFY(Run(session.get(), {}, {}, {"enq"}).status.ok());
    QCOMPARE(Run(session.get(), {}, {"deq:0"}).f(), 9.0F);
  }

  void ses_close_while_blocked() {
    NEEDS_CASE("ses-close-while-blocked");
    const auto session = CaseSession("ses-close-while-blocked");
    std::thread closer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      static_cast<void>(session->Close().ok());
    });
    const Outcome blocked = Run(session.get(), {}, {"deq:0"});
    closer.join();
    QUEUE_OR_SKIP(blocked);
    QCOMPARE(blocked.status.code(), Code::kCancelled);
    QVERIFY2(blocked.seconds < 1.3, qPrintable(QString::number(blocked.seconds)));
    QCOMPARE(Run(session.get(), {}, {"v:0"}).status.message(), std::string("Session has been closed."));
  }

  void pool_one_thread_queue() {
    NEEDS_CASE("pool-one-thread-queue");
    SessionOptions options;
    options.config.set_use_per_session_threads(true);
    for (const int threads : {-1, 1}) {
      options.config.set_inter_op_parallelism_threads(threads);
      const auto session = CaseSession("pool-one-thread-queue", options);
      RunOptions run_options;
      run_options.set_timeout_in_ms(2000);
      const Outcome outcome = Run(session.get(), {}, {"deq:0"}, {"enq"}, run_options);
      QUEUE_OR_SKIP(outcome);
      QVERIFY2(outcome.status.ok(), outcome.status.message().c_str());
      QCOMPARE(outcome.f(), 9.0F);
    }
  }

  void pool_first_session() {
    const auto inter = [](Session* session) {
      for (const PoolInfo& pool : session->Pools()) {
        if (pool.kind == "inter_op") return pool;
      }
      return PoolInfo();
    };
    SessionOptions options;
    options.config.set_inter_op_parallelism_threads(3);
    const auto first = MakeSession(FloatConst("a", 1), options);
    const PoolInfo of_first = inter(first.get());
    QVERIFY(of_first.is_shared);
    options.config.set_inter_op_parallelism_threads(8);
    const auto second = MakeSession(FloatConst("a", 1), options);
    const PoolInfo of_second = inter(second.get());
    // What is in force is told, whatever was asked.
    QCOMPARE(of_second.asked, 8);
    QCOMPARE(of_second.threads, of_first.threads);
    QCOMPARE(of_second.name, std::string("process"));
    QVERIFY(of_second.is_shared && of_second.sessions >= 2);
    options.config.set_use_per_session_threads(true);
    options.config.set_inter_op_parallelism_threads(5);
    const auto own = MakeSession(FloatConst("a", 1), options);
    QCOMPARE(inter(own.get()).threads, 5);
    QVERIFY(!inter(own.get()).is_shared);
  }

  void pools_by_number() {
    SessionOptions options;
    options.config.add_session_inter_op_thread_pool()->set_num_threads(2);
    auto* const named = options.config.add_session_inter_op_thread_pool();
    named->set_num_threads(4);
    named->set_global_name("tst_session_cases");
    const auto session = MakeSession(FloatConst("a", 1), options);
    QCOMPARE(session->Pools()[0].threads, 2);
    QCOMPARE(session->Pools()[1].name, std::string("tst_session_cases"));
    for (const int pool : {0, 1, -1}) {
      RunOptions run_options;
      run_options.set_inter_op_thread_pool(pool);
      QCOMPARE(Run(session.get(), {}, {"a"}, {}, run_options).f(), 1.0F);
    }
    RunOptions run_options;
    run_options.set_inter_op_thread_pool(2);
    const Outcome wrong = Run(session.get(), {}, {"a"}, {}, run_options);
    QCOMPARE(wrong.status.code(), Code::kInvalidArgument);
    QCOMPARE(wrong.status.message(), std::string("Invalid inter_op_thread_pool: 2"));
    named->set_num_threads(5);
    const auto other = NewSession(options);
    QCOMPARE(other.status().message(), std::string("Pool tst_session_cases configured previously with num_threads=4; cannot "
                                                   "re-configure with num_threads=5"));
  }

  void feed_missing() {
    NEEDS_CASE("feed-missing");
    const auto session = CaseSession("feed-missing");
    for (const char* fetch : {"sum:0", "count:0"}) {
      const Outcome outcome = Run(session.get(), {}, {fetch});
      QCOMPARE(outcome.status.code(), Code::kInvalidArgument);
      QVERIFY(Has(outcome.status, "You must feed a value for placeholder tensor 'count' with dtype int32"));
      QVERIFY(Names(outcome.status, "count"));
    }
    QCOMPARE(Run(session.get(), {}, {"only_k:0"}).values[0].flat<int32_t>()[0], -11);
  }

  void feed_name_forms() {
    NEEDS_CASE("feed-name-forms");
    const auto session = CaseSession("feed-name-forms");
    const std::vector<float> values{1, 2, 3};
    const Tensor x = Tensor::Vector<float>(values);
    QCOMPARE(Run(session.get(), {{"x:0", x}}, {"y:0"}).f(), 6.0F);
    QCOMPARE(Run(session.get(), {{"x", x}}, {"y"}).f(), 6.0F);
    QCOMPARE(Run(session.get(), {{"x", x}}, {"y:1"}).status.code(), Code::kOutOfRange);
    QCOMPARE(Run(session.get(), {{"x", x}}, {"q:0"}).status.code(), Code::kInvalidArgument);
  }

  void feed_shape() {
    NEEDS_CASE("feed-shape");
    const auto session = CaseSession("feed-shape");
    const GraphDef graph = ParseGraph(ReadCase("feed-shape"));
    std::string y;
    for (const NodeDef& node : graph.node()) {
      if (node.op() != "Placeholder") y = node.name();
    }
    // The session itself looks at types only, as TensorFlow's.
    const Outcome turned = Run(session.get(), {{"x:0", Tensor(DT_FLOAT, TensorShape({3, 2}))}}, {y});
    QCOMPARE(turned.values[0].dim_size(0), int64_t{3});
    const Outcome wrong = Run(session.get(), {{"x:0", Tensor(DT_INT32, TensorShape({2, 3}))}}, {y});
    QVERIFY(wrong.status.message().starts_with("Expects arg[0] to be float but int32 is provided"));
  }

  void feed_stale_name() {
    NEEDS_CASE("feed-stale-name");
    const auto session = CaseSession("feed-stale-name");
    const Outcome outcome = Run(session.get(), {{"x:0", Tensor::Scalar(1.0F)}}, {"y_1:0"});
    QVERIFY(Has(outcome.status, "You must feed a value for placeholder tensor 'x_1'"));
    QVERIFY(Has(outcome.status, "not used by this run: x:0"));
  }

  void dev_gpu_absent() {
    NEEDS_CASE("dev-gpu-absent");
    Status status;
    CaseSession("dev-gpu-absent", {}, &status);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(Has(status, "was explicitly assigned to /device:GPU:0 but available devices are [ "
                        "/job:localhost/replica:0/task:0/device:CPU:0 ]"));
    SessionOptions soft;
    soft.config.set_allow_soft_placement(true);
    const auto session = CaseSession("dev-gpu-absent", soft);
    const Outcome y = Run(session.get(), {}, {"y:0"});
    QCOMPARE(y.values[0].flat<float>()[0], -1.0F);
    QCOMPARE(y.values[0].flat<float>()[1], -2.0F);
  }

  void dev_two_cpus() {
    NEEDS_CASE("dev-two-cpus");
    Status status;
    CaseSession("dev-two-cpus", Cpus(1), &status);
    QVERIFY(Names(status, "b") && Has(status, "/device:CPU:1"));
    const auto session = CaseSession("dev-two-cpus", Cpus(2));
    RunOptions options;
    options.set_output_partition_graphs(true);
    RunMetadata metadata;
    std::vector<Tensor> outputs;
    QVERIFY(session->Run(options, {}, {"c:0"}, {}, &outputs, &metadata, RunHooks()).ok());
    QCOMPARE(outputs[0].flat<float>()[0], 0.0F);
    QCOMPARE(outputs[0].flat<float>()[1], 0.0F);
    std::multiset<std::string> ops;
    for (const GraphDef& part : metadata.partition_graphs()) {
      for (const NodeDef& node : part.node()) ops.insert(node.op());
    }
    QVERIFY(ops.count("_Send") == 1 && ops.count("_Recv") == 1);
    std::vector<std::pair<std::string, std::string>> placement;
    QVERIFY(session->Placement(&placement).ok());
    for (const auto& [node, device] : placement) QCOMPARE(device, Cpu(node == "b" ? 1 : 0));
  }

  // Only "b"'s types have no kernel: the graph is refused as a whole, as TensorFlow does.
  void types_without_kernel() {
    Status status;
    MakeSession("node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_HALF } } } "
                "node { name: 'b' op: 'Rint' input: 'a' attr { key: 'T' value { type: DT_HALF } } }",
                {}, &status);
    QCOMPARE(status.code(), Code::kInvalidArgument);
    QVERIFY(status.message().starts_with(
        "No OpKernel was registered to support Op 'Rint' used by {{node b}} with these attrs: [T=DT_HALF]"));
    QVERIFY(Names(status, "b"));
  }

  // A graph that was partitioned elsewhere: its transfers meet in the step.
  void transfers_of_the_graph() {
    const std::string common = " attr { key: 'tensor_name' value { s: 't' } } attr { key: 'send_device' value { s: '" + Cpu(0) +
                               "' } } attr { key: 'recv_device' value { s: '" + Cpu(0) +
                               "' } } attr { key: 'send_device_incarnation' value { i: 7 } } }";
    const auto session = MakeSession(
        FloatConst("x", 6) + "node { name: 's' op: '_Send' input: 'x' attr { key: 'T' value { type: DT_FLOAT } }" + common +
        "node { name: 'r' op: '_Recv' attr { key: 'tensor_type' value { type: DT_FLOAT } }" + common +
        FloatOp("y", "Neg", {"r"}));
    QVERIFY(session);
    RunOptions options;
    options.set_timeout_in_ms(3000);
    for (int i = 0; i < 3; ++i) {
      const Outcome outcome = Run(session.get(), {}, {"y"}, {"s"}, options);
      QVERIFY2(outcome.status.ok(), outcome.status.message().c_str());
      QCOMPARE(outcome.f(), -6.0F);
    }
    // Nobody sends.
    options.set_timeout_in_ms(100);
    QCOMPARE(Run(session.get(), {}, {"y"}, {}, options).status.code(), Code::kDeadlineExceeded);
  }

  void reset_clears_and_closes() {
    const auto session = MakeSession(FloatVariable("v") + FloatConst("one", 1) + FloatOp("init", "Assign", {"v", "one"}));
    QVERIFY(Run(session.get(), {}, {}, {"init"}).status.ok());
    QVERIFY(Reset(SessionOptions(), {}).ok());
    QCOMPARE(Run(session.get(), {}, {"v"}).status.message(), std::string("Session has been closed."));
  }
};

QTEST_GUILESS_MAIN(TstSessionCases)
#include "tst_session_cases.moc"
