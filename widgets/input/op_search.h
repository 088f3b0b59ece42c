#pragma once
// The ops that a new node can be, found by a few letters and by what a wire in hand needs. Pure.

#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "engine/framework/dtype.h"
#include "engine/framework/op_registry.h"
#include "widgets/support/op_category.h"

namespace opscope::ui {

/// One thing that can be added: an op of the registry, or a palette word ("Constant", "Variable").
struct OpEntry {
  QString name;
  QString group;      ///< for people: "Math", "Neural network"
  QString signature;  ///< "(x: T, y: T) → z: T"
  OpCategory category = OpCategory::kIo;
  bool gradient = false;
  int rank = 0;       ///< among equally good matches: smaller first
  const OpDef* def = nullptr;
};

/// What the wire in hand needs of the new op.
struct WireNeed {
  bool input = true;           ///< an input that takes the wire; else an output that feeds it
  DataType dtype = DT_INVALID; ///< DT_INVALID: any
  QString from;                ///< the port's name, for the hint
};

struct OpMatch {
  int entry = -1;
  int score = 0;               ///< larger is better
  std::vector<int> letters;    ///< positions in the name that the query's letters matched
};

/// Letters of `query` in order in `name`; those at the start, at capitals and next to each other count more. Nothing when it
/// does not match. Upper and lower case are the same.
std::optional<OpMatch> matchLetters(const QString& name, const QString& query);

/// "(features: T, labels: int64) → loss: T".
QString signatureOf(const OpDef& op);

class OpSearch {
 public:
  explicit OpSearch(const OpRegistry& registry = OpRegistry::Global());
  const std::vector<OpEntry>& entries() const { return entries_; }
  /// Best first; with an empty query the most used ops come first.
  std::vector<OpMatch> find(const QString& query, const std::optional<WireNeed>& need = std::nullopt) const;
  static bool accepts(const OpDef& op, const WireNeed& need);

 private:
  void addWord(const QString& name, const QString& signature, const char* op, const OpRegistry& registry);
  std::vector<OpEntry> entries_;
};

}  // namespace opscope::ui
