#pragma once
// Writes graphs, binary and text, without touching what wasn't edited.

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/graph/graph.h"

namespace opscope {

/// A binary GraphDef. A graph that came from one (ParseBinaryGraphDef) keeps the file's fields in their order: nodes and
/// functions that weren't edited, or whose edits were undone, with their very bytes, fields that nobody knows as well.
/// What is new or edited is written with map keys sorted, so that equal graphs give equal bytes.
std::string SerializeGraphDef(const Graph& graph);
/// The text form. Unknown fields are lost there.
std::string GraphDefToText(const Graph& graph);

/// By the ending of `path`: .pb, .pbtxt, each also in .gz. INVALID_ARGUMENT for another ending. Atomic.
Status SaveGraphDef(const Graph& graph, const std::string& path);
/// What SaveGraphDef would write.
StatusOr<std::string> SerializeGraphFor(const Graph& graph, std::string_view path);

}  // namespace opscope
