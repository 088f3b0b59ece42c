#pragma once
// MetaGraphDef and SavedModel as graphs with signatures. Part of graph_io.

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/graph/graph_io.h"

namespace opscope {

/// Binary; `bytes` is a part of `buffer`. The graph keeps its bytes.
Status ReadMetaGraph(std::shared_ptr<const std::string> buffer, std::string_view bytes, LoadedGraph* loaded);
Status ReadMetaGraphText(std::string_view text, LoadedGraph* loaded);
/// Takes the MetaGraph with the tags of `options`. NOT_FOUND when none has them.
Status ReadSavedModel(std::shared_ptr<const std::string> buffer, const LoadOptions& options, LoadedGraph* loaded);
Status ReadSavedModelText(std::string_view text, const LoadOptions& options, LoadedGraph* loaded);

}  // namespace opscope
