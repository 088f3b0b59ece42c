#include "engine/graph/graph_io.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <array>
#include <limits>

#include "engine/base/compression.h"
#include "engine/base/file.h"
#include "engine/base/record_file.h"
#include "engine/graph/graph_format.h"
#include "engine/graph/meta_graph_reader.h"
#include "engine/graph/wire_scan.h"

namespace opscope {
namespace {

using Bytes = std::shared_ptr<const std::string>;

constexpr int kTextNesting = 100;
constexpr size_t kMaxMessage = std::numeric_limits<int>::max();

// A packed file may be a bomb: it may grow to what no real graph exceeds, never to all memory.
int64_t UnpackLimit(size_t packed) {
  const int64_t generous = std::max<int64_t>(int64_t{256} << 20, static_cast<int64_t>(packed) * 100);
  return std::min<int64_t>(generous, static_cast<int64_t>(kMaxMessage));
}

Status Stage(const LoadOptions& options, std::string_view stage) {
  if (options.progress && !options.progress(stage)) return errors::Cancelled("opening was cancelled");
  return Status::OK();
}

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (status_.ok()) status_ = errors::InvalidArgument(line + 1, ":", column + 1, ": ", message);
  }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

Status ReadEvents(const Bytes& bytes, LoadedGraph* loaded) {
  RecordReader reader(*bytes);
  std::string_view record;
  std::string_view graph_def;
  std::string_view meta_graph_def;
  Status status = reader.Next(&record);
  for (; status.ok(); status = reader.Next(&record)) {
    WireScanner scanner(record);
    WireField field;
    while (scanner.Next(&field)) {
      if (field.wire_type != kWireBytes) continue;
      if (field.number == 4) graph_def = field.payload;
      if (field.number == 9) meta_graph_def = field.payload;
    }
  }
  const bool has_graph = !graph_def.empty() || !meta_graph_def.empty();
  // A program that was killed leaves its last record cut: what came before is good.
  const bool only_cut = reader.truncated() && has_graph;
  if (status.code() != Code::kOutOfRange && !only_cut) return status.Prepend("event file: ");
  if (!has_graph) {
    return errors::InvalidArgument("not a GraphDef: it looks like an event file, but none of its ", reader.num_read(),
                                   " records holds a graph");
  }
  if (only_cut) {
    loaded->warnings.push_back({"", Code::kDataLoss, status.message(), NodeId(), Diagnostic::kNoInput});
  }
  if (graph_def.empty()) return ReadMetaGraph(bytes, meta_graph_def, loaded);
  OS_ASSIGN_OR_RETURN(loaded->graph, ParseBinaryGraphDef(bytes, graph_def));
  return Status::OK();
}

Status ReadDocument(const Bytes& bytes, LoadedGraph* loaded) {
  WireScanner scanner(std::string_view(*bytes).substr(kDocumentMagic.size()));
  WireField field;
  std::string_view graph_def;
  while (scanner.Next(&field)) {
    if (field.number == 3 && field.wire_type == kWireBytes) graph_def = field.payload;
  }
  if (!scanner.status().ok()) return scanner.status().Prepend("broken OpScope document: ");
  OS_ASSIGN_OR_RETURN(loaded->graph, ParseBinaryGraphDef(bytes, graph_def));
  return Status::OK();
}

Status ReadGraphDef(const Bytes& bytes, LoadedGraph* loaded) {
  OS_ASSIGN_OR_RETURN(loaded->graph, ParseBinaryGraphDef(bytes));
  loaded->original_bytes = bytes;
  return Status::OK();
}

Status ReadGraphDefText(std::string_view text, LoadedGraph* loaded) {
  GraphDef def;
  OS_RETURN_IF_ERROR(ParseTextMessage(text, &def));
  loaded->graph = Graph::FromGraphDef(std::move(def));
  return Status::OK();
}

Status ReadAs(GraphFormat format, const Bytes& bytes, const LoadOptions& options, LoadedGraph* loaded) {
  const std::string_view text = SkipByteOrderMark(*bytes);
  switch (format) {
    case GraphFormat::kGraphDef:
      return ReadGraphDef(bytes, loaded);
    case GraphFormat::kGraphDefText:
      return ReadGraphDefText(text, loaded);
    case GraphFormat::kMetaGraph:
      return ReadMetaGraph(bytes, *bytes, loaded);
    case GraphFormat::kMetaGraphText:
      return ReadMetaGraphText(text, loaded);
    case GraphFormat::kSavedModel:
      return ReadSavedModel(bytes, options, loaded);
    case GraphFormat::kSavedModelText:
      return ReadSavedModelText(text, options, loaded);
    case GraphFormat::kEvents:
      return ReadEvents(bytes, loaded);
    case GraphFormat::kDocument:
      return ReadDocument(bytes, loaded);
  }
  return errors::Internal("unknown graph format");
}

std::string_view WhatIsRead(GraphFormat format) {
  switch (format) {
    case GraphFormat::kMetaGraph:
    case GraphFormat::kMetaGraphText:
      return "MetaGraphDef";
    case GraphFormat::kSavedModel:
    case GraphFormat::kSavedModelText:
      return "SavedModel";
    default:
      return "GraphDef";
  }
}

// Says that it isn't a graph where parsing failed, and leaves other failures as they are.
Status NotAGraph(const Status& status, GraphFormat format) {
  if (status.code() != Code::kInvalidArgument || status.message().find("not a ") == 0) return status;
  return status.Prepend(StrCat("not a ", WhatIsRead(format), ": "));
}

StatusOr<std::string> FindSavedModel(const std::string& folder) {
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt"}) {
    const std::string path = StrCat(folder, folder.ends_with('/') ? "" : "/", name);
    if (FileExists(path)) return path;
  }
  return errors::NotFound(folder, ": a folder without saved_model.pb or saved_model.pbtxt is no SavedModel");
}

