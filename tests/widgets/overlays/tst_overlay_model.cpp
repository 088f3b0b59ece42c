#include <cmath>

#include <QSignalSpy>
#include <QtTest>

#include "engine/diagram/diagram.h"
#include "engine/diagram/hierarchy.h"
#include "engine/diagram/label_meter.h"
#include "engine/trace/run_trace_builder.h"
#include "widgets/overlays/color_scale.h"
#include "widgets/overlays/overlay_format.h"
#include "widgets/overlays/overlay_model.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

tensorflow::NodeDef node(const char* name, const char* op, std::initializer_list<const char*> inputs, const char* device = "") {
  tensorflow::NodeDef def;
  def.set_name(name);
  def.set_op(op);
  def.set_device(device);
  for (const char* input : inputs) def.add_input(input);
  return def;
}

/// a, b → s/sum → s/out; other reads b and is not fetched.
struct World {
  World() {
    tensorflow::NodeDef a = node("a", "Const", {});
    auto* value = (*a.mutable_attr())["value"].mutable_tensor();
    value->set_dtype(DT_FLOAT);
    value->mutable_tensor_shape();
    value->add_float_val(2.5f);
    for (const auto& def : {a, node("b", "Placeholder", {}, "/device:GPU:0"), node("s/sum", "Add", {"a", "b"}), node("s/out", "Mul", {"s/sum", "a"}), node("other", "Neg", {"b"})}) {
      (void)graph.AddNode(def);
    }
    input.graph = &graph;
    input.topological = {{"a", 1}, {"b", 2}, {"s/sum", 3}, {"s/out", 4}};
    show(true);
  }
  void show(bool open) {
    diagram.SetCollapsed("s", !open);
    hierarchy = std::make_unique<Hierarchy>(graph);
    input.scene = model.Rebuild(graph, *hierarchy, diagram, EstimatedLabelMeter());
  }
  void run(const char* name, int64_t begin, int64_t end, Tensor output, const char* device = "/job:localhost/replica:0/task:0/device:CPU:0") {
    const ExecutionKey key{name, "", 0};
    builder.NodeStarted(key, device, begin);
    std::vector<Tensor> outputs = {std::move(output)};
    NodeExecution execution;
    execution.key = key;
    execution.op = "Op";
    execution.device = device;
    execution.scheduled_ns = execution.start_ns = execution.compute_start_ns = begin;
    execution.compute_end_ns = execution.end_ns = end;
    execution.outputs = &outputs;
    execution.status = Status::OK();
    builder.NodeDone(execution);
    input.placement[name] = device;
    cursor.SetTrace(builder.Snapshot());
    cursor.MoveTo(cursor.trace().num_events());
    input.cursor = &cursor;
  }
  const ItemOverlay& of(OverlayModel& model_, const char* name) {
    const int32_t item = input.scene->FindVisible(name) >= 0 ? input.scene->FindVisible(name) : input.scene->FindScope(name);
    return model_.picture()->items[static_cast<size_t>(item)];
  }

  Graph graph;
  Diagram diagram;
  std::unique_ptr<Hierarchy> hierarchy;
  SceneModel model;
  RunTraceBuilder builder;
  TraceCursor cursor;
  OverlayInput input;
};

}  // namespace

class TstOverlayModel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void beforeRun_topologicalNumbersAndConstants();
  void paused_marksDoneCurrentReadyPending();
  void finished_valuesAndNotRun();
  void finished_fedIsNotNotRun();
  void time_heatFromLeavesAndSumsOnScopes();
  void device_tagsMovedAndTransfers();
  void health_countsNan();
  void failure_marksNodeAndScope();
  void stale_leavesNewNodesAlone();
  void invalidate_announcesOnce();
  void scale_quantilesAndLog();
  void format_texts();
};

void TstOverlayModel::beforeRun_topologicalNumbersAndConstants() {
  World w;
  OverlayModel model;
  model.setKind(OverlayKind::kOrder);
  w.input.types = {{"float32", QStringLiteral("scalar")}, {"int64", QStringLiteral("?×784")}};
  model.setInput(w.input);
  QCOMPARE(w.of(model, "s/out").badge, QStringLiteral("4"));
  QCOMPARE(w.of(model, "s/out").topo, QStringLiteral("4"));
  QVERIFY(w.of(model, "other").badge.isEmpty());
  QCOMPARE(w.of(model, "a").value, QStringLiteral("2.5"));
  QCOMPARE(w.of(model, "a").figure, QStringLiteral("2.5"));
  QCOMPARE(w.of(model, "b").figure, QStringLiteral("int64 ?×784"));
  QCOMPARE(model.picture()->legend.note, QStringLiteral("topological"));
  QVERIFY(w.of(model, "a").mark == RunMark::kNone);
}

