#include "engine/diagram/diagram_defaults.h"

namespace opscope {
namespace {

constexpr std::size_t kMostChildren = 2000;  // a wrapper with more inside stays closed
constexpr int32_t kWrapperShare = 80;        // per cent of the ops around it

}  // namespace

void SetImportDefaults(const Hierarchy& hierarchy, Diagram* diagram) {
  const Scope* around = &hierarchy.scope(hierarchy.root());
  if (around->op_count <= static_cast<int32_t>(Diagram::kOpenLimit)) return;
  diagram->set_default_collapsed(true);
  while (around->scopes.size() == 1) {
    const Scope& only = hierarchy.scope(around->scopes[0]);
    const bool wraps = int64_t{only.op_count} * 100 >= int64_t{around->op_count} * kWrapperShare;
    if (!wraps || only.ops.size() + only.scopes.size() > kMostChildren) return;
    diagram->SetCollapsed(only.name, false);
    around = &only;
    if (only.depth > 8) return;
  }
}

}  // namespace opscope
