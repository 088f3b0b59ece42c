// Files broken at random: whatever comes in, an answer comes out, and what opens can be looked at and saved.

#include <QTest>

#include <random>

#include "engine/base/compression.h"
#include "engine/base/file.h"
#include "engine/graph/dot_writer.h"
#include "engine/graph/graph_constructor.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_io.h"
#include "engine/graph/shape_refiner.h"
#include "engine/graph/topology.h"
#include "engine/graph/validation.h"
#include "engine/proto/saved_model.pb.h"
#include "tests/engine/graph/op_catalogue_for_tests.h"

using namespace opscope;

namespace {

constexpr int kRounds = 300;

std::string Mutate(std::string bytes, std::mt19937* random) {
  const auto pick = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>((*random)()) % n; };
  for (size_t k = 1 + pick(4); k > 0 && !bytes.empty(); --k) {
    const size_t at = pick(bytes.size());
    switch (pick(5)) {
      case 0:
        bytes[at] = static_cast<char>((*random)());
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.erase(at, pick(8) + 1);
        break;
      case 3:
        bytes.insert(at, bytes.substr(pick(bytes.size()), pick(40)));
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
    }
  }
  return bytes;
}

// 0 = refused, 1 = opened.
int Open(const std::string& bytes) {
  const auto loaded = ParseGraph(std::make_shared<const std::string>(bytes), "fuzzed");
  if (!loaded.ok()) {
    if (loaded.status().message().rfind("fuzzed: ", 0) != 0) qFatal("a message without the file");
    return 0;
  }
  const Graph& graph = loaded->graph;
  for (const Diagnostic& d : Validate(graph)) {
    if (d.code == Code::kOk || d.message.empty()) qFatal("a problem without a code or message");
  }
  ShapeRefiner refiner;
  refiner.Refine(graph);
  (void)TopologicalOrder(graph);
  (void)GraphToDot(graph);
  const bool valid = ConvertGraphDefToGraph(graph.ToGraphDef(), OpRegistry::Global(), {.validate_nodes = true}).ok();
  if (valid && !Validate(graph).empty() && graph.num_nodes() < 3) qWarning("runs although it has problems");
  const std::string saved = SerializeGraphDef(graph);
  if (loaded->original_bytes != nullptr && saved != *loaded->original_bytes) {
    qFatal("an untouched file changed: %s", QByteArray::fromStdString(bytes).toHex().constData());
  }
  return 1;
}

}  // namespace

class TstGraphFuzz : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mutations_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("form");
    for (const char* name : {"imp-while-loop", "imp-half-bfloat", "imp-multi-edge"}) {
      for (int form = 0; form < 5; ++form) {
        QTest::addRow("%s %d", name, form) << QString::fromLatin1(name) << form;
      }
    }
  }

  void mutations() {
    QFETCH(QString, name);
    QFETCH(int, form);
    const auto text = ReadFile(OPSCOPE_SOURCE_DIR "/tests/data/cases/" + name.toStdString() + "/graph.pbtxt");
    QVERIFY(text.ok());
    GraphDef def;
    QVERIFY(ParseTextMessage(*text, &def).ok());
    SavedModel model;
    *model.add_meta_graphs()->mutable_graph_def() = def;
    model.mutable_meta_graphs(0)->mutable_meta_info_def()->add_tags("serve");
    const std::string forms[] = {def.SerializeAsString(), *text, model.SerializeAsString(),
                                 model.meta_graphs(0).SerializeAsString(), *GzipBytes(def.SerializeAsString())};
    const std::string& good = forms[form];
    QCOMPARE(Open(good), 1);
    std::mt19937 random(static_cast<unsigned>(form) + 17);
    int opened = 0;
    for (int i = 0; i < kRounds; ++i) opened += Open(Mutate(good, &random));
    QVERIFY(opened < kRounds);
  }
};

QTEST_GUILESS_MAIN(TstGraphFuzz)
#include "tst_graph_fuzz.moc"
