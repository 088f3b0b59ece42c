// What goes through oneDNN against the plain loops: floats against doubles, and filters that change.

#include <QTest>

#include <random>
#include <thread>

#include "engine/kernels/onednn.h"
#include "engine/runtime/session_factory.h"
#include "tests/engine/kernels/kernel_runner.h"
#include "tests/engine/runtime/graph_text.h"

using namespace opscope;
using namespace opscope::testing;

namespace {

constexpr unsigned kSeed = 7;

Tensor Random(DataType dtype, const TensorShape& shape, std::mt19937* random) {
  Tensor t(dtype, shape);
  for (int64_t i = 0; i < t.NumElements(); ++i) {
    // Small integers: sums of products are exact in both types.
    const int value = static_cast<int>((*random)() % 9) - 4;
    if (dtype == DT_FLOAT) t.flat<float>()[static_cast<size_t>(i)] = static_cast<float>(value);
    if (dtype == DT_DOUBLE) t.flat<double>()[static_cast<size_t>(i)] = value;
  }
  return t;
}

void SetList(NodeDef* node, const char* name, std::initializer_list<int64_t> values) {
  auto* list = (*node->mutable_attr())[name].mutable_list();
  for (const int64_t v : values) list->add_i(v);
}

// Runs the op for float and double with the same values and compares all elements.
void Compare(const std::string& op, const std::function<void(NodeDef*)>& set_attrs, const TensorShape& x,
             const TensorShape& y) {
  std::vector<double> results[2];
  for (const DataType dtype : {DT_FLOAT, DT_DOUBLE}) {
    KernelCall call;
    call.node = MakeNode(op, 2);
    AddNodeAttr("T", dtype, &call.node);
    set_attrs(&call.node);
    std::mt19937 random(kSeed);
    call.inputs = {Random(dtype, x, &random), Random(dtype, y, &random)};
    const KernelAnswer answer = RunKernel(call);
    QVERIFY2(answer.status.ok(), answer.status.ToString().c_str());
    const Tensor& out = answer.outputs[0][0];
    for (int64_t i = 0; i < out.NumElements(); ++i) {
      const auto at = static_cast<size_t>(i);
      results[dtype == DT_FLOAT ? 0 : 1].push_back(dtype == DT_FLOAT ? out.flat<float>()[at] : out.flat<double>()[at]);
    }
  }
  QVERIFY(!results[0].empty());
  QVERIFY(results[0] == results[1]);
}

}  // namespace

