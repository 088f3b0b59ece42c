#include "engine/document/run_config.h"

#include "engine/graph/graph.h"

namespace opscope {

std::string CanonicalTensorName(std::string_view name) {
  if (name.empty() || name[0] == '^') return std::string(name);
  const TensorId id = ParseTensorName(name);
  return std::string(id.node) + ":" + std::to_string(id.index);
}

}  // namespace opscope