void NoteFolder(const std::string& file, LoadedGraph* loaded) {
  if (loaded->format != GraphFormat::kSavedModel && loaded->format != GraphFormat::kSavedModelText) return;
  const size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
  if (FileExists(folder + "/variables/variables.index") || FileExists(folder + "/variables/variables")) {
    loaded->variables_prefix = folder + "/variables/variables";
  } else if (loaded->saver_def.has_value()) {
    loaded->warnings.push_back({"", Code::kNotFound, folder + "/variables/variables: the values of the model's variables are missing",
                                NodeId(), Diagnostic::kNoInput});
  }
  if (IsDirectory(folder + "/assets")) loaded->assets_dir = folder + "/assets";
}

}  // namespace

std::string_view GraphFormatName(GraphFormat format) {
  constexpr std::array<std::string_view, 8> kNames = {"graphdef",   "graphdef-text",    "metagraph", "metagraph-text",
                                                      "savedmodel", "savedmodel-text", "events",    "opscope"};
  return kNames[static_cast<size_t>(format)];
}

bool IsTextFormat(GraphFormat format) {
  return format == GraphFormat::kGraphDefText || format == GraphFormat::kMetaGraphText ||
         format == GraphFormat::kSavedModelText;
}

StatusOr<LoadedGraph> LoadGraph(const std::string& path, const LoadOptions& options) {
  std::string file = path;
  if (IsDirectory(path)) {
    OS_ASSIGN_OR_RETURN(file, FindSavedModel(path));
  }
  OS_RETURN_IF_ERROR(Stage(options, "reading"));
  OS_ASSIGN_OR_RETURN(std::string bytes, ReadFile(file));
  OS_ASSIGN_OR_RETURN(LoadedGraph loaded,
                      ParseGraph(std::make_shared<const std::string>(std::move(bytes)), file, options));
  NoteFolder(file, &loaded);
  return loaded;
}

