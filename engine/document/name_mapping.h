#pragma once
// References by name: rewriting them when nodes are renamed or copied.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/document/run_config.h"
#include "engine/proto/node_def.pb.h"

namespace opscope {

/// Old node name → new one.
using NameMapping = std::map<std::string, std::string, std::less<>>;

/// Rewrites inputs ("a", "a:1", "^a") and colocation classes ("loc:@a"). Whether anything changed.
bool MapReferences(const NameMapping& mapping, tensorflow::NodeDef* node);
void MapRunConfig(const NameMapping& mapping, RunConfig* config);
/// The innermost scope that all names lie in; "" for none.
std::string CommonScope(const std::vector<std::string>& names);

}  // namespace opscope
