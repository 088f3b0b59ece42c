// The gradient of Einsum: sums over labels again, by equations made from the op's.

#include <algorithm>

#include "engine/gradients/gradient_math.h"

namespace opscope::gradients {
namespace {

constexpr char kEllipsis = '.';  ///< Stands for "..." in what follows.

std::string Short(std::string text) {
  std::erase(text, ' ');
  for (size_t at = text.find("..."); at != std::string::npos; at = text.find("...")) text.replace(at, 3, ".");
  return text;
}
std::string Long(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == kEllipsis ? std::string("...") : std::string(1, c);
  return result;
}
bool Has(const std::string& text, char c) { return text.find(c) != std::string::npos; }

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};
std::optional<Equation> Parse(const std::string& text) {
  const std::string equation = Short(text);
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  Equation parsed;
  parsed.output = equation.substr(arrow + 2);
  const std::string left = equation.substr(0, arrow);
  size_t begin = 0;
  for (size_t comma = left.find(','); comma != std::string::npos; comma = left.find(',', begin)) {
    parsed.inputs.push_back(left.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parsed.inputs.push_back(left.substr(begin));
  return parsed;
}

Out Einsum(GradientBuilder& b, const Outs& inputs, const std::string& equation) {
  return b.Op("Einsum", inputs, {{"equation", Long(equation)}});
}

// Where a label stands: from the front, or from the back behind an ellipsis.
int64_t AxisOf(const std::string& labels, size_t at) {
  const size_t ellipsis = labels.find(kEllipsis);
  return ellipsis == std::string::npos || at < ellipsis ? static_cast<int64_t>(at)
                                                        : static_cast<int64_t>(at) - static_cast<int64_t>(labels.size());
}

// What was summed away in `input` comes back as copies: `dy` has the labels `given`.
Out Spread(GradientBuilder& b, Out dy, const std::string& given, const std::string& input, const std::string& summed,
           Out input_shape) {
  Outs sizes;
  Outs ones;
  std::string labels;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!Has(summed, input[i]) || Has(labels, input[i])) continue;
    labels += input[i];
    const int64_t axis = AxisOf(input, i);
    sizes.push_back(axis == -1 ? SliceVector(b, input_shape, -1, std::nullopt)
                               : SliceVector(b, input_shape, axis, axis + 1));
    ones.push_back(b.Ints({1}));
  }
  const Out shape = ShapeOf(b, dy);
  sizes.push_back(shape);
  ones.push_back(shape);
  const Out widened = Reshape(b, dy, Concat(b, ones));
  const Out copies = b.Op("BroadcastTo", {widened, Concat(b, sizes)});
  return labels + given == input ? copies : Einsum(b, {copies}, labels + given + "->" + input);
}

std::string Summed(const std::string& input, const std::string& others) {
  std::string summed;
  for (const char c : input) {
    if (c != kEllipsis && !Has(others, c) && !Has(summed, c)) summed += c;
  }
  return summed;
}

Out GradientBy(GradientBuilder& b, Out dy, Out other, Out input_shape, const std::string& input,
               const std::string& other_labels, const std::string& output) {
  const std::string summed = Summed(input, output + other_labels);
  std::string left = input;
  std::erase_if(left, [&](char c) { return Has(summed, c); });
  const Out partial = Einsum(b, {dy, other}, output + "," + other_labels + "->" + left);
  return summed.empty() ? partial : Spread(b, partial, left, input, summed, input_shape);
}

// The dimensions of a shape that the ellipsis stands for.
Out EllipsisShape(GradientBuilder& b, Out shape, const std::string& labels) {
  const size_t at = labels.find(kEllipsis);
  if (at == std::string::npos) return b.Ints({});
  const int64_t behind = static_cast<int64_t>(labels.size() - at) - 1;
  return SliceVector(b, shape, static_cast<int64_t>(at), behind == 0 ? std::optional<int64_t>() : -behind);
}

int EllipsisRank(GradientBuilder& b, Out x, const std::string& labels) {
  if (!Has(labels, kEllipsis)) return 0;
  const int rank = b.rank(x);
  return rank < 0 ? -1 : rank - static_cast<int>(labels.size()) + 1;
}

void EinsumGrad(OpGradient& g) {
  GradientBuilder& b = g.b;
  const std::optional<Equation> equation = Parse(g.attr<std::string>("equation"));
  if (!equation || static_cast<int>(equation->inputs.size()) != g.num_inputs() || g.num_inputs() > 2) {
    return g.Fail(errors::InvalidArgument("Einsum '", b.node(g.op()).name(), "' has no equation for its inputs"));
  }
  const std::string& output = equation->output;
  const std::string& x = equation->inputs[0];
  if (g.num_inputs() == 1) {
    const std::string summed = Summed(x, output);
    if (summed.empty()) return g.Set(0, Einsum(b, {g.dy()}, output + "->" + x));
    return g.Set(0, Spread(b, g.dy(), output, x, summed, ShapeOf(b, g.x(0))));
  }
  const std::string& y = equation->inputs[1];
  const Out sx = ShapeOf(b, g.x(0));
  const Out sy = ShapeOf(b, g.x(1));
  Out gx = GradientBy(b, g.dy(), Conj(b, g.x(1)), sx, x, y, output);
  Out gy = GradientBy(b, g.dy(), Conj(b, g.x(0)), sy, y, x, output);
  const int rank_x = EllipsisRank(b, g.x(0), x);
  const int rank_y = EllipsisRank(b, g.x(1), y);
  if (Has(output, kEllipsis) && !(rank_x == 0 && rank_y == 0)) {
    const Out axes = b.Op("BroadcastGradientArgs", {EllipsisShape(b, sx, x), EllipsisShape(b, sy, y)});
    const auto sum = [&](Out grad, const std::string& labels, int i, Out shape) {
      const size_t start = Has(labels, kEllipsis) ? labels.find(kEllipsis) : 0;
      const Out at = WithScalar(b, "AddV2", "add", b.Nth(axes, i), static_cast<double>(start));
      return Reshape(b, Sum(b, grad, at), shape);
    };
    if (Has(x, kEllipsis)) gx = sum(gx, x, 0, sx);
    if (Has(y, kEllipsis)) gy = sum(gy, y, 1, sy);
  }
  g.Set(0, gx);
  g.Set(1, gy);
}

OS_GRADIENT(EinsumGrad, "Einsum");

}  // namespace
}  // namespace opscope::gradients