class TstOneDnn : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void convolution_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("padding");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("filter");
    QTest::addColumn<int>("group_depth");  // of 6 channels
    for (const char* op : {"Conv2D", "DepthwiseConv2dNative"}) {
      for (const char* padding : {"SAME", "VALID"}) {
        for (const auto& [stride, dilation] : {std::pair{1, 1}, {2, 1}, {3, 1}, {1, 2}}) {
          for (const int filter : {1, 2, 3, 5}) {
            const bool is_conv = std::string_view(op) == "Conv2D";
            for (const int depth : is_conv ? std::vector<int>{6, 3, 1} : std::vector<int>{6}) {
              QTest::addRow("%s %s stride %d dilation %d filter %d depth %d", op, padding, stride, dilation, filter,
                            depth)
                  << QString::fromLatin1(op) << QString::fromLatin1(padding) << stride << dilation << filter << depth;
            }
          }
        }
      }
    }
  }
  void convolution() {
    QFETCH(QString, op);
    QFETCH(QString, padding);
    QFETCH(int, stride);
    QFETCH(int, dilation);
    QFETCH(int, filter);
    QFETCH(int, group_depth);
    const TensorShape filter_shape = op == QLatin1String("Conv2D") ? TensorShape({filter, filter, group_depth, 12})
                                                    : TensorShape({filter, filter, 6, 2});
    Compare(op.toStdString(),
            [&](NodeDef* node) {
              AddNodeAttr("padding", padding.toStdString(), node);
              SetList(node, "strides", {1, stride, stride, 1});
              SetList(node, "dilations", {1, dilation, dilation, 1});
            },
            TensorShape({2, 13, 11, 6}), filter_shape);
  }

  void product_data() {
    QTest::addColumn<bool>("transpose_a");
    QTest::addColumn<bool>("transpose_b");
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) QTest::addRow("%d %d", a, b) << a << b;
    }
  }
  void product() {
    QFETCH(bool, transpose_a);
    QFETCH(bool, transpose_b);
    Compare("MatMul",
            [&](NodeDef* node) {
              AddNodeAttr("transpose_a", transpose_a, node);
              AddNodeAttr("transpose_b", transpose_b, node);
            },
            transpose_a ? TensorShape({70, 33}) : TensorShape({33, 70}),
            transpose_b ? TensorShape({65, 70}) : TensorShape({70, 65}));
  }

  // The order that oneDNN likes is kept for a filter; another filter must not see it.
  void filterThatChanges() {
    const std::string shape = "attr { key: 'shape' value { shape { dim { size: 3 } dim { size: 3 } dim { size: 16 } "
                              "dim { size: 16 } } } }";
    const auto session = MakeSession(
        "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
        "node { name: 'y' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
        "node { name: 'v' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } } " + shape + " }\n" +
        FloatOp("assign", "Assign", {"v", "y"}) + FloatOp("add", "AssignAdd", {"v", "y"}) +
        FloatOp("conv", "Conv2D", {"x", "v"}, "",
                "attr { key: 'padding' value { s: 'VALID' } } attr { key: 'strides' value { list { i: 1 i: 1 i: 1 i: 1 } } }"));
    QVERIFY(session);
    Tensor x(DT_FLOAT, TensorShape({1, 3, 3, 16}));
    Tensor ones(DT_FLOAT, TensorShape({3, 3, 16, 16}));
    for (float& v : x.flat<float>()) v = 1;
    for (float& v : ones.flat<float>()) v = 1;
    const auto convolved = [&] {
      std::vector<Tensor> outputs;
      const Status status = session->Run({{"x", x}}, {"conv"}, {}, &outputs);
      return status.ok() ? outputs[0].flat<float>()[15] : -1.0F;
    };
    QVERIFY(session->Run({{"y", ones}}, {}, {"assign"}, nullptr).ok());
    for (int round = 1; round <= 5; ++round) {
      QCOMPARE(convolved(), 144.0F * static_cast<float>(round));
      QCOMPARE(convolved(), 144.0F * static_cast<float>(round));
      QVERIFY(session->Run({{"y", ones}}, {}, {"add"}, nullptr).ok());
    }
  }

  // Cut into parts for a pool, by images or by rows: the same as whole.
  void convolutionInParts_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("filter");
    for (const char* op : {"Conv2D", "DepthwiseConv2dNative"}) {
      for (const int batch : {1, 2, 9}) {
        for (const int size : {61, 130}) {
          for (const auto& [stride, filter] : {std::pair{1, 3}, {2, 5}, {1, 1}, {3, 2}}) {
            QTest::addRow("%s %d of %d stride %d filter %d", op, batch, size, stride, filter)
                << QString::fromLatin1(op) << batch << size << stride << filter;
          }
        }
      }
    }
  }
  void convolutionInParts() {
    QFETCH(QString, op);
    QFETCH(int, batch);
    QFETCH(int, size);
    QFETCH(int, stride);
    QFETCH(int, filter);
    const std::string s = std::to_string(stride);
    const std::string text =
        "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
        "node { name: 'y' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n" +
        FloatOp("conv", op.toStdString(), {"x", "y"}, "",
                "attr { key: 'padding' value { s: 'SAME' } } attr { key: 'strides' value { list { i: 1 i: " + s + " i: " + s +
                    " i: 1 } } }");
    std::mt19937 random(kSeed);
    const Tensor x = Random(DT_FLOAT, TensorShape({batch, size, size, 32}), &random);
    const Tensor y = Random(DT_FLOAT, op == QLatin1String("Conv2D") ? TensorShape({filter, filter, 32, 24})
                                                                    : TensorShape({filter, filter, 32, 2}), &random);
    std::vector<Tensor> results;
    for (const int threads : {1, 4}) {
      SessionOptions options;
      options.config.set_intra_op_parallelism_threads(threads);
      const auto session = MakeSession(text, options);
      QVERIFY(session);
      std::vector<Tensor> outputs;
      const Status status = session->Run({{"x", x}, {"y", y}}, {"conv"}, {}, &outputs);
      QVERIFY2(status.ok(), status.ToString().c_str());
      results.push_back(outputs[0]);
    }
    QVERIFY(results[0].shape() == results[1].shape());
    QVERIFY(results[0].tensor_data() == results[1].tensor_data());
  }

  void largeProductsAtOnce_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    QTest::newRow("square") << 256 << 256;
    QTest::newRow("by rows") << 1001 << 65;
    QTest::newRow("by columns") << 65 << 1001;
  }
  void largeProductsAtOnce() {
    QFETCH(int, rows);
    QFETCH(int, cols);
    constexpr int64_t kDepth = 200;
    const kernels::GemmShape shape{rows, cols, kDepth, false, false, false, false, kDepth, cols, cols};
    const std::vector<float> a(static_cast<size_t>(rows * kDepth), 1.0F), b(static_cast<size_t>(kDepth * cols), 2.0F);
    const std::vector<float> want(static_cast<size_t>(rows * cols), 400.0F);
    ThreadPool pool("test", 3);
    std::vector<std::vector<float>> out(4, std::vector<float>(want.size()));
    std::vector<std::jthread> threads;
    for (auto& result : out) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) kernels::OneDnnGemm(shape, a.data(), b.data(), result.data(), &pool);
      });
    }
    threads.clear();
    for (const auto& result : out) QVERIFY(result == want);
  }
};

QTEST_GUILESS_MAIN(TstOneDnn)
#include "tst_onednn.moc"
