#include "engine/graph/graph_def_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include "engine/base/compression.h"
#include "engine/base/file.h"

namespace opscope {
namespace {

constexpr int kNodeField = 1;
constexpr int kLibraryField = 2;
constexpr int kVersionsField = 4;

// The same message always gives the same bytes: map entries are sorted.
std::string Deterministic(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

void AppendField(int number, std::string_view payload, std::string* out) {
  AppendVarint(static_cast<uint64_t>(number) << 3 | 2, out);
  AppendVarint(payload.size(), out);
  out->append(payload);
}

// Whether the bytes still say what the message says.
template <typename Message>
bool StillSays(std::string_view bytes, const Message& message) {
  Message old;
  return old.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
         Deterministic(old) == Deterministic(message);
}

class Writer {
 public:
  Writer(const Graph& graph, const GraphSource* source) : graph_(graph), source_(source) {}

  std::string Run() {
    if (source_ == nullptr) {
      AppendNodesFrom(0);
      out_ += Deterministic(graph_.ToGraphDefWithoutNodes());
      return std::move(out_);
    }
    size_t last_node_part = 0;
    size_t num_nodes = 0;
    for (size_t i = 0; i < source_->parts.size(); ++i) {
      if (source_->parts[i].field != kNodeField) continue;
      last_node_part = i;
      ++num_nodes;
    }
    if (num_nodes == 0) AppendNodesFrom(0);
    uint32_t next = 0;
    for (size_t i = 0; i < source_->parts.size(); ++i) {
      const GraphSource::Part& part = source_->parts[i];
      if (part.field == kNodeField) {
        AppendOldNode(NodeId(next++), part);
        if (i == last_node_part) AppendNodesFrom(next);
      } else {
        AppendOther(part);
      }
    }
    AppendMissing();
    return std::move(out_);
  }

 private:
  void AppendNodesFrom(size_t first) {
    for (size_t i = first; i < graph_.num_ids(); ++i) {
      if (graph_.has(NodeId(i))) AppendNode(graph_.node(NodeId(i)));
    }
  }

  void AppendNode(const Node& node) {
    AppendField(kNodeField, node.source_bytes.empty() ? Deterministic(node.def) : node.source_bytes, &out_);
  }

  void AppendOldNode(NodeId id, const GraphSource::Part& part) {
    if (!graph_.has(id)) return;
    const Node& node = graph_.node(id);
    const bool kept = node.source_bytes.empty() ? StillSays(part.payload, node.def)
                                                : node.source_bytes.data() == part.payload.data();
    if (kept) {
      out_.append(part.whole);
    } else {
      AppendNode(node);
    }
  }

  void AppendOther(const GraphSource::Part& part) {
    if (part.field == kLibraryField) {
      if (graph_.shared_library() == source_->library) {
        out_.append(part.whole);
      } else if (!library_done_) {
        AppendLibrary();
      }
      library_done_ = true;
    } else if (part.field == kVersionsField) {
      if (graph_.versions().SerializeAsString() == source_->versions) {
        out_.append(part.whole);
      } else if (!versions_done_) {
        AppendField(kVersionsField, Deterministic(graph_.versions()), &out_);
      }
      versions_done_ = true;
    } else {
      out_.append(part.whole);
    }
  }

  void AppendLibrary() {
    const FunctionDefLibrary& library = graph_.library();
    std::string bytes;
    for (const FunctionDef& function : library.function()) {
      const auto old = source_->functions.find(function.signature().name());
      const bool kept = old != source_->functions.end() && StillSays(old->second, function);
      AppendField(1, kept ? old->second : Deterministic(function), &bytes);
    }
    FunctionDefLibrary rest = library;
    rest.clear_function();
    bytes += Deterministic(rest);
    AppendField(kLibraryField, bytes, &out_);
  }

  void AppendMissing() {
    if (!library_done_ && graph_.library().ByteSizeLong() > 0) AppendLibrary();
    if (!versions_done_ && graph_.has_versions()) {
      AppendField(kVersionsField, Deterministic(graph_.versions()), &out_);
    }
  }

  const Graph& graph_;
  const GraphSource* source_;
  std::string out_;
  bool library_done_ = false;
  bool versions_done_ = false;
};

}  // namespace

std::string SerializeGraphDef(const Graph& graph) { return Writer(graph, graph.source().get()).Run(); }

std::string GraphDefToText(const Graph& graph) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetHideUnknownFields(true);  // They'd be printed by number, which no reader takes.
  std::string text;
  printer.PrintToString(graph.ToGraphDef(), &text);
  return text;
}

StatusOr<std::string> SerializeGraphFor(const Graph& graph, std::string_view path) {
  const bool gzip = path.ends_with(".gz");
  const std::string_view name = gzip ? path.substr(0, path.size() - 3) : path;
  std::string bytes;
  if (name.ends_with(".pb")) {
    bytes = SerializeGraphDef(graph);
  } else if (name.ends_with(".pbtxt")) {
    bytes = GraphDefToText(graph);
  } else {
    return errors::InvalidArgument(path, ": graphs are written as .pb or .pbtxt, each also as .gz");
  }
  if (!gzip) return bytes;
  const GraphSource* source = graph.source().get();
  if (source != nullptr && source->packed != nullptr && *source->buffer == bytes) return *source->packed;
  return GzipBytes(bytes);
}

Status SaveGraphDef(const Graph& graph, const std::string& path) {
  OS_ASSIGN_OR_RETURN(const std::string bytes, SerializeGraphFor(graph, path));
  return WriteFileAtomic(path, bytes);
}

}  // namespace opscope
