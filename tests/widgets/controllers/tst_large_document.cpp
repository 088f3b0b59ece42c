#include <QtTest>

#include <QElapsedTimer>
#include <QTemporaryDir>

#include "engine/base/file.h"
#include "engine/graph/graph_def_writer.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/layout_controller.h"
#include "widgets/controllers/run_controller.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

constexpr int kOps = 10000;

/// x → Neg → Neg … in scopes of a hundred.
tensorflow::GraphDef chain() {
  tensorflow::GraphDef graph;
  tensorflow::NodeDef* first = graph.add_node();
  first->set_name("x");
  first->set_op("Const");
  (*first->mutable_attr())["dtype"].set_type(tensorflow::DT_FLOAT);
  tensorflow::TensorProto* value = (*first->mutable_attr())["value"].mutable_tensor();
  value->set_dtype(tensorflow::DT_FLOAT);
  value->mutable_tensor_shape();
  value->add_float_val(2);
  std::string before = "x";
  for (int i = 1; i < kOps; ++i) {
    tensorflow::NodeDef* node = graph.add_node();
    node->set_name("block" + std::to_string(i / 100) + "/neg" + std::to_string(i));
    node->set_op("Neg");
    node->add_input(before);
    (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
    before = node->name();
  }
  return graph;
}

}  // namespace

class TstLargeDocument : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tenThousandOps_openEditAndRun();
};

void TstLargeDocument::tenThousandOps_openEditAndRun() {
  QTemporaryDir dir;
  const QString path = dir.filePath(QStringLiteral("chain.pb"));
  QVERIFY(WriteFileAtomic(path.toStdString(), chain().SerializeAsString()).ok());
  DocumentController document;
  LayoutController layout(&document);
  RunController run(&document);
  QElapsedTimer timer;
  timer.start();
  QSignalSpy done(&layout, &LayoutController::layoutDone);
  document.open(path);
  QVERIFY(done.wait(30000));
  qInfo("opened and laid out in %lld ms", timer.restart());
  QCOMPARE(document.graph().num_nodes(), size_t{kOps});
  QVERIFY(document.problems().empty());
  document.setCollapsed(QStringLiteral("block7"), false);
  QTRY_VERIFY_WITH_TIMEOUT(layout.isIdle() && document.scene()->FindOp("block7/neg750") >= 0, 30000);
  qInfo("a scope opened in %lld ms", timer.restart());
  QVERIFY(document.renameItem(document.itemOf(QStringLiteral("block7/neg750")), QStringLiteral("block7/renamed")).ok());
  qInfo("a node renamed in %lld ms", timer.restart());
  document.undoStack()->undo();
  qInfo("undone in %lld ms", timer.restart());
  QSignalSpy finished(&run, &RunController::finished);
  run.start();
  QVERIFY(finished.wait(60000));
  QVERIFY2(run.result().status.ok(), run.result().status.ToString().c_str());
  QCOMPARE(run.result().outputs[0].second.scalar<float>(), -2.0f);
  QCOMPARE(run.trace()->num_executions() >= size_t{kOps}, true);
  qInfo("run in %lld ms", timer.restart());
  run.start();
  QVERIFY(finished.wait(60000));
  qInfo("run again in %lld ms", timer.restart());
}

QTEST_GUILESS_MAIN(TstLargeDocument)
#include "tst_large_document.moc"
