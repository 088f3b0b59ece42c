// Cost of a step and of an op: graphs of scalar ops, where nothing but the runtime takes time. "first" is Create and the
// first step, "traced" a step that fills a RunMetadata.
//
// bench_executor            the graphs made here
// bench_executor FILE…      GraphDefs in binary form that feed the float `a` and fetch `out`

#include <cstdio>
#include <fstream>
#include <string>

#include "engine/framework/attr_value_util.h"
#include "engine/runtime/session.h"
#include "tests/bench/bench_util.h"

namespace {

using namespace opscope;

/// A GraphDef of float nodes.
class GraphText {
 public:
  NodeDef* Add(const std::string& op, const std::string& name, std::initializer_list<std::string> inputs,
               DataType dtype = DT_FLOAT) {
    NodeDef* const node = graph_.add_node();
    node->set_name(name);
    node->set_op(op);
    for (const std::string& input : inputs) node->add_input(input);
    const bool is_source = op == "Const" || op == "Placeholder";
    if (op != "LoopCond") AddNodeAttr(is_source ? "dtype" : "T", dtype, node);
    return node;
  }
  template <typename T>
  void Const(const std::string& name, T value, std::initializer_list<std::string> inputs = {}) {
    NodeDef* const node = Add("Const", name, inputs, DataTypeToEnum<T>::value);
    Tensor::Scalar<T>(value).AsProtoTensorContent((*node->mutable_attr())["value"].mutable_tensor());
  }
  const GraphDef& graph() const { return graph_; }

