// Every case of gradients.json and gradients_loops.json (made with TensorFlow 2.21 in the same form): the nodes that AddGradients makes, and the values that they compute.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/gradients/gradients.h"
#include "engine/runtime/direct_session.h"
#include "tests/engine/kernels/golden_reader.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

QByteArray ReadData(const QString& name) {
  QFile file(QStringLiteral(OPSCOPE_SOURCE_DIR "/tests/data/goldens/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A case made ready: the graph, what is derived by what, and what is fed.
struct Case {
  Graph graph;
  std::vector<GraphOutput> ys, xs, grad_ys;
  Session::NamedTensors feeds;
  std::optional<std::string> prefix;
};

void AddLeaf(const Tensor& value, bool constant, const std::string& name, GraphDef* def) {
  NodeDef* node = def->add_node();
  node->set_name(name);
  node->set_op(constant ? "Const" : "Placeholder");
  AddNodeAttr("dtype", value.dtype(), node);
  if (constant) {
    AddNodeAttr("value", value, node);
  } else {
    AddNodeAttr("shape", PartialTensorShape(value.shape()), node);
  }
}

// The inputs of the op under test, as leaves "x0", "x1", …, lists laid flat.
Status AddInputs(const QJsonValue& json, bool constant, GraphDef* def, NodeDef* op, Case* out) {
  if (json.isArray()) {
    for (const QJsonValue& item : json.toArray()) OS_RETURN_IF_ERROR(AddInputs(item, constant, def, op, out));
    return Status::OK();
  }
  OS_ASSIGN_OR_RETURN(Tensor value, ReadGoldenTensor(json.toObject()));
  const std::string name = "x" + std::to_string(op->input_size());
  AddLeaf(value, constant, name, def);
  op->add_input(name);
  if (!constant) out->feeds.emplace_back(name, value);
  return Status::OK();
}

StatusOr<Case> ReadOpCase(const QJsonObject& json) {
  Case out;
  GraphDef def;
  NodeDef op;
  op.set_name("op_under_test");
  op.set_op(json[QLatin1String("op")].toString().toStdString());
  const QJsonArray inputs = json[QLatin1String("inputs")].toArray();
  const QJsonArray constants = json[QLatin1String("const_inputs")].toArray();
  for (int i = 0; i < inputs.size(); ++i) {
    OS_RETURN_IF_ERROR(AddInputs(inputs[i], constants.contains(QJsonValue(i)), &def, &op, &out));
  }
  OS_RETURN_IF_ERROR(ReadGoldenAttrs(json[QLatin1String("attrs")].toObject(), &op));
  AddDefaultAttrs(OpRegistry::Global().Find(op.op())->op_def, &op);
  *def.add_node() = op;
  const QJsonArray grad_ys = json[QLatin1String("grad_ys")].toArray();
  for (int i = 0; i < grad_ys.size(); ++i) {
    OS_ASSIGN_OR_RETURN(const Tensor value, ReadGoldenTensor(grad_ys[i].toObject()));
    AddLeaf(value, true, "dy" + std::to_string(i), &def);
  }
  def.mutable_versions()->set_producer(2474);
  out.graph = Graph::FromGraphDef(std::move(def));
  for (const QJsonValue& y : json[QLatin1String("y_outputs")].toArray()) {
    out.ys.push_back({out.graph.Find("op_under_test"), y.toInt()});
  }
  for (const QJsonValue& x : json[QLatin1String("wrt_flat_inputs")].toArray()) {
    out.xs.push_back({out.graph.Find("x" + std::to_string(x.toInt())), 0});
  }
  for (int i = 0; i < grad_ys.size(); ++i) out.grad_ys.push_back({out.graph.Find("dy" + std::to_string(i)), 0});
  return out;
}

std::vector<GraphOutput> Outputs(const QJsonValue& names, const Graph& graph) {
  std::vector<GraphOutput> outputs;
  for (const QJsonValue& name : names.toArray()) {
    const std::string text = name.toString().toStdString();
    const TensorId id = ParseTensorName(text);
    outputs.push_back({graph.Find(id.node), id.index});
  }
  return outputs;
}

StatusOr<Case> ReadNetCase(const QJsonObject& json) {
  Case out;
  GraphDef def;
  const QByteArray bytes = QByteArray::fromBase64(json[QLatin1String("graph_b64")].toString().toLatin1());
  if (!def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return errors::DataLoss("graph_b64");
  out.graph = Graph::FromGraphDef(std::move(def));
  out.ys = Outputs(json[QLatin1String("ys")], out.graph);
  out.xs = Outputs(json[QLatin1String("xs")], out.graph);
  const QJsonObject feeds = json[QLatin1String("feeds")].toObject();
  for (auto it = feeds.begin(); it != feeds.end(); ++it) {
    OS_ASSIGN_OR_RETURN(const Tensor value, ReadGoldenTensor(it.value().toObject()));
    out.feeds.emplace_back(it.key().toStdString(), value);
  }
  const QJsonObject kwargs = json[QLatin1String("kwargs")].toObject();
  if (kwargs.contains(QLatin1String("name"))) out.prefix = kwargs[QLatin1String("name")].toString().toStdString();
  if (kwargs.contains(QLatin1String("grad_ys"))) out.grad_ys = Outputs(kwargs[QLatin1String("grad_ys")], out.graph);
  return out;
}

StatusOr<Case> ReadCase(const QJsonObject& json) {
  return json[QLatin1String("kind")].toString() == QLatin1String("op") ? ReadOpCase(json) : ReadNetCase(json);
}

// Rows as the tensor that they stand for.
StatusOr<Tensor> ReadGradient(const QJsonObject& json) {
  if (!json.contains(QLatin1String("indexed_slices"))) return ReadGoldenTensor(json);
  const QJsonObject parts = json[QLatin1String("indexed_slices")].toObject();
  OS_ASSIGN_OR_RETURN(const Tensor values, ReadGoldenTensor(parts[QLatin1String("values")].toObject()));
  OS_ASSIGN_OR_RETURN(const Tensor indices, ReadGoldenTensor(parts[QLatin1String("indices")].toObject()));
  OS_ASSIGN_OR_RETURN(const Tensor shape, ReadGoldenTensor(parts[QLatin1String("dense_shape")].toObject()));
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, IntegerValues(shape));
  OS_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, IntegerValues(indices));
  OS_ASSIGN_OR_RETURN(const TensorShape dense_shape, TensorShape::Make(dims));
  Tensor dense(DT_FLOAT, dense_shape);
  std::fill(dense.flat<float>().begin(), dense.flat<float>().end(), 0.0f);
  const size_t width = rows.empty() ? 0 : values.flat<float>().size() / rows.size();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < width; ++j) {
      dense.flat<float>()[static_cast<size_t>(rows[i]) * width + j] += values.flat<float>()[i * width + j];
    }
  }
  return dense;
}