void TstOverlayModel::paused_marksDoneCurrentReadyPending() {
  World w;
  w.run("b", 10, 20, Tensor::Scalar<float>(1));
  w.input.active = true;
  w.input.current = "a";
  OverlayModel model;
  model.setKind(OverlayKind::kOrder);
  model.setInput(w.input);
  QVERIFY(w.of(model, "b").mark == RunMark::kDone);
  QCOMPARE(w.of(model, "b").badge, QStringLiteral("1"));
  QVERIFY(w.of(model, "a").mark == RunMark::kCurrent);
  QCOMPARE(w.of(model, "a").flag, QStringLiteral("paused here"));
  QCOMPARE(w.of(model, "a").badge, QStringLiteral("2"));
  QVERIFY(w.of(model, "s/sum").mark == RunMark::kPending);
  QCOMPARE(w.of(model, "s/out").badge, QStringLiteral("4"));
  QVERIFY(w.of(model, "other").mark == RunMark::kNotRun);
  QVERIFY(model.picture()->legend.note.startsWith(QStringLiteral("executed")));
  w.run("a", 20, 30, Tensor::Scalar<float>(2));
  w.input.current = "s/out";
  model.setInput(w.input);
  QVERIFY(w.of(model, "s/sum").mark == RunMark::kReady);
  QCOMPARE(w.of(model, "s/sum").state, QStringLiteral("ready"));
  int waves = 0;
  for (const auto& [edge, over] : model.picture()->edges) waves += over.wave ? 1 : 0;
  QCOMPARE(waves, 3);  // a and b to the sum, a to the product
}

void TstOverlayModel::finished_valuesAndNotRun() {
  World w;
  w.run("a", 0, 10, Tensor::Scalar<float>(2.5f));
  w.run("b", 10, 20, Tensor::Scalar<float>(1));
  w.run("s/sum", 20, 40, Tensor::Scalar<float>(3.5f));
  w.run("s/out", 40, 50, Tensor::Scalar<float>(3.75f));
  OverlayModel model;
  model.setInput(w.input);
  QCOMPARE(w.of(model, "s/out").value, QStringLiteral("3.75"));
  QCOMPARE(w.of(model, "s/out").figure, QStringLiteral("3.75"));
  QVERIFY(w.of(model, "other").mark == RunMark::kNotRun);
  QCOMPARE(w.of(model, "other").state, QStringLiteral("not run"));
  // Back in time: what comes later has no value there.
  w.cursor.MoveTo(2);
  model.setInput(w.input);
  QVERIFY(w.of(model, "s/out").value.isEmpty());
  QVERIFY(w.of(model, "s/out").mark == RunMark::kPending);
  QVERIFY(w.of(model, "a").mark == RunMark::kDone);
}

void TstOverlayModel::finished_fedIsNotNotRun() {
  World w;
  w.input.feeds = {{"b:0", "4"}};
  w.run("a", 0, 10, Tensor::Scalar(2.5f));
  w.run("s/sum", 10, 20, Tensor::Scalar(6.5f));
  OverlayModel model;
  model.setInput(w.input);
  QVERIFY(w.of(model, "b").mark == RunMark::kDone);
  QCOMPARE(w.of(model, "b").state, QStringLiteral("fed"));
  QCOMPARE(w.of(model, "b").value, QStringLiteral("4"));
  QVERIFY(w.of(model, "other").mark == RunMark::kNotRun);
}

void TstOverlayModel::time_heatFromLeavesAndSumsOnScopes() {
  World w;
  w.run("a", 0, 1000, Tensor::Scalar<float>(1));
  w.run("b", 1000, 2000, Tensor::Scalar<float>(1));
  w.run("s/sum", 2000, 12000, Tensor::Scalar<float>(1));
  w.run("s/out", 12000, 16000, Tensor::Scalar<float>(1));
  OverlayModel model;
  model.setKind(OverlayKind::kTime);
  model.setInput(w.input);
  QCOMPARE(w.of(model, "s/sum").heat, 1.0);
  QCOMPARE(w.of(model, "a").heat, 0.0);
  QCOMPARE(w.of(model, "s/sum").figure, w.of(model, "s/sum").time);
  QCOMPARE(w.of(model, "s").heat, -1.0);  // open: its content carries the colour
  QCOMPARE(w.of(model, "s").time, durationText(14000));
  QCOMPARE(model.picture()->legend.steps.size(), size_t{5});
  w.show(false);
  model.setInput(w.input);
  QCOMPARE(w.of(model, "s").time, durationText(14000));
  QCOMPARE(w.of(model, "s").heat, 1.0);
  for (const ItemOverlay& over : model.picture()->items) {
    if (over.fill.isValid()) QVERIFY(contrastRatio(over.fill, over.text) >= 4.6);
  }
}