 private:
  GraphDef graph_;
};

GraphDef Tiny() {
  GraphText text;
  text.Add("Placeholder", "a", {});
  text.Const("b", 5.0F);
  text.Add("Mul", "mul", {"a", "b"});
  text.Add("AddV2", "add", {"a", "b"});
  text.Add("RealDiv", "div", {"mul", "add"});
  text.Add("Identity", "out", {"div"});
  return text.graph();
}

GraphDef Chain(int length) {
  GraphText text;
  text.Add("Placeholder", "a", {});
  std::string last = "a";
  for (int i = 0; i < length; ++i) {
    const std::string name = "n" + std::to_string(i);
    text.Add("AddV2", name, {last, "a"});
    last = name;
  }
  text.Add("Identity", "out", {last});
  return text.graph();
}

GraphDef Wide(int lanes, int pairs) {
  GraphText text;
  text.Add("Placeholder", "a", {});
  NodeDef sum;
  for (int lane = 0; lane < lanes; ++lane) {
    std::string last = "a";
    for (int i = 0; i < pairs; ++i) {
      const std::string at = std::to_string(lane) + "_" + std::to_string(i);
      text.Const("c" + at, 1.0F + static_cast<float>(lane) * 1e-4F);
      text.Add("Mul", "m" + at, {last, "c" + at});
      text.Add("AddV2", "s" + at, {"m" + at, "a"});
      last = "s" + at;
    }
    sum.add_input(last);
  }
  NodeDef* const add_n = text.Add("AddN", "sum", {});
  *add_n->mutable_input() = sum.input();
  AddNodeAttr("N", static_cast<int64_t>(lanes), add_n);
  text.Add("Identity", "out", {"sum"});
  return text.graph();
}

void Enter(GraphText* text, const std::string& name, const std::string& input, DataType dtype, bool is_constant) {
  NodeDef* const node = text->Add("Enter", name, {input}, dtype);
  AddNodeAttr("frame_name", "while", node);
  AddNodeAttr("is_constant", is_constant, node);
  AddNodeAttr("parallel_iterations", int64_t{10}, node);
}

// while (i < n) { i += 1; s = s * 0.999 + a; }
GraphDef Loop(int iterations) {
  GraphText text;
  text.Add("Placeholder", "a", {});
  text.Const("zero", int32_t{0});
  Enter(&text, "enter_i", "zero", DT_INT32, false);
  Enter(&text, "enter_s", "a", DT_FLOAT, false);
  Enter(&text, "enter_x", "a", DT_FLOAT, true);
  const auto merge = [&text](const std::string& name, const std::string& first, const std::string& next, DataType dtype) {
    AddNodeAttr("N", int64_t{2}, text.Add("Merge", name, {first, next}, dtype));
  };
  merge("merge_i", "enter_i", "next_i", DT_INT32);
  merge("merge_s", "enter_s", "next_s", DT_FLOAT);
  text.Const("n", int32_t{iterations}, {"^merge_i"});
  text.Add("Less", "less", {"merge_i", "n"}, DT_INT32);
  text.Add("LoopCond", "cond", {"less"});
  text.Add("Switch", "switch_i", {"merge_i", "cond"}, DT_INT32);
  text.Add("Switch", "switch_s", {"merge_s", "cond"});
  text.Add("Identity", "body_i", {"switch_i:1"}, DT_INT32);
  text.Add("Identity", "body_s", {"switch_s:1"});
  text.Const("one", int32_t{1}, {"^body_i"});
  text.Add("AddV2", "add_i", {"body_i", "one"}, DT_INT32);
  text.Const("factor", 0.999F, {"^body_i"});
  text.Add("Mul", "mul_s", {"body_s", "factor"});
  text.Add("AddV2", "add_s", {"mul_s", "enter_x"});
  text.Add("NextIteration", "next_i", {"add_i"}, DT_INT32);
  text.Add("NextIteration", "next_s", {"add_s"});
  text.Add("Exit", "exit_i", {"switch_i"}, DT_INT32);
  text.Add("Exit", "exit_s", {"switch_s"});
  text.Add("Identity", "out", {"exit_s"});
  return text.graph();
}

Tensor Input(const GraphDef& graph) {
  for (const NodeDef& node : graph.node()) {
    if (node.name() != "a") continue;
    PartialTensorShape declared;
    if (!GetNodeAttr(node, "shape", &declared).ok() || !declared.IsFullyDefined()) break;
    Tensor value(DT_FLOAT, *declared.AsTensorShape());
    for (size_t i = 0; i < value.flat<float>().size(); ++i) {
      value.flat<float>()[i] = static_cast<float>((i * 2654435761U >> 8U) & 1023U) / 1024.0F + 0.5F;
    }
    return value;
  }
  return Tensor::Scalar(0.5F);
}

bool HasNode(const GraphDef& graph, const char* name) {
  return std::any_of(graph.node().begin(), graph.node().end(), [name](const NodeDef& node) { return node.name() == name; });
}

bool Report(const std::string& name, const GraphDef& graph, int repeats) {
  const Tensor a = Input(graph);
  std::vector<std::string> targets;
  if (HasNode(graph, "train")) targets.emplace_back("train");
  std::unique_ptr<Session> session;
  std::vector<Tensor> outputs;
  Status status;
  const auto run = [&](RunMetadata* metadata) {
    RunOptions options;
    if (metadata) options.set_trace_level(RunOptions::FULL_TRACE);
    const Status ran = session->Run(options, {{"a:0", a}}, {"out:0"}, targets, &outputs, metadata, {});
    if (status.ok()) status = ran;
  };
  const auto first = bench::Measure(3, [&] {
    auto made = NewSession(SessionOptions());
    session = std::move(made).value();
    const Status created = session->Create(graph);
    if (status.ok()) status = created;
    if (HasNode(graph, "init")) {
      const Status initialised = session->Run({}, {}, {"init"}, nullptr);
      if (status.ok()) status = initialised;
    }
    run(nullptr);
  });
  const auto step = bench::Measure(repeats, [&] { run(nullptr); });
  const auto traced = bench::Measure(std::max(3, repeats / 10), [&] {
    RunMetadata metadata;
    run(&metadata);
  });
  if (!status.ok()) {
    std::printf("%-14s %s\n", name.c_str(), status.ToString().c_str());
    return false;
  }
  std::printf("%-14s step %10.2f us (min %.2f)  first %9.2f ms  traced %10.2f us  out %g\n", name.c_str(),
              step.median_ms * 1000, step.min_ms * 1000, first.median_ms, traced.median_ms * 1000,
              static_cast<double>(outputs[0].flat<float>()[0]));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool ok = true;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    GraphDef graph;
    const std::string path = argv[i];
    if (!graph.ParseFromIstream(&file)) {
      std::printf("%s can't be read as a GraphDef\n", argv[i]);
      return 1;
    }
    ok = Report(path.substr(path.rfind('/') + 1), graph, 100) && ok;
  }
  if (argc > 1) return ok ? 0 : 1;
  ok = Report("tiny", Tiny(), 20000) && ok;
  ok = Report("chain10k", Chain(10000), 100) && ok;
  ok = Report("wide64x200", Wide(64, 100), 100) && ok;
  ok = Report("loop1000", Loop(1000), 50) && ok;
  return ok ? 0 : 1;
}