StatusOr<LoadedGraph> ParseGraph(Bytes bytes, const std::string& name, const LoadOptions& options) {
  const google::protobuf::LogSilencer silencer;  // What is wrong is told by the status.
  const std::string prefix = name + ": ";
  LoadedGraph loaded;
  Bytes packed;
  if (LooksLikeGzip(*bytes)) {
    auto unpacked = GunzipBytes(*bytes, UnpackLimit(bytes->size()));
    if (!unpacked.ok()) return unpacked.status().Prepend(prefix);
    loaded.gzip = true;
    packed = std::move(bytes);
    bytes = std::make_shared<const std::string>(std::move(*unpacked));
  }
  if (bytes->empty()) return errors::InvalidArgument(prefix, "no nodes: the file is empty (0 bytes)");
  if (bytes->size() > kMaxMessage) {
    return errors::ResourceExhausted(prefix, bytes->size(), " bytes; a protobuf message has at most ", kMaxMessage);
  }
  OS_RETURN_IF_ERROR(Stage(options, "parsing"));
  const auto format = DetectGraphFormat(*bytes);
  if (!format.ok()) return format.status().Prepend(prefix + "not a GraphDef: ");
  loaded.format = *format;
  const Status status = ReadAs(*format, bytes, options, &loaded);
  if (!status.ok()) return NotAGraph(status, *format).Prepend(prefix);
  if (packed != nullptr && loaded.graph.source() != nullptr) {
    auto source = std::make_shared<GraphSource>(*loaded.graph.source());
    source->packed = std::move(packed);
    loaded.graph.SetSource(std::move(source));
  }
  OS_RETURN_IF_ERROR(Stage(options, "building"));
  return loaded;
}

StatusOr<Graph> ParseBinaryGraphDef(Bytes bytes) {
  const std::string_view all = *bytes;
  return ParseBinaryGraphDef(std::move(bytes), all);
}

StatusOr<Graph> ParseBinaryGraphDef(Bytes buffer, std::string_view bytes) {
  const google::protobuf::LogSilencer silencer;
  GraphDef def;
  if (bytes.size() > kMaxMessage || !def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    OS_RETURN_IF_ERROR(CheckWire(bytes, GraphDef::descriptor()));
    return errors::InvalidArgument("broken GraphDef");
  }
  auto source = std::make_shared<GraphSource>();
  std::vector<std::string_view> nodes;
  WireScanner scanner(bytes);
  WireField field;
  int libraries = 0;
  while (scanner.Next(&field)) {
    source->parts.push_back({field.wire_type == kWireBytes ? field.number : 0, field.whole, field.payload});
    if (field.wire_type != kWireBytes) continue;
    if (field.number == 1) nodes.push_back(field.payload);
    if (field.number != 2) continue;
    ++libraries;
    WireScanner functions(field.payload);
    WireField function;
    int index = 0;
    while (libraries == 1 && functions.Next(&function)) {
      if (function.number != 1 || index >= def.library().function_size()) continue;
      source->functions.try_emplace(def.library().function(index++).signature().name(), function.payload);
    }
  }
  source->versions = def.versions().SerializeAsString();
  const auto num_nodes = static_cast<size_t>(def.node_size());
  Graph graph = Graph::FromGraphDef(std::move(def));
  if (!scanner.status().ok() || nodes.size() != num_nodes) return graph;
  for (size_t i = 0; i < nodes.size(); ++i) graph.SetSource(NodeId(i), buffer, nodes[i]);
  source->buffer = std::move(buffer);
  source->library = graph.shared_library();
  graph.SetSource(std::move(source));
  return graph;
}

Status ParseTextMessage(std::string_view text, google::protobuf::Message* message) {
  text = SkipByteOrderMark(text);
  if (text.size() > kMaxMessage) return errors::ResourceExhausted("the text is longer than ", kMaxMessage, " bytes");
  const google::protobuf::LogSilencer silencer;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kTextNesting);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, message)) {
    // The text parser takes strings that no binary file may hold.
    return CheckWire(message->SerializeAsString(), message->GetDescriptor()).Prepend("as binary, ");
  }
  if (!error.status().ok()) return error.status();
  return errors::InvalidArgument("broken text");
}

}  // namespace opscope
