#pragma once
// From the facts of all ops to what each visible item shows; scopes sum up what they hide.

#include <memory>

#include "engine/trace/transfers.h"
#include "widgets/overlays/color_scale.h"
#include "widgets/overlays/op_facts.h"
#include "widgets/overlays/overlay.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

class PictureBuilder {
 public:
  PictureBuilder(const OverlayInput& input, const OpFactsTable& facts, OverlayKind kind, const ThemeColors& colors);
  std::shared_ptr<const OverlayPicture> build();

 private:
  /// Sums over the ops that an item stands for.
  struct Sums {
    int ops = 0, planned = 0, done = 0, pending = 0, failed = 0, current = 0, ready = 0, bad = 0, moved = 0;
    bool healthKnown = false;
    int64_t ns = -1, bytes = -1;
    int firstOrder = 0, lastOrder = 0, firstTopo = 0, lastTopo = 0;
    std::map<int, int> devices;
    const Diagnostic* problem = nullptr;
    QString failure;
  };
  void sumUp();
  void add(Sums& sums, NodeId id, const OpFacts& facts);
  void describe(size_t item);
  void describeOp(const SceneItem& item, NodeId id, ItemOverlay& over);
  void describeScope(const SceneItem& item, const Sums& sums, ItemOverlay& over);
  void describeVariable(const SceneItem& item, ItemOverlay& over);
  void setState(ItemOverlay& over) const;
  void setMark(const Sums& sums, ItemOverlay& over) const;
  void dress(size_t item);
  void dressDevice(const Sums& sums, ItemOverlay& over) const;
  void dressHeat(const Sums& sums, bool open, ItemOverlay& over) const;
  void dressType(size_t item, ItemOverlay& over);
  void buildScale();
  void buildEdges();
  QString transferOf(const SceneEdge& edge) const;
  void buildLegend();
  NodeId mainNode(const SceneItem& item) const;

  const OverlayInput& input_;
  const OpFactsTable& facts_;
  OverlayKind kind_;
  const ThemeColors& colors_;
  std::shared_ptr<OverlayPicture> out_;
  std::vector<Sums> sums_;
  std::vector<TransferSum> transfers_;  ///< up to the cursor; by node
  ColorScale scale_;
  std::map<QString, int> typeColors_;  ///< dtype or rank to colour, for the legend
};

}  // namespace opscope::ui
