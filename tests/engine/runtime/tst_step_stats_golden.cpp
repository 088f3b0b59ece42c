// RunMetadata of TensorFlow's example run against ours. TensorFlow's optimiser folded two nodes there (mul, sj): they stand in
// our graph as the constants that they became.
#include <QtTest>

#include <map>
#include <set>

#include "tests/engine/runtime/golden_file.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

template <typename Message>
Message ReadMessage(const char* file) {
  Message message;
  QFile source(goldenPath(file));
  if (source.open(QIODevice::ReadOnly)) {
    const QByteArray bytes = source.readAll();
    message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }
  return message;
}

void MakeConst(const Tensor& value, NodeDef* node) {
  node->set_op("Const");
  node->clear_input();
  node->clear_attr();
  AttrValue dtype, tensor;
  dtype.set_type(value.dtype());
  value.AsProtoField(tensor.mutable_tensor());
  (*node->mutable_attr())["dtype"] = dtype;
  (*node->mutable_attr())["value"] = tensor;
}

GraphDef ExampleGraph() {
  auto graph = ReadMessage<GraphDef>("step_stats_example.graph.binpb");
  for (NodeDef& node : *graph.mutable_node()) {
    if (node.name() == "mul") MakeConst(Tensor(DT_FLOAT, TensorShape({3, 5})), &node);
    if (node.name() == "sj") {
      Tensor joined(DT_STRING, TensorShape({2}));
      joined.flat<std::string>()[0] = "az";
      joined.flat<std::string>()[1] = "bbz";
      MakeConst(joined, &node);
    }
  }
  return graph;
}

/// The second run of the example, as TensorFlow's was taken.
RunMetadata RunExample(RunOptions::TraceLevel level, int build_cost_model) {
  SessionOptions session_options;
  session_options.config.mutable_graph_options()->set_build_cost_model(build_cost_model);
  const auto session = NewSession(session_options);
  if (!session.ok() || !(*session)->Create(ExampleGraph()).ok()) return {};
  std::vector<Tensor> outputs;
  const Status init = (*session)->Run({}, {}, {"w/Assign", "b/Assign"}, &outputs);
  if (!init.ok()) qWarning("%s", init.message().c_str());
  RunOptions options;
  options.set_trace_level(level);
  options.set_output_partition_graphs(true);
  const Tensor x(DT_FLOAT, TensorShape({4, 3}));
  RunMetadata metadata;
  for (int i = 0; i < 2; ++i) {
    const Status status = (*session)->Run(options, {{"x:0", x}}, {"loss:0", "sj:0"}, {"upd"}, &outputs, &metadata, RunHooks());
    if (!status.ok()) qWarning("%s", status.message().c_str());
  }
  return metadata;
}

std::string OurName(const std::string& golden) { return golden == "sj/_0__cf__0" ? "sj" : golden; }

std::map<std::string, NodeExecStats> ByName(const RunMetadata& metadata) {
  std::map<std::string, NodeExecStats> nodes;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) nodes[OurName(node.node_name())] = node;
  }
  return nodes;
}

}  // namespace

class TstStepStatsGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nodes() {
    const auto golden = ReadMessage<RunMetadata>("step_stats_example.runmetadata.binpb");
    const auto wanted = ByName(golden), ours = ByName(RunExample(RunOptions::FULL_TRACE, 1));
    QCOMPARE(wanted.size(), size_t{16});
    for (const auto& [name, want] : wanted) {
      const auto found = ours.find(name);
      QVERIFY2(found != ours.end(), name.c_str());
      const NodeExecStats& got = found->second;
      if (name == "add") {
        QCOMPARE(got.timeline_label(), std::string("add = AddV2(mm, add/ReadVariableOp)"));  // its optimiser swapped them
      } else if (name != "sj") {
        QCOMPARE(got.timeline_label(), want.timeline_label());
      }
      QVERIFY2(got.has_memory_stats() == want.has_memory_stats(), name.c_str());
      QVERIFY2(got.memory_stats().persistent_memory_size() == want.memory_stats().persistent_memory_size(), name.c_str());
      // While a reader still holds the variable's value our AssignSub writes to a copy.
      if (name != "upd") QVERIFY2(got.memory_size() == want.memory_size(), name.c_str());
      for (int i = 0; i < want.memory_size(); ++i) {
        QCOMPARE(got.memory(i).allocator_name(), want.memory(i).allocator_name());
        QCOMPARE(got.memory(i).total_bytes(), want.memory(i).total_bytes());
        QCOMPARE(got.memory(i).peak_bytes(), want.memory(i).peak_bytes());
        QCOMPARE(got.memory(i).live_bytes(), want.memory(i).live_bytes());
        QCOMPARE(got.memory(i).allocator_bytes_in_use(), want.memory(i).allocator_bytes_in_use());
        QCOMPARE(got.memory(i).allocation_records(0).alloc_bytes(), want.memory(i).allocation_records(0).alloc_bytes());
      }
      QVERIFY2(got.output_size() == want.output_size(), name.c_str());
      for (int i = 0; i < want.output_size(); ++i) {
        const auto& a = got.output(i).tensor_description();
        const auto& b = want.output(i).tensor_description();
        QCOMPARE(got.output(i).slot(), want.output(i).slot());
        QCOMPARE(a.dtype(), b.dtype());
        QCOMPARE(a.shape().ShortDebugString(), b.shape().ShortDebugString());
        QVERIFY2(a.allocation_description().requested_bytes() == b.allocation_description().requested_bytes(), name.c_str());
        QCOMPARE(a.allocation_description().allocator_name(), b.allocation_description().allocator_name());
      }
    }
    QCOMPARE(ours.size(), wanted.size());
  }

  void levels_data() {
    QTest::addColumn<int>("level");
    QTest::addColumn<int>("build_cost_model");
    QTest::addColumn<QJsonObject>("json");
    QFile source(goldenPath("step_stats.json"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    const QJsonArray levels = QJsonDocument::fromJson(source.readAll()).object()[QLatin1String("by_level")].toArray();
    for (const QJsonValue& value : levels) {
      const QJsonObject json = value.toObject();
      const QString name = json[QLatin1String("trace_level")].toString();
      RunOptions::TraceLevel level = RunOptions::NO_TRACE;
      QVERIFY(RunOptions::TraceLevel_Parse(name.toStdString(), &level));
      const int cost = json[QLatin1String("build_cost_model")].toInt();
      QTest::addRow("%s %d", qPrintable(name), cost) << static_cast<int>(level) << cost << json;
    }
    QCOMPARE(levels.size(), 8);
  }

  void levels() {
    QFETCH(int, level);
    QFETCH(int, build_cost_model);
    QFETCH(QJsonObject, json);
    const RunMetadata metadata = RunExample(static_cast<RunOptions::TraceLevel>(level), build_cost_model);
    QJsonArray fields;
    if (metadata.has_cost_graph()) fields.append(QLatin1String("cost_graph"));
    if (metadata.partition_graphs_size() > 0) fields.append(QLatin1String("partition_graphs"));
    if (metadata.has_step_stats()) fields.append(QLatin1String("step_stats"));
    QCOMPARE(fields, json[QLatin1String("top_fields")].toArray());
    QCOMPARE(metadata.cost_graph().node_size(), json[QLatin1String("cost_graph_nodes")].toInt());
    QCOMPARE(metadata.partition_graphs(0).node_size(), json[QLatin1String("partition_graph_node_counts")][0].toInt());
    int nodes = 0, outputs = 0, memory = 0, persistent = 0;
    for (const auto& device : metadata.step_stats().dev_stats()) {
      nodes += device.node_stats_size();
      for (const auto& node : device.node_stats()) {
        outputs += node.output_size() > 0;
        memory += node.memory_size() > 0 && node.node_name() != "upd";
        persistent += node.memory_stats().persistent_memory_size() > 0;
      }
    }
    QCOMPARE(nodes, json[QLatin1String("node_count")].toInt());
    const QJsonObject filled = json[QLatin1String("NodeExecStats_fields_filled")].toObject();
    QCOMPARE(outputs, filled[QLatin1String("output")].toInt());
    QCOMPARE(memory, filled[QLatin1String("memory")].toInt());
    QCOMPARE(persistent, json[QLatin1String("memory_stats_fields")][QLatin1String("persistent_memory_size")].toInt());
  }

  void costGraph() {
    const auto golden = ReadMessage<RunMetadata>("step_stats_example.runmetadata.binpb");
    const RunMetadata ours = RunExample(RunOptions::FULL_TRACE, 1);
    std::map<std::string, CostGraphDef::Node> wanted, got;
    std::map<int, std::string> wanted_ids, got_ids;
    for (const auto& node : golden.cost_graph().node()) {
      wanted[OurName(node.name())] = node;
      wanted_ids[node.id()] = OurName(node.name());
    }
    for (const auto& node : ours.cost_graph().node()) {
      got[node.name()] = node;
      got_ids[node.id()] = node.name();
    }
    const auto sources = [](const CostGraphDef::Node& node, const std::map<int, std::string>& ids) {
      std::multiset<std::string> names;
      for (const auto& input : node.input_info()) names.insert(ids.at(input.preceding_node()));
      for (const int id : node.control_input()) names.insert("^" + ids.at(id));
      return names;
    };
    QCOMPARE(got.size(), wanted.size());
    for (const auto& [name, want] : wanted) {
      QVERIFY2(got.contains(name), name.c_str());
      const CostGraphDef::Node& node = got[name];
      QCOMPARE(node.device(), want.device());
      if (name != "_SINK") QVERIFY2(sources(node, got_ids) == sources(want, wanted_ids), name.c_str());
      QCOMPARE(node.persistent_memory_size(), want.persistent_memory_size());
      QCOMPARE(node.output_info_size(), want.output_info_size());
      for (int i = 0; i < want.output_info_size(); ++i) {
        QCOMPARE(node.output_info(i).dtype(), want.output_info(i).dtype());
        QCOMPARE(node.output_info(i).shape().ShortDebugString(), want.output_info(i).shape().ShortDebugString());
      }
    }
    QCOMPARE(got["_SOURCE"].id(), 0);
    QCOMPARE(got["_SINK"].id(), 1);
    QCOMPARE(sources(got["_SINK"], got_ids),
             (std::multiset<std::string>{"^_SOURCE", "^_retval_loss_0_0", "^_retval_sj_0_1", "^upd"}));
  }
};

QTEST_GUILESS_MAIN(TstStepStatsGolden)
#include "tst_step_stats_golden.moc"
