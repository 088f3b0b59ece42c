#pragma once
// Documents and files. The .opscope form is message opscope.DocumentFile (document.proto), with a magic and a version.

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/document/document.h"

namespace opscope {

/// Says which stage of long work has begun ("reading", "parsing", "building"); false = stop (the answer is CANCELLED).
using ProgressFunction = std::function<bool(std::string_view stage)>;

/// Reads an .opscope document or any graph form that graph_io knows, found from the bytes. Messages name the file.
StatusOr<Document> LoadDocument(const std::string& path, const ProgressFunction& progress = {});

/// What is to be written, independent of the document that goes on being edited.
struct DocumentImage {
  std::string bytes;
  DocumentFormat format = DocumentFormat::kOpScope;
};
/// By the ending of `path`: .pb and .pbtxt hold the graph only, .opscope everything. INVALID_ARGUMENT for other endings.
/// An untouched graph from a binary file gives that file's bytes.
StatusOr<DocumentImage> SerializeDocument(const Document& document, const std::string& path);
/// Serialize and write atomically.
Status SaveDocument(const Document& document, const std::string& path);

/// Whether saving to `path` loses something (a text graph's comments; a .pb's diagram): for the dialog. "" = nothing.
std::string SaveLoss(const Document& document, const std::string& path);

}  // namespace opscope
