#pragma once
// What is shown on top of structure: per item of a SceneSnapshot its state, badges, fill and figure; and the legend that
// explains them. Plain data: OverlayModel makes it, the canvas draws it, state.dump reads it.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <QColor>
#include <QString>

namespace opscope::ui {

enum class OverlayKind : uint8_t { kNone, kOrder, kDevice, kMemory, kTime, kHealth, kDtype, kShape };

/// "none", "order", …: the names that scripts and settings use.
QString overlayName(OverlayKind kind);
std::optional<OverlayKind> overlayFromName(const QString& name);
/// For menus and the legend: "Execution order", "Device", ….
QString overlayTitle(OverlayKind kind);

/// Where an item stands in the run that is shown.
enum class RunMark : uint8_t {
  kNone,     ///< no run is shown
  kDone,
  kCurrent,  ///< the run is paused before it, or it is running now
  kReady,    ///< could run next
  kPending,  ///< will run, its inputs aren't there yet
  kNotRun,   ///< the run doesn't need it
  kFailed
};

enum class Tone : uint8_t { kNeutral, kAccent, kWarn, kOk, kError };
enum class BreakpointMark : uint8_t { kNone, kOn, kOff };

/// The part of a scope's ops on one device.
struct DeviceShare {
  int color = 0;  ///< index into ThemeColors::device
  double share = 0;
};

struct ItemOverlay {
  // Facts, whichever overlay is on; empty where unknown.
  QString value;   ///< "3.75"; of a Const its value, of an op its first output after a run
  QString type;    ///< "?×784", "int64 ?": dtype (unless float32) and shape of the first output
  QString order;   ///< place in the shown run's order
  QString topo;    ///< topological number
  QString device;  ///< assigned, else requested: "CPU:0"
  QString memory;
  QString time;
  QString health;
  QString error;   ///< message of a problem or of a failed run

  // What is drawn.
  QString figure;            ///< right of the op type
  bool figureStrong = false; ///< in text colour, not second text
  QString state;             ///< right of the name: "not initialised", "failed", "ready", …
  Tone stateTone = Tone::kNeutral;
  QString badge;             ///< pill on the top edge, left
  QString deviceTag;         ///< pill on the top edge, right: "CPU:0", "GPU:0 → CPU:0"
  int deviceColor = -1;      ///< index into ThemeColors::device that `fill` is a tint of (device, dtype, shape)
  bool deviceMoved = false;  ///< requested and assigned differ
  QString note;              ///< below the item: "not read by any node"
  QString flag;              ///< accent pill below the item: "paused here"
  RunMark mark = RunMark::kNone;
  bool problem = false;      ///< a problem of the graph, not of a run
  BreakpointMark breakpoint = BreakpointMark::kNone;
  QString breakpointText;
  QColor fill;               ///< invalid: the node's own
  QColor text;               ///< on `fill`; invalid: the node's own
  double heat = -1;          ///< 0..1 in memory and time
  std::vector<DeviceShare> shares;  ///< scopes in the device overlay
};

struct EdgeOverlay {
  bool wave = false;  ///< carries a value that nobody has read yet
  QString transfer;   ///< bytes that went from device to device over it
};

struct LegendEntry {
  enum class Shape : uint8_t { kSwatch, kPillFilled, kPillAccent, kPillOutline, kFrameAccent, kFrameDashed };
  Shape shape = Shape::kSwatch;
  QColor color;
  QString label;
};

struct Legend {
  QString title;
  QString note;
  std::vector<LegendEntry> entries;
  /// A scale instead of entries: its colours with the values at their edges (one more than colours).
  std::vector<QColor> steps;
  std::vector<QString> ticks;
  bool empty() const { return entries.empty() && steps.empty(); }
};

/// Everything for one snapshot; immutable once made.
struct OverlayPicture {
  OverlayKind kind = OverlayKind::kNone;
  std::vector<ItemOverlay> items;                 ///< parallel to SceneSnapshot::items; may be empty (nothing to show)
  std::unordered_map<int32_t, EdgeOverlay> edges; ///< by index into SceneSnapshot::edges
  Legend legend;
  bool runShown = false;
};

}  // namespace opscope::ui
