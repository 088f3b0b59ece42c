#pragma once
// Finds out from the bytes what kind of file it is.

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/graph/graph_io.h"

namespace opscope {

/// The magic of .opscope documents; one DocumentFile follows.
inline constexpr std::string_view kDocumentMagic = "OPSCOPE1";

/// The form of a graph file (unpacked). INVALID_ARGUMENT "it is an HTML page", "it looks like an ONNX model" and so on
/// for what is surely something else. Bytes that fit nothing are taken for a GraphDef: its parser says what is wrong.
StatusOr<GraphFormat> DetectGraphFormat(std::string_view bytes);

/// Whether the bytes are text (a UTF-8 byte order mark is allowed for).
bool LooksLikeText(std::string_view bytes);
/// Without a UTF-8 byte order mark.
std::string_view SkipByteOrderMark(std::string_view text);

}  // namespace opscope
