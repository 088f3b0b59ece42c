#include "tests/widgets/canvas/demo_scene.h"

#include <algorithm>
#include <random>
#include <string_view>

namespace opscope::ui {
namespace {

double portY(size_t i, size_t count, double height) {
  if (count == 1) return height / 2;
  if (count == 2) return i == 0 ? 16 : 32;
  return 16 + (height - 32) * static_cast<double>(i) / static_cast<double>(count - 1);
}

}  // namespace

int DemoScene::op(const std::string& type, const std::string& name, double x, double y, double width,
                  std::vector<std::string> inputs, std::vector<std::string> outputs, int parent) {
  SceneItem item;
  const auto index = static_cast<uint32_t>(scene_->items.size());
  item.id.value = index;
  item.node = NodeId(index);
  item.parent = parent;
  item.depth = parent < 0 ? 0 : scene_->items[static_cast<size_t>(parent)].depth + 1;
  const size_t ports = std::max(inputs.size(), outputs.size());
  item.rect = {x, y, width, kNodeHeight + (ports > 2 ? kNodeHeightPerExtraPort * static_cast<double>(ports - 2) : 0)};
  item.name = parent < 0 ? name : scene_->items[static_cast<size_t>(parent)].name + "/" + name;
  item.title = name;
  item.subtitle = type;
  const bool variable = type == "Variable" || type == "VariableV2";
  for (size_t i = 0; i < inputs.size(); ++i) {
    ScenePort port;
    port.control = inputs[i] == "^";
    port.name = port.control ? "" : inputs[i];
    port.offset = port.control ? Point{width / 2, 0} : Point{0, portY(i, inputs.size(), item.rect.height)};
    port.connected = true;
    item.inputs.push_back(port);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    ScenePort port;
    port.name = outputs[i];
    port.ref = variable;
    port.offset = {width, portY(i, outputs.size(), item.rect.height)};
    item.outputs.push_back(port);
  }
  scene_->items.push_back(item);
  return static_cast<int>(index);
}

int DemoScene::scope(const std::string& name, double x, double y, double width, double height, int parent) {
  const int index = closed(name, 0, x, y, width, parent);
  SceneItem& item = scene_->items.back();
  item.collapsed = false;
  item.rect.height = height;
  item.inputs.clear();
  item.outputs.clear();
  return index;
}

int DemoScene::closed(const std::string& name, int ops, double x, double y, double width, int parent) {
  SceneItem item;
  item.id.value = ItemId::kScopeBit | static_cast<uint32_t>(scene_->items.size());
  item.kind = ItemKind::kScope;
  item.collapsed = true;
  item.parent = parent;
  item.depth = parent < 0 ? 0 : scene_->items[static_cast<size_t>(parent)].depth + 1;
  item.rect = {x, y, width, kNodeHeight};
  item.name = parent < 0 ? name : scene_->items[static_cast<size_t>(parent)].name + "/" + name;
  item.title = name;
  item.subtitle = std::to_string(ops) + " ops";
  item.op_count = ops;
  ScenePort port;
  port.connected = true;
  port.offset = {0, 24};
  item.inputs.push_back(port);
  port.offset = {width, 24};
  item.outputs.push_back(port);
  scene_->items.push_back(item);
  return static_cast<int>(scene_->items.size()) - 1;
}

void DemoScene::boundary(int scope, bool output, double y) {
  SceneItem& item = scene_->items[static_cast<size_t>(scope)];
  ScenePort port;
  port.boundary = true;
  port.offset = {output ? item.rect.width : 0, y - item.rect.y};
  (output ? item.outputs : item.inputs).push_back(port);
}

Point DemoScene::portAt(int item, bool output, int port) const {
  const SceneItem& data = scene_->items[static_cast<size_t>(item)];
  return data.rect.top_left() + (output ? data.outputs : data.inputs)[static_cast<size_t>(port)].offset;
}

int DemoScene::wire(int from, int output, int to, int input, double bendX, SceneEdgeKind kind) {
  const int e = curve(from, output, to, input);
  SceneEdge& edge = scene_->edges.back();
  edge.routed = true;
  edge.kind = kind;
  const Point a = edge.points.front();
  const Point b = edge.points.back();
  if (a.y != b.y) edge.points = {a, {bendX, a.y}, {bendX, b.y}, b};
  return e;
}

int DemoScene::curve(int from, int output, int to, int input) {
  SceneEdge edge;
  edge.from = from;
  edge.to = to;
  edge.from_port = output;
  edge.to_port = input;
  edge.from_output = output;
  edge.to_input = input;
  edge.from_node = scene_->items[static_cast<size_t>(from)].node;
  edge.to_node = scene_->items[static_cast<size_t>(to)].node;
  edge.points = {portAt(from, true, output), portAt(to, false, input)};
  scene_->edges.push_back(edge);
  return static_cast<int>(scene_->edges.size()) - 1;
}

std::shared_ptr<const SceneSnapshot> DemoScene::take() {
  Rect bounds;
  for (const SceneItem& item : scene_->items) bounds = bounds.United(item.rect);
  scene_->bounds = bounds;
  return scene_;
}

std::shared_ptr<const SceneSnapshot> buildScene() {
  DemoScene s;
  const int a = s.op("Placeholder", "a", 32, 200, 176);
  const int scale = s.op("Const", "scale", 32, 360, 176);
  s.op("Placeholder", "labels", 32, 504, 176);
  const int norm = s.op("RealDiv", "normalise", 256, 208, 120, {"x", "y"});
  const int dense = s.scope("dense", 424, 160, 728, 296);
  const int xw = s.op("MatMul", "xW", 672, 216, 120, {"a", "b"}, {""}, dense);
  const int w = s.op("Variable", "W", 448, 304, 176, {}, {""}, dense);
  const int b = s.op("Variable", "b", 448, 384, 176, {}, {""}, dense);
  const int add = s.op("AddV2", "logits", 840, 224, 120, {"x", "y"}, {""}, dense);
  const int relu = s.op("Relu", "relu", 1008, 224, 120, {"features"}, {""}, dense);
  const int soft = s.op("Softmax", "probs", 1200, 224, 120, {"logits"});
  s.boundary(dense, false, 232);
  s.boundary(dense, true, 248);
  s.wire(a, 0, norm, 0);
  s.wire(norm, 0, xw, 0, 0);
  s.wire(w, 0, xw, 1, 640, SceneEdgeKind::kRef);
  s.wire(xw, 0, add, 0);
  s.wire(b, 0, add, 1, 808, SceneEdgeKind::kRef);
  s.wire(add, 0, relu, 0);
  s.wire(relu, 0, soft, 0);
  (void)scale;
  return s.take();
}

std::shared_ptr<const OverlayPicture> buildOverlay(const SceneSnapshot& scene) {
  auto picture = std::make_shared<OverlayPicture>();
  picture->items.resize(scene.items.size());
  for (size_t i = 0; i < scene.items.size(); ++i) {
    ItemOverlay& over = picture->items[i];
    const std::string& title = scene.items[i].title;
    if (title == "a" || title == "normalise") over.figure = QStringLiteral("?×784");
    if (title == "scale") {
      over.figure = QStringLiteral("255");
      over.figureStrong = true;
      over.state = QStringLiteral("int32");
    }
    if (title == "labels") {
      over.figure = QStringLiteral("int64 ?");
      over.note = QStringLiteral("not read by any node");
    }
    if (title == "xW" || title == "logits" || title == "relu" || title == "probs") over.figure = QStringLiteral("?×10");
    if (title == "W") {
      over.figure = QStringLiteral("784×10");
      over.state = QStringLiteral("not initialised");
      over.stateTone = Tone::kWarn;
    }
    if (title == "b") {
      over.figure = QStringLiteral("10");
      over.state = QStringLiteral("initialised");
      over.stateTone = Tone::kOk;
    }
    if (title == "dense") over.figure = QStringLiteral("7.9 k parameters");
  }
  return picture;
}

std::shared_ptr<const SceneSnapshot> debugScene() {
  DemoScene s;
  const int x = s.op("Placeholder", "x", 32, 104, 176);
  const int w = s.op("Variable", "W", 32, 200, 176);
  const int mm = s.op("MatMul", "MatMul", 272, 112, 176, {"a", "b"});
  const int b = s.op("Variable", "b", 272, 200, 176);
  const int add = s.op("AddV2", "logits", 496, 120, 176, {"x", "y"});
  const int labels = s.op("Placeholder", "labels", 496, 200, 176);
  const int xent = s.op("SparseSoftmaxCrossEntropyWithLogits", "xent", 744, 128, 232, {"features", "labels"}, {"loss", "backprop"});
  const int mean = s.op("Mean", "loss", 1064, 120, 176, {"input"});
  const int grads = s.scope("gradients", 32, 336, 528, 256);
  s.boundary(grads, false, 416);
  s.boundary(grads, true, 424);
  const int div = s.op("RealDiv", "Mean_grad/truediv", 56, 392, 176, {"x"}, {""}, grads);
  const int mmg = s.op("MatMul", "MatMul_grad/MatMul_1", 360, 400, 176, {"a", "b"}, {""}, grads);
  const int sum = s.op("Sum", "AddV2_grad/Sum", 360, 496, 176, {"input"}, {""}, grads);
  const int train = s.scope("train", 632, 336, 328, 256);
  s.boundary(train, false, 424);
  const int apply = s.op("ApplyGradientDescent", "W/Apply", 704, 392, 232, {"var", "delta"}, {""}, train);
  const int noop = s.op("NoOp", "train", 1032, 448, 176, {"^"}, {});
  s.wire(x, 0, mm, 0, 240);
  s.wire(w, 0, mm, 1, 244, SceneEdgeKind::kRef);
  s.wire(mm, 0, add, 0);
  s.wire(b, 0, add, 1, 464, SceneEdgeKind::kRef);
  s.wire(add, 0, xent, 0, 688);
  s.wire(labels, 0, xent, 1, 692);
  s.wire(xent, 0, mean, 0, 1016);
  s.wire(div, 0, mmg, 0, 288);
  s.wire(div, 0, sum, 0, 272);
  s.wire(mmg, 0, apply, 1, 616);
  const int control = s.wire(apply, 0, noop, 0, 1000, SceneEdgeKind::kControl);
  s.edge(control).points.back() = {1120, 448};
  s.edge(control).points = {s.edge(control).points.front(), {1120, s.edge(control).points.front().y}, {1120, 448}};
  return s.take();
}

std::shared_ptr<const OverlayPicture> debugOverlay(const SceneSnapshot& scene) {
  auto picture = std::make_shared<OverlayPicture>();
  picture->kind = OverlayKind::kOrder;
  picture->runShown = true;
  picture->items.resize(scene.items.size());
  int order = 0;
  for (size_t i = 0; i < scene.items.size(); ++i) {
    ItemOverlay& over = picture->items[i];
    if (scene.items[i].kind != ItemKind::kOp) {
      over.figure = QStringLiteral("0.31 ms");
      continue;
    }
    over.badge = QString::number(++order);
    const std::string& title = scene.items[i].title;
    over.mark = RunMark::kDone;
    over.figure = QStringLiteral("μ −0.084");
    over.figureStrong = true;
    if (title == "MatMul_grad/MatMul_1") {
      over.mark = RunMark::kCurrent;
      over.flag = QStringLiteral("paused here");
      over.breakpoint = BreakpointMark::kOn;
      over.figure.clear();
    }
    if (title == "AddV2_grad/Sum") {
      over.mark = RunMark::kReady;
      over.state = QStringLiteral("ready");
      over.stateTone = Tone::kAccent;
      over.figure.clear();
    }
    if (title == "W/Apply" || title == "train") {
      over.mark = RunMark::kPending;
      over.figure.clear();
      over.breakpoint = title == "train" ? BreakpointMark::kNone : BreakpointMark::kOn;
      over.breakpointText = QStringLiteral("when NaN");
    }
    if (title == "loss") over.breakpoint = BreakpointMark::kOff;
    if (title == "W" || title == "b") over.state = QStringLiteral("after step 127");
    if (title == "x") over.mark = RunMark::kFailed, over.state = QStringLiteral("failed"), over.stateTone = Tone::kError;
  }
  picture->legend.title = QStringLiteral("Execution order");
  picture->legend.note = QStringLiteral("event 10 of 14");
  picture->legend.entries = {{LegendEntry::Shape::kPillFilled, {}, QStringLiteral("done")},
                             {LegendEntry::Shape::kPillAccent, {}, QStringLiteral("now")},
                             {LegendEntry::Shape::kFrameAccent, {}, QStringLiteral("ready")},
                             {LegendEntry::Shape::kFrameDashed, {}, QStringLiteral("not run")}};
  return picture;
}

std::shared_ptr<const SceneSnapshot> bigScene(int count, bool scopes) {
  DemoScene s;
  std::mt19937 random(7);
  constexpr const char* kTypes[] = {"MatMul", "AddV2", "Relu", "Reshape", "Const", "Placeholder", "Conv2D", "Mul"};
  constexpr double kBlockW = 8 * 224 + 48;
  constexpr double kBlockH = 4 * 96 + 88;
  const int blocks = (count + 31) / 32;
  const int columns = std::max(1, static_cast<int>(std::sqrt(blocks * 0.45)));
  std::vector<int> ops;
  for (int block = 0; block < blocks; ++block) {
    const double x = (block % columns) * (kBlockW + 64);
    const double y = (block / columns) * (kBlockH + 64);
    const int parent = scopes ? s.scope("block_" + std::to_string(block), x, y, kBlockW, kBlockH) : -1;
    for (int i = 0; i < 32 && static_cast<int>(ops.size()) < count; ++i) {
      const int column = i / 4;
      const int row = i % 4;
      const int op = s.op(kTypes[random() % 8], "node_" + std::to_string(i), x + 24 + column * 224, y + 56 + row * 96, 176,
                          {"x", "y"}, {""}, parent);
      ops.push_back(op);
      const auto at = static_cast<int>(ops.size()) - 1;
      if (column > 0) s.wire(ops[static_cast<size_t>(at - 4)], 0, op, 0, x + 24 + column * 224 - 24);
      if (column > 0 && row > 0) s.wire(ops[static_cast<size_t>(at - 5)], 0, op, 1, x + 24 + column * 224 - 16);
      if (at > 64 && random() % 60 == 0) s.curve(ops[random() % static_cast<size_t>(at)], 0, op, 1);
    }
  }
  return s.take();
}

}  // namespace opscope::ui