QStringList MadeNodes(const Graph& graph, const GradientResult& result) {
  QStringList names;
  for (const NodeId id : result.added) {
    const Node& node = graph.node(id);
    names.append(QString::fromStdString(node.name() + ":" + node.op()));
  }
  return names;
}

QStringList ExpectedNodes(const QJsonObject& json) {
  QStringList names;
  for (const QJsonValue& name : json[QLatin1String("grad_nodes")].toArray()) names.append(name.toString());
  return names;
}

}  // namespace

class TstGradientsGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void computesAsTensorFlow_data() { AddRows(false); }
  void computesAsTensorFlow();
  void makesTheNodesThatTensorFlowMakes_data() { AddRows(true); }
  void makesTheNodesThatTensorFlowMakes();

 private:
  void AddRows(bool names);
  QJsonArray cases_;
};

void TstGradientsGolden::initTestCase() {
  const std::pair<QString, int> files[] = {{QStringLiteral("gradients.json"), 194},
                                           {QStringLiteral("gradients_loops.json"), 22}};
  for (const auto& [name, count] : files) {
    const QJsonObject json = QJsonDocument::fromJson(ReadData(name)).object();
    const QJsonArray cases = json[QLatin1String("cases")].toArray();
    QCOMPARE(cases.size(), count);
    for (const QJsonValue& c : cases) cases_.append(c);
  }
}

void TstGradientsGolden::AddRows(bool names) {
  QTest::addColumn<QJsonObject>("json");
  const QList<QByteArray> others = ReadData(QStringLiteral("gradients_other_names.txt")).split('\n');
  for (qsizetype i = 0; i < cases_.size(); ++i) {
    if (names && i >= 194) break;  // of loops what they compute is compared, not how nodes are named
    const QJsonObject json = cases_[i].toObject();
    const QJsonObject kwargs = json[QLatin1String("kwargs")].toObject();
    // What only the Python client has.
    if (kwargs.contains(QLatin1String("unconnected_gradients")) || kwargs.contains(QLatin1String("stop_gradients")) ||
        json[QLatin1String("error")].toObject()[QLatin1String("error")].toString() == QLatin1String("TypeError")) {
      continue;
    }
    const QByteArray id = json[QLatin1String("id")].toString().toUtf8();
    if (names && (others.contains(id) || json.contains(QLatin1String("error")))) continue;
    QTest::newRow(id.constData()) << json;
  }
}

