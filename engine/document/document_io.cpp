#include "engine/document/document_io.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/diagram/diagram_defaults.h"
#include "engine/diagram/diagram_defaults.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_format.h"
#include "engine/graph/graph_io.h"
#include "engine/proto/document.pb.h"

namespace opscope {
namespace {

constexpr int kVersion = 1;

// Diagram ------------------------------------------------------------------------------------------------------------

void WritePoint(Point p, PointProto* proto) {
  proto->set_x(p.x);
  proto->set_y(p.y);
}

Point ReadPoint(const PointProto& proto) {
  // A hostile file's infinities would make every box of the drawing infinite.
  const auto held = [](double v) { return std::isfinite(v) ? std::clamp(v, -1e9, 1e9) : 0; };
  return {held(proto.x()), held(proto.y())};
}

void WriteItems(const Diagram::Items& items, bool scope, DiagramProto* proto) {
  for (const auto& [name, item] : items) {
    if (item.IsDefault()) continue;
    ItemProto* out = proto->add_items();
    out->set_name(name);
    out->set_scope(scope);
    if (item.position) WritePoint(*item.position, out->mutable_position());
    out->set_pinned(item.pinned);
    if (item.collapsed) out->set_collapsed(*item.collapsed ? 1 : 2);
    out->set_color(item.color);
  }
}

void WriteDiagram(const Diagram& diagram, DiagramProto* proto) {
  WriteItems(diagram.ops(), false, proto);
  WriteItems(diagram.scopes(), true, proto);
  for (const SceneFrame& frame : diagram.frames()) {
    FrameProto* out = proto->add_frames();
    WritePoint(frame.rect.top_left(), out->mutable_position());
    out->set_width(frame.rect.width);
    out->set_height(frame.rect.height);
    out->set_text(frame.text);
  }
  for (const auto& [name, kind] : diagram.composites()) {
    CompositeProto* out = proto->add_composites();
    out->set_name(name);
    out->set_kind(kind);
  }
  proto->set_direction(diagram.direction() == FlowDirection::kTopBottom ? 1 : 0);
  proto->set_zoom(diagram.zoom());
  WritePoint(diagram.center(), proto->mutable_center());
  proto->set_overlay(diagram.overlay());
  proto->set_default_collapsed(diagram.default_collapsed());
}

Diagram ReadDiagram(const DiagramProto& proto) {
  Diagram diagram;
  for (const ItemProto& in : proto.items()) {
    DiagramItem& item = diagram.Item(in.name(), in.scope());
    if (in.has_position()) item.position = ReadPoint(in.position());
    item.pinned = in.pinned();
    if (in.collapsed() == 1 || in.collapsed() == 2) item.collapsed = in.collapsed() == 1;
    item.color = in.color();
  }
  std::vector<SceneFrame> frames;
  for (const FrameProto& in : proto.frames()) {
    const Point at = ReadPoint(in.position());
    const Point size = [&] {
      PointProto both;
      both.set_x(in.width());
      both.set_y(in.height());
      return ReadPoint(both);
    }();
    frames.push_back({Rect{at.x, at.y, size.x, size.y}, in.text()});
  }
  diagram.set_frames(std::move(frames));
  for (const CompositeProto& in : proto.composites()) diagram.SetComposite(in.name(), in.kind());
  diagram.set_direction(proto.direction() == 1 ? FlowDirection::kTopBottom : FlowDirection::kLeftRight);
  const double zoom = std::isfinite(proto.zoom()) ? std::clamp(proto.zoom(), 0.0, 32.0) : 0;
  diagram.set_camera(zoom, ReadPoint(proto.center()));
  diagram.set_overlay(proto.overlay());
  diagram.set_default_collapsed(proto.default_collapsed());
  return diagram;
}

// Run configuration ----------------------------------------------------------------------------------------------------

void WriteRunConfig(const RunConfig& config, RunConfigProto* proto) {
  for (const std::string& name : config.fetches) proto->add_fetches(name);
  for (const std::string& name : config.targets) proto->add_targets(name);
  for (const auto& [tensor, text] : config.feeds) {
    FeedProto* feed = proto->add_feeds();
    feed->set_tensor(tensor);
    feed->set_text(text);
  }
  for (const Breakpoint& breakpoint : config.breakpoints) {
    BreakpointProto* out = proto->add_breakpoints();
    out->set_node(breakpoint.node);
    out->set_disabled(!breakpoint.enabled);
    out->set_when(breakpoint.when);
    out->set_expr(breakpoint.expr);
  }
  for (const std::string& name : config.watches) proto->add_watches(name);
  for (const std::string& name : config.muted) proto->add_muted(name);
  proto->set_session_target(config.session.target);
  for (const auto& [type, count] : config.session.devices) {
    DeviceCountProto* device = proto->add_devices();
    device->set_type(type);
    device->set_count(count);
  }
  proto->set_soft_placement(config.session.soft_placement);
  proto->set_inter_op(config.session.inter_op);
  proto->set_intra_op(config.session.intra_op);
  if (config.session.memory_limit_bytes) proto->set_memory_limit(*config.session.memory_limit_bytes);
  proto->set_allocator(config.session.allocator);
}

RunConfig ReadRunConfig(const RunConfigProto& proto) {
  RunConfig config;
  config.fetches.assign(proto.fetches().begin(), proto.fetches().end());
  config.targets.assign(proto.targets().begin(), proto.targets().end());
  for (const FeedProto& feed : proto.feeds()) config.feeds[feed.tensor()] = feed.text();
  for (const BreakpointProto& in : proto.breakpoints())
    config.breakpoints.push_back({in.node(), !in.disabled(), in.when().empty() ? "always" : in.when(), in.expr()});
  config.watches.assign(proto.watches().begin(), proto.watches().end());
  config.muted.insert(proto.muted().begin(), proto.muted().end());
  config.session.target = proto.session_target();
  for (const DeviceCountProto& device : proto.devices()) config.session.devices[device.type()] = std::clamp(device.count(), 0, 1024);
  config.session.soft_placement = proto.soft_placement();
  config.session.inter_op = std::clamp(proto.inter_op(), 0, 4096);
  config.session.intra_op = std::clamp(proto.intra_op(), 0, 4096);
  if (proto.has_memory_limit()) config.session.memory_limit_bytes = proto.memory_limit();
  if (!proto.allocator().empty()) config.session.allocator = proto.allocator();
  return config;
}

// Whole documents --------------------------------------------------------------------------------------------------------

std::string Deterministic(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string SerializeOpScope(const Document& document) {
  DocumentFile file;
  // Fields of later versions come back first, ours replace what they hold.
  if (!document.unknown_fields().empty() && !file.ParseFromString(document.unknown_fields())) file.Clear();
  file.set_version(std::max(file.version(), kVersion));
  file.set_min_reader_version(kVersion);
  file.set_graph_def(SerializeGraphDef(document.graph()));
  WriteDiagram(document.diagram(), file.mutable_diagram());
  WriteRunConfig(document.run_config(), file.mutable_run_config());
  return std::string(kDocumentMagic) + Deterministic(file);
}

/// What a reader of this version doesn't know, as the bytes of a message that holds nothing else.
std::string UnknownPart(DocumentFile file) {
  const int version = file.version();
  file.clear_graph_def();
  file.clear_version();
  file.clear_min_reader_version();
  const auto only_unknown = [](auto* message) {
    google::protobuf::UnknownFieldSet kept;
    kept.MergeFrom(message->GetReflection()->GetUnknownFields(*message));
    message->Clear();
    message->GetReflection()->MutableUnknownFields(message)->MergeFrom(kept);
  };
  if (file.has_diagram()) only_unknown(file.mutable_diagram());
  if (file.has_run_config()) only_unknown(file.mutable_run_config());
  if (version > kVersion) file.set_version(version);
  return Deterministic(file);
}

Status ReadOpScopeParts(std::string_view bytes, const std::string& path, Document* document) {
  DocumentFile file;
  const std::string_view body = bytes.substr(kDocumentMagic.size());
  if (!file.ParseFromArray(body.data(), static_cast<int>(body.size())))
    return errors::DataLoss(path, ": broken OpScope document");
  if (file.min_reader_version() > kVersion)
    return errors::Unimplemented(path, ": the document was written by a later OpScope (version ", file.version(),
                                 "), this one reads version ", kVersion);
  document->SetDiagram(ReadDiagram(file.diagram()));
  document->SetRunConfig(ReadRunConfig(file.run_config()));
  document->set_unknown_fields(UnknownPart(std::move(file)));
  return Status::OK();
}

DocumentFormat FormatOf(GraphFormat format, bool gzip) {
  if (gzip) return DocumentFormat::kOther;
  switch (format) {
    case GraphFormat::kDocument: return DocumentFormat::kOpScope;
    case GraphFormat::kGraphDef: return DocumentFormat::kGraphDefBinary;
    case GraphFormat::kGraphDefText: return DocumentFormat::kGraphDefText;
    default: return DocumentFormat::kOther;
  }
}

/// What TensorFlow's front ends lay into a variable's scope: initial value, Assign, read.
bool IsVariablePart(std::string_view rest) {
  return rest == "Assign" || rest == "read" || rest == "initial_value" || rest == "Read/ReadVariableOp" ||
         rest == "IsVariableInitialized" || rest.starts_with("Initializer/") || rest.starts_with("IsInitialized/");
}

/// Variables of other programs' graphs look like those of the palette: the op, and in its scope its parts and nothing else.
void FindComposites(const Graph& graph, Diagram* diagram) {
  std::map<std::string, bool, std::less<>> variables;  // by name: whether there are parts
  graph.ForEachNode([&](NodeId, const Node& node) {
    if (node.op() == "VariableV2" || node.op() == "Variable" || node.op() == "VarHandleOp") variables[node.name()] = false;
  });
  if (variables.empty()) return;
  graph.ForEachNode([&](NodeId, const Node& node) {
    const std::string_view name = node.name();
    for (std::string_view scope = ScopeOf(name); !scope.empty(); scope = ScopeOf(scope)) {
      const auto found = variables.find(scope);
      if (found == variables.end()) continue;
      if (IsVariablePart(name.substr(scope.size() + 1))) {
        found->second = true;
      } else {
        variables.erase(found);
      }
    }
  });
  for (const auto& [name, has_parts] : variables)
    if (has_parts) diagram->SetComposite(name, "Variable");
}

}  // namespace

StatusOr<Document> LoadDocument(const std::string& path, const ProgressFunction& progress) {
  LoadOptions options;
  options.progress = progress;
  Document document;
  document.set_path(path);
  std::shared_ptr<const std::string> bytes;
  if (!IsDirectory(path)) {
    if (progress && !progress("reading")) return errors::Cancelled(path, ": opening was cancelled");
    OS_ASSIGN_OR_RETURN(std::string read, ReadFile(path));
    bytes = std::make_shared<const std::string>(std::move(read));
  }
  OS_ASSIGN_OR_RETURN(LoadedGraph loaded, bytes ? ParseGraph(bytes, path, options) : LoadGraph(path, options));
  document.SetGraph(std::move(loaded.graph));
  document.set_format(FormatOf(loaded.format, loaded.gzip));
  if (loaded.format == GraphFormat::kDocument && bytes) {
    OS_RETURN_IF_ERROR(ReadOpScopeParts(*bytes, path, &document));
  } else {
    Diagram diagram;
    SetImportDefaults(Hierarchy(document.graph()), &diagram);
    FindComposites(document.graph(), &diagram);
    document.SetDiagram(std::move(diagram));
  }
  if (loaded.original_bytes && !loaded.gzip) document.set_original_bytes(loaded.original_bytes);
  return document;
}

StatusOr<DocumentImage> SerializeDocument(const Document& document, const std::string& path) {
  DocumentImage image;
  if (path.ends_with(".opscope")) {
    image.bytes = SerializeOpScope(document);
    return image;
  }
  if (document.graph_untouched() && path.ends_with(".pb")) {
    image.bytes = *document.original_bytes();
  } else {
    OS_ASSIGN_OR_RETURN(image.bytes, SerializeGraphFor(document.graph(), path));
  }
  image.format = path.ends_with(".pb") ? DocumentFormat::kGraphDefBinary
                 : path.ends_with(".pbtxt") ? DocumentFormat::kGraphDefText : DocumentFormat::kOther;
  return image;
}

Status SaveDocument(const Document& document, const std::string& path) {
  OS_ASSIGN_OR_RETURN(const DocumentImage image, SerializeDocument(document, path));
  return WriteFileAtomic(path, image.bytes);
}

std::string SaveLoss(const Document& document, const std::string& path) {
  if (path.ends_with(".opscope")) return {};
  if (path.ends_with(".pbtxt") || path.ends_with(".pbtxt.gz")) {
    if (document.format() == DocumentFormat::kGraphDefText) return "Comments of the text file are not kept.";
    return "A .pbtxt file holds the graph only: positions, feeds and breakpoints are not kept.";
  }
  if (document.format() == DocumentFormat::kOpScope || document.path().empty())
    return "A .pb file holds the graph only: positions, feeds and breakpoints are not kept.";
  return {};
}

}  // namespace opscope
