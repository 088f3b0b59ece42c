#include "app/cli/layout_writer.h"

#include <charconv>
#include <cmath>
#include <ostream>

#include "engine/base/text.h"

namespace opscope::cli {
namespace {

/// Coordinates to a thousandth.
void AppendNumber(std::string* text, double value) {
  char buffer[64];
  const double rounded = std::round(value * 1000) / 1000;
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), rounded == 0 ? 0.0 : rounded).ptr;
  text->append(buffer, end);
}

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 when there is none.
std::size_t Utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5                 ? 4
                                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
      (lead == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

/// A string literal; bytes that are no UTF-8 become U+FFFD.
void AppendString(std::string* text, std::string_view value) {
  constexpr char kHex[] = "0123456789abcdef";
  *text += '"';
  while (!value.empty()) {
    const std::size_t length = Utf8Length(value);
    const char c = value[0];
    if (length == 0) {
      *text += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      *text += '\\';
      *text += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      *text += "\\u00";
      *text += kHex[static_cast<unsigned char>(c) >> 4];
      *text += kHex[c & 15];
    } else {
      text->append(value.substr(0, length));
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  *text += '"';
}

const char* KindName(ItemKind kind) {
  return kind == ItemKind::kOp ? "op" : kind == ItemKind::kScope ? "scope" : "series";
}

void AppendNode(std::string* text, const LayoutDocument::Node& node) {
  *text += "{\"name\":";
  AppendString(text, node.name);
  *text += ",\"kind\":\"";
  *text += KindName(node.kind);
  *text += "\",\"rect\":[";
  const double values[] = {node.rect.x, node.rect.y, node.rect.width, node.rect.height};
  for (int i = 0; i < 4; ++i) {
    if (i > 0) *text += ',';
    AppendNumber(text, values[i]);
  }
  *text += ']';
  if (node.kind == ItemKind::kScope) *text += node.collapsed ? ",\"collapsed\":true" : ",\"collapsed\":false";
  *text += '}';
}

void AppendEdge(std::string* text, const LayoutDocument::Edge& edge) {
  *text += "{\"from\":";
  AppendString(text, edge.from);
  *text += ",\"to\":";
  AppendString(text, edge.to);
  *text += ",\"points\":[";
  for (std::size_t i = 0; i < edge.points.size(); ++i) {
    *text += i > 0 ? ",[" : "[";
    AppendNumber(text, edge.points[i].x);
    *text += ',';
    AppendNumber(text, edge.points[i].y);
    *text += ']';
  }
  *text += "]}";
}

void WriteJson(const LayoutDocument& document, std::ostream& out) {
  std::string text = "{\"nodes\":[";
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    if (i > 0) text += ",\n";
    AppendNode(&text, document.nodes[i]);
  }
  text += "],\n\"edges\":[";
  for (std::size_t i = 0; i < document.edges.size(); ++i) {
    if (i > 0) text += ",\n";
    AppendEdge(&text, document.edges[i]);
    if (text.size() > (1u << 20)) {
      out << text;
      text.clear();
    }
  }
  text += "],\n\"timing_ms\":{\"draft\":";
  AppendNumber(&text, document.draft_ms);
  text += ",\"refine\":";
  AppendNumber(&text, document.refine_ms);
  text += "}}\n";
  out << text;
}

void WriteTable(const LayoutDocument& document, std::ostream& out) {
  for (const LayoutDocument::Node& node : document.nodes) {
    out << KindName(node.kind) << (node.collapsed ? " (closed)" : "") << '\t' << node.rect.x << '\t' << node.rect.y << '\t'
        << node.rect.width << '\t' << node.rect.height << '\t' << Printable(node.name) << '\n';
  }
  out << document.nodes.size() << " nodes, " << document.edges.size() << " edges, "
      << HumanDuration(static_cast<int64_t>((document.draft_ms + document.refine_ms) * 1e6)) << '\n';
}

}  // namespace

void Write(const LayoutDocument& document, bool json, std::ostream& out) {
  if (json) {
    WriteJson(document, out);
  } else {
    WriteTable(document, out);
  }
}

}  // namespace opscope::cli