void TstOverlayModel::device_tagsMovedAndTransfers() {
  World w;
  w.run("a", 0, 1, Tensor::Scalar<float>(1), "/job:localhost/replica:0/task:0/device:CPU:1");
  w.run("b", 1, 2, Tensor::Scalar<float>(1));
  w.run("s/sum", 2, 3, Tensor::Scalar<float>(1));
  w.run("s/out", 3, 4, Tensor::Scalar<float>(1), "/job:localhost/replica:0/task:0/device:CPU:1");
  OverlayModel model;
  model.setKind(OverlayKind::kDevice);
  model.setInput(w.input);
  QCOMPARE(w.of(model, "a").device, QStringLiteral("CPU:1"));
  QCOMPARE(w.of(model, "a").deviceTag, QStringLiteral("CPU:1"));
  QCOMPARE(w.of(model, "b").deviceTag, QStringLiteral("GPU:0 → CPU:0"));
  QVERIFY(w.of(model, "b").deviceMoved);
  QCOMPARE(w.of(model, "s").shares.size(), size_t{2});
  QCOMPARE(w.of(model, "s").shares[0].share, 0.5);
  int transfers = 0;
  for (const auto& [edge, over] : model.picture()->edges) transfers += over.transfer == QStringLiteral("4 B") ? 1 : 0;
  QCOMPARE(transfers, 2);  // a → sum and sum → out
  QCOMPARE(model.picture()->legend.entries.size(), size_t{2});
}

void TstOverlayModel::health_countsNan() {
  World w;
  const float values[] = {1, std::nanf(""), INFINITY, 4};
  w.run("a", 0, 1, Tensor::Vector<float>(values));
  w.run("b", 1, 2, Tensor::Scalar<float>(1));
  OverlayModel model;
  model.setKind(OverlayKind::kHealth);
  model.setInput(w.input);
  QCOMPARE(w.of(model, "a").health, QStringLiteral("2 NaN/Inf"));
  QCOMPARE(w.of(model, "a").fill, Theme::instance().colors().errorFill);
  QCOMPARE(w.of(model, "b").health, QStringLiteral("ok"));
}

void TstOverlayModel::failure_marksNodeAndScope() {
  World w;
  w.run("a", 0, 1, Tensor::Scalar<float>(1));
  w.input.failed = "s/sum";
  w.input.failure = QStringLiteral("Incompatible shapes");
  OverlayModel model;
  model.setInput(w.input);
  QVERIFY(w.of(model, "s/sum").mark == RunMark::kFailed);
  QCOMPARE(w.of(model, "s/sum").error, QStringLiteral("Incompatible shapes"));
  QCOMPARE(w.of(model, "s/sum").state, QStringLiteral("failed"));
  w.show(false);
  model.setInput(w.input);
  QVERIFY(w.of(model, "s").mark == RunMark::kFailed);
}

void TstOverlayModel::stale_leavesNewNodesAlone() {
  World w;
  w.run("a", 0, 1, Tensor::Scalar<float>(1));
  w.input.stale = true;
  OverlayModel model;
  model.setInput(w.input);
  QVERIFY(w.of(model, "other").mark == RunMark::kNone);
  QVERIFY(w.of(model, "a").mark == RunMark::kDone);
}

void TstOverlayModel::invalidate_announcesOnce() {
  World w;
  OverlayModel model;
  model.setInput(w.input);
  model.picture();
  QCoreApplication::processEvents();
  QSignalSpy changed(&model, &OverlayModel::changed);
  model.invalidate();
  model.invalidate();
  model.setKind(OverlayKind::kTime);
  QVERIFY(changed.wait());
  QCOMPARE(changed.size(), 1);
  const int before = model.computations();
  QVERIFY(model.picture()->kind == OverlayKind::kTime);
  model.picture();
  QCOMPARE(model.computations(), before + 1);
}

void TstOverlayModel::scale_quantilesAndLog() {
  std::vector<double> figures;
  for (int i = 1; i <= 100; ++i) figures.push_back(i);
  figures.push_back(5000);  // one outlier must not bleach the others
  const ColorScale linear = ColorScale::of(figures);
  QCOMPARE(linear.low(), 1.0);
  QCOMPARE(linear.high(), 100.0);
  QVERIFY(!linear.logarithmic());
  QCOMPARE(linear.position(5000), 1.0);
  QCOMPARE(linear.position(50.5), 0.5);
  const ColorScale log = ColorScale::of({1, 1000, 1e6});
  QVERIFY(log.logarithmic());
  QVERIFY(std::abs(log.position(1000) - 0.5) < 1e-9);
  QVERIFY(ColorScale::of({}).empty());
}

void TstOverlayModel::format_texts() {
  QCOMPARE(shortDevice("/job:localhost/replica:0/task:0/device:CPU:0"), QStringLiteral("CPU:0"));
  QCOMPARE(shortDevice("/cpu:0"), QStringLiteral("CPU:0"));
  QCOMPARE(typeText("float32", QStringLiteral("2×3")), QStringLiteral("2×3"));
  QCOMPARE(typeText("int32", QStringLiteral("scalar")), QStringLiteral("int32 scalar"));
  QCOMPARE(typeText("bool", QString()), QStringLiteral("bool"));
  QCOMPARE(shapeText(TensorShape({2, 3})), QStringLiteral("2×3"));
  QCOMPARE(shortNumber(-0.08444), QStringLiteral("−0.08444"));
}

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TstOverlayModel)
#include "tst_overlay_model.moc"
