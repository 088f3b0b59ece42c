#pragma once
// The types of many tensors, as runs: a node that says it has a million outputs of one type costs no more than one.

#include <algorithm>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/proto/node_def.pb.h"
#include "engine/proto/op_def.pb.h"

namespace opscope {

/// A list of types. A value type.
class TypeList {
 public:
  void Add(DataType dtype, int count) {
    if (count <= 0) return;
    if (!runs_.empty() && runs_.back().dtype == dtype) {
      runs_.back().end += count;
    } else {
      runs_.push_back({size() + count, dtype});
    }
  }
  int size() const { return runs_.empty() ? 0 : runs_.back().end; }
  /// DT_INVALID outside of the list. Logarithmic in the number of runs.
  DataType at(int i) const {
    if (i < 0) return DT_INVALID;
    const auto run = std::upper_bound(runs_.begin(), runs_.end(), i, [](int k, const Run& r) { return k < r.end; });
    return run == runs_.end() ? DT_INVALID : run->dtype;
  }
  void AppendTo(std::vector<DataType>* types) const {
    int start = 0;
    for (const Run& run : runs_) {
      types->insert(types->end(), static_cast<size_t>(run.end - start), run.dtype);
      start = run.end;
    }
  }

 private:
  struct Run {
    int end;
    DataType dtype;
  };
  std::vector<Run> runs_;
};

/// As InOutTypesForNode (op_registry.h), without writing every type out.
Status InOutTypeLists(const NodeDef& node, const OpDef& op, TypeList* inputs, TypeList* outputs);

}  // namespace opscope
