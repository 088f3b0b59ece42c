// NonMaxSuppression in its five versions: of boxes that overlap much the one of the best score stays.

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "engine/framework/tensor_eigen.h"
#include "engine/kernels/kernel_util.h"

namespace opscope::kernels {
namespace {

float At(const Tensor& t, int64_t i) {
  return t.dtype() == DT_HALF ? static_cast<float>(t.flat<half>()[static_cast<size_t>(i)]) : t.flat<float>()[static_cast<size_t>(i)];
}

void Put(float value, size_t i, Tensor* t) {
  if (t->dtype() == DT_HALF) {
    t->flat<half>()[i] = static_cast<half>(value);
  } else {
    t->flat<float>()[i] = value;
  }
}

// Intersection over union of two boxes, each given by two opposite corners.
float Overlap(const Tensor& boxes, int64_t a, int64_t b) {
  const auto edge = [&](int64_t box, int first, bool high) {
    const float u = At(boxes, box * 4 + first), v = At(boxes, box * 4 + first + 2);
    return high ? std::max(u, v) : std::min(u, v);
  };
  const auto area = [&](int64_t box) { return (edge(box, 0, true) - edge(box, 0, false)) * (edge(box, 1, true) - edge(box, 1, false)); };
  const float area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::min(edge(a, 0, true), edge(b, 0, true)) - std::max(edge(a, 0, false), edge(b, 0, false));
  const float width = std::min(edge(a, 1, true), edge(b, 1, true)) - std::max(edge(a, 1, false), edge(b, 1, false));
  const float common = std::max(height, 0.0F) * std::max(width, 0.0F);
  return common / (area_a + area_b - common);
}

struct Candidate {
  int64_t box;
  float score;
  size_t begin;  ///< Of the chosen boxes: those before it have been looked at.
  bool operator<(const Candidate& other) const { return score < other.score || (score == other.score && box > other.box); }
};

struct Settings {
  int64_t most = 0;
  float iou = 0.5F, score = -std::numeric_limits<float>::infinity(), sigma = 0;
};

struct Choice {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
};

// With a sigma, overlapping boxes lose score (soft suppression, Bodla et al. 2017) instead of going away.
Choice Choose(const Tensor& boxes, const Tensor& scores, const Settings& settings) {
  std::priority_queue<Candidate> queue;
  for (int64_t i = 0; i < scores.NumElements(); ++i) {
    if (At(scores, i) > settings.score) queue.push({i, At(scores, i), 0});
  }
  const float scale = settings.sigma > 0 ? -0.5F / settings.sigma : 0;
  Choice choice;
  while (static_cast<int64_t>(choice.boxes.size()) < settings.most && !queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    bool gone = false;
    for (size_t j = choice.boxes.size(); j > next.begin && !gone; --j) {
      const float overlap = Overlap(boxes, next.box, choice.boxes[j - 1]);
      // Soft: an overlap lowers the score, however large it is.
      const bool counts = settings.sigma > 0 || overlap <= settings.iou;
      const float weight = counts ? std::exp(scale * overlap * overlap) : 0;
      next.score *= weight;
      // Without sigma too much overlap ends it.
      gone = (settings.sigma <= 0 && overlap > settings.iou) || next.score <= settings.score;
    }
    next.begin = choice.boxes.size();
    if (gone) continue;
    if (next.score == before) {
      choice.boxes.push_back(static_cast<int32_t>(next.box));
      choice.scores.push_back(next.score);
    } else {
      queue.push(next);
    }
  }
  return choice;
}

class NonMaxSuppressionOp final : public OpKernel {
 public:
  explicit NonMaxSuppressionOp(OpKernelConstruction* c) : OpKernel(c) {
    if (c->HasAttr("iou_threshold")) OP_REQUIRES_OK(c, c->GetAttr("iou_threshold", &iou_));
    if (c->HasAttr("pad_to_max_output_size")) OP_REQUIRES_OK(c, c->GetAttr("pad_to_max_output_size", &pads_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor &boxes = context->input(0), &scores = context->input(1);
    OP_REQUIRES(context, boxes.dims() == 2, errors::InvalidArgument("boxes must be 2-D", boxes.shape().DebugString()));
    OP_REQUIRES(context, boxes.dim_size(1) == 4, errors::InvalidArgument("boxes must have 4 columns"));
    OP_REQUIRES(context, scores.dims() == 1, errors::InvalidArgument("scores must be 1-D", scores.shape().DebugString()));
    OP_REQUIRES(context, scores.dim_size(0) == boxes.dim_size(0),
                errors::InvalidArgument("scores has incompatible shape"));
    static constexpr const char* kNames[] = {"max_output_size", "iou_threshold", "score_threshold", "soft_nms_sigma"};
    for (int i = 2; i < context->num_inputs(); ++i) {
      OP_REQUIRES(context, IsScalar(context->input(i)),
                  errors::InvalidArgument(kNames[i - 2], " must be 0-D, got shape ", context->input(i).shape().DebugString()));
    }
    Settings settings;
    settings.most = context->input(2).scalar<int32_t>();
    settings.iou = context->num_inputs() > 3 ? At(context->input(3), 0) : iou_;
    if (context->num_inputs() > 4) settings.score = At(context->input(4), 0);
    if (context->num_inputs() > 5) settings.sigma = At(context->input(5), 0);
    OP_REQUIRES(context, settings.most >= 0, errors::InvalidArgument("max_output_size must be non-negative"));
    OP_REQUIRES(context, settings.iou >= 0 && settings.iou <= 1, errors::InvalidArgument("iou_threshold must be in [0, 1]"));
    OP_REQUIRES(context, settings.sigma >= 0, errors::InvalidArgument("soft_nms_sigma must be >= 0, got ", settings.sigma));
    Give(context, Choose(boxes, scores, settings), settings.most);
  }

 private:
  void Give(OpKernelContext* context, Choice choice, int64_t most) const {
    const auto valid = static_cast<int32_t>(choice.boxes.size());
    if (pads_) {
      auto padded = TensorShape::Make(std::vector<int64_t>{most});
      OP_REQUIRES_OK(context, padded.status());
      Tensor* unused = nullptr;  // refuses what there is no memory for
      OP_REQUIRES_OK(context, context->allocate_output(0, *padded, &unused));
      choice.boxes.resize(static_cast<size_t>(most), 0);
      choice.scores.resize(static_cast<size_t>(most), 0.0F);
    }
    context->set_output(0, Tensor::Vector<int32_t>(choice.boxes));
    int output = 1;
    if (context->num_outputs() == 3) {
      Tensor* scores = nullptr;
      OP_REQUIRES_OK(context, context->allocate_output(output++, TensorShape({static_cast<int64_t>(choice.scores.size())}), &scores));
      for (size_t i = 0; i < choice.scores.size(); ++i) Put(choice.scores[i], i, scores);
    }
    if (output < context->num_outputs()) context->set_output(output, Tensor::Scalar<int32_t>(valid));
  }

  float iou_ = 0.5F;
  bool pads_ = false;
};

const CpuKernel<NonMaxSuppressionOp> nms({"NonMaxSuppression"}, {});
const CpuKernel<NonMaxSuppressionOp> nms_typed({"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"},
                                               {{"T", {DT_FLOAT, DT_HALF}}});

}  // namespace
}  // namespace opscope::kernels