void TstGradientsGolden::computesAsTensorFlow() {
  QFETCH(QJsonObject, json);
  StatusOr<Case> read = ReadCase(json);
  QVERIFY2(read.ok(), read.status().ToString().c_str());
  Case& c = *read;
  GradientOptions options;
  options.prefix = c.prefix;
  const StatusOr<GradientResult> result = AddGradients(&c.graph, c.ys, c.xs, c.grad_ys, options);
  const QJsonObject error = json[QLatin1String("error")].toObject();
  if (error[QLatin1String("error")].toString() == QLatin1String("LookupError")) {
    QVERIFY(!result.ok());
    return;
  }
  if (result.status().code() == Code::kUnimplemented) QSKIP(result.status().ToString().c_str());
  QVERIFY2(result.ok(), result.status().ToString().c_str());
  const QJsonArray expected = json[QLatin1String("grads")].toArray();
  QCOMPARE(static_cast<qsizetype>(result->dxs.size()), error.isEmpty() ? expected.size() : result->dxs.size());
  std::vector<std::string> fetches;
  for (const GraphOutput& dx : result->dxs) {
    if (dx.valid()) fetches.push_back(TensorIdToString(c.graph.node(dx.node).name(), dx.index));
  }
  StatusOr<std::unique_ptr<Session>> session = NewSession(SessionOptions());
  QVERIFY(session.ok());
  Status status = (*session)->Create(c.graph.ToGraphDef());
  QVERIFY2(status.ok(), status.ToString().c_str());
  std::vector<std::string> init;
  for (const QJsonValue& v : json[QLatin1String("init_targets")].toArray()) init.push_back(v.toString().toStdString());
  if (!init.empty()) QVERIFY((*session)->Run({}, {}, init, nullptr).ok());
  std::vector<Tensor> values;
  if (!fetches.empty()) status = (*session)->Run(c.feeds, fetches, {}, &values);
  if (!error.isEmpty()) {
    QCOMPARE(status.code(), ReadGoldenCode(error[QLatin1String("code")].toString()));
    return;
  }
  if (status.code() == Code::kUnimplemented) QSKIP(status.ToString().c_str());
  QVERIFY2(status.ok(), status.ToString().c_str());
  const double rtol = json[QLatin1String("rtol")].toDouble();
  const double atol = json[QLatin1String("atol")].toDouble();
  size_t next = 0;
  for (int i = 0; i < expected.size(); ++i) {
    const bool none = expected[i].isNull();
    QCOMPARE(result->dxs[static_cast<size_t>(i)].valid(), !none);
    if (none) continue;
    const StatusOr<Tensor> right = ReadGradient(expected[i].toObject());
    QVERIFY2(right.ok(), right.status().ToString().c_str());
    const QString difference = Difference(values[next++], *right, rtol, atol);
    QVERIFY2(difference.isEmpty(), qPrintable(QStringLiteral("gradient %1: %2").arg(i).arg(difference)));
  }
}

void TstGradientsGolden::makesTheNodesThatTensorFlowMakes() {
  QFETCH(QJsonObject, json);
  StatusOr<Case> read = ReadCase(json);
  QVERIFY2(read.ok(), read.status().ToString().c_str());
  GradientOptions options;
  options.prefix = read->prefix;
  const StatusOr<GradientResult> result = AddGradients(&read->graph, read->ys, read->xs, read->grad_ys, options);
  QVERIFY2(result.ok(), result.status().ToString().c_str());
  const QStringList made = MadeNodes(read->graph, *result);
  const QStringList expected = ExpectedNodes(json);
  for (int i = 0; i < std::min(made.size(), expected.size()); ++i) QCOMPARE(made[i], expected[i]);
  // Rows are made dense here, not so in TensorFlow.
  bool sparse = false;
  for (const QJsonValue& grad : json[QLatin1String("grads")].toArray()) {
    sparse = sparse || grad.toObject().contains(QLatin1String("indexed_slices"));
  }
  if (!sparse) QCOMPARE(made.size(), expected.size());
}

QTEST_APPLESS_MAIN(TstGradientsGolden)
#include "tst_gradients_golden.moc"
