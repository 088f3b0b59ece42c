#include "engine/graph/graph_format.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/record_file.h"
#include "engine/graph/wire_scan.h"
#include "engine/proto/graph.pb.h"
#include "engine/proto/saved_model.pb.h"

namespace opscope {
namespace {

struct Magic {
  size_t offset;
  std::string_view bytes;
  std::string_view what;
};

using std::string_view_literals::operator""sv;
constexpr std::array kMagics = {
    Magic{0, "\x93NUMPY"sv, "it is a NumPy array (.npy)"},
    Magic{0, "PK\x03\x04"sv, "it is a zip archive (a Keras, PyTorch or .npz file?)"},
    Magic{0, "\x89HDF\r\n"sv, "it is an HDF5 file (a Keras model or its weights?)"},
    Magic{4, "TFL3"sv, "it is a TensorFlow Lite model (a flatbuffer)"},
    Magic{0, "\x89PNG"sv, "it is a PNG picture"},
    Magic{0, "\xff\xd8\xff"sv, "it is a JPEG picture"},
    Magic{0, "%PDF"sv, "it is a PDF document"},
    Magic{0, "\x7f" "ELF"sv, "it is a program or library"},
    Magic{0, "\x80\x02"sv, "it is a Python pickle"},
    Magic{0, "\x80\x04"sv, "it is a Python pickle"},
    Magic{0, "\xff\xfe"sv, "it is UTF-16 text; text graphs are UTF-8"},
    Magic{0, "\xfe\xff"sv, "it is UTF-16 text; text graphs are UTF-8"},
    Magic{0, "BZh"sv, "it is packed with bzip2: unpack it first"},
    Magic{0, "\xfd" "7zXZ"sv, "it is packed with xz: unpack it first"},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "it is packed with zstd: unpack it first"},
};

bool StartsWithNoCase(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::string_view SkipBlank(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n\f");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// What a text that is no text proto surely is; "" for others.
std::string_view OtherText(std::string_view text) {
  text = SkipBlank(text);
  if (StartsWithNoCase(text, "<!doctype html") || StartsWithNoCase(text, "<html")) {
    return "it is an HTML page (a failed download?)";
  }
  if (text.starts_with('<')) return "it is XML or HTML";
  const std::string_view inner = text.empty() ? text : SkipBlank(text.substr(1));
  if (text.starts_with('{') && (inner.starts_with('"') || inner.starts_with('}'))) return "it is JSON, not text protobuf";
  if (text.starts_with("[{") || text.starts_with("[\"")) return "it is JSON, not text protobuf";
  if (text.starts_with("version https://git-lfs")) return "it is a Git LFS pointer: the file itself was not downloaded";
  return {};
}

// The first field names at the top level of a text message: what stands before the first brace or colon.
std::string FirstField(std::string_view text) {
  while (true) {
    text = SkipBlank(text);
    if (!text.starts_with('#')) break;
    const size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  }
  size_t n = 0;
  while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) != 0 || text[n] == '_')) ++n;
  return std::string(text.substr(0, n));
}

GraphFormat DetectText(std::string_view text) {
  const std::string field = FirstField(text);
  if (SavedModel::descriptor()->FindFieldByName(field) != nullptr) return GraphFormat::kSavedModelText;
  if (MetaGraphDef::descriptor()->FindFieldByName(field) != nullptr) return GraphFormat::kMetaGraphText;
  return GraphFormat::kGraphDefText;
}

// An ONNX ModelProto begins with ir_version (1) and has its graph in field 7.
bool LooksLikeOnnx(std::string_view bytes) {
  WireScanner scanner(bytes);
  WireField field;
  bool version = false;
  bool other = false;
  while (scanner.Next(&field)) {
    version |= field.number == 1 && field.wire_type == kWireVarint && field.varint < 1000;
    other |= (field.number == 7 || field.number == 8) && field.wire_type == kWireBytes;
  }
  // A cut file counts by what can be read.
  return version && (other || bytes.substr(0, 64).find("onnx") != std::string_view::npos ||
                     bytes.substr(0, 64).find("pytorch") != std::string_view::npos);
}

StatusOr<GraphFormat> DetectBinary(std::string_view bytes) {
  const int graph = WireMisfit(bytes, GraphDef::descriptor());
  if (graph == 0) return GraphFormat::kGraphDef;
  const int meta = WireMisfit(bytes, MetaGraphDef::descriptor());
  const int model = WireMisfit(bytes, SavedModel::descriptor());
  if (LooksLikeOnnx(bytes)) return errors::InvalidArgument("it looks like an ONNX model");
  if (graph <= meta && graph <= model) return GraphFormat::kGraphDef;
  return meta <= model ? GraphFormat::kMetaGraph : GraphFormat::kSavedModel;
}

}  // namespace

bool LooksLikeText(std::string_view bytes) {
  bytes = SkipByteOrderMark(bytes).substr(0, 16384);
  if (SkipBlank(bytes).empty()) return false;
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f;
  });
}

std::string_view SkipByteOrderMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

StatusOr<GraphFormat> DetectGraphFormat(std::string_view bytes) {
  if (bytes.starts_with(kDocumentMagic)) return GraphFormat::kDocument;
  for (const Magic& magic : kMagics) {
    if (bytes.size() > magic.offset && bytes.substr(magic.offset).starts_with(magic.bytes)) {
      return errors::InvalidArgument(magic.what);
    }
  }
  if (LooksLikeRecordFile(bytes)) return GraphFormat::kEvents;
  if (LooksLikeText(bytes)) {
    const std::string_view text = SkipByteOrderMark(bytes);
    const std::string_view other = OtherText(text);
    if (!other.empty()) return errors::InvalidArgument(other);
    return DetectText(text);
  }
  if (bytes.substr(0, 64).find("brain.Event:") != std::string_view::npos) {
    return errors::DataLoss("it looks like an event file whose first record is broken");
  }
  return DetectBinary(bytes);
}

}  // namespace opscope
