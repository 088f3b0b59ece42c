#include "engine/graph/meta_graph_reader.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/graph/wire_scan.h"
#include "engine/proto/saved_model.pb.h"

namespace opscope {
namespace {

constexpr int kGraphDefField = 2;       // Of MetaGraphDef.
constexpr int kMetaGraphsField = 2;     // Of SavedModel.
constexpr const char* kInitSignature = "__saved_model_init_op";

void Warn(LoadedGraph* loaded, std::string message) {
  loaded->warnings.push_back({"", Code::kInvalidArgument, std::move(message), NodeId(), Diagnostic::kNoInput});
}

// A tensor of a sparse value is that of its values.
std::string TensorName(const TensorInfo& info) {
  return info.has_coo_sparse() ? info.coo_sparse().values_tensor_name() : info.name();
}

std::vector<SignatureTensor> ReadTensors(const google::protobuf::Map<std::string, TensorInfo>& map) {
  std::vector<SignatureTensor> tensors;
  for (const auto& [key, info] : map) {
    SignatureTensor tensor;
    tensor.key = key;
    tensor.name = TensorName(info);
    tensor.dtype = info.dtype();
    if (auto shape = PartialTensorShape::FromProto(info.tensor_shape()); shape.ok()) tensor.shape = *shape;
    tensors.push_back(std::move(tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return tensors;
}

void CheckTensors(const Signature& signature, const std::vector<SignatureTensor>& tensors, LoadedGraph* loaded) {
  for (const SignatureTensor& tensor : tensors) {
    if (tensor.name.empty() || loaded->graph.Find(ParseTensorName(tensor.name).node).valid()) continue;
    Warn(loaded, StrCat("Signature ", signature.key, ": tensor \"", tensor.name, "\" is not in the graph"));
  }
}

void ReadSignatures(const MetaGraphDef& meta, LoadedGraph* loaded) {
  for (const auto& [key, def] : meta.signature_def()) {
    Signature signature{key, def.method_name(), ReadTensors(def.inputs()), ReadTensors(def.outputs())};
    if (key == kInitSignature) {
      if (!signature.outputs.empty()) loaded->init_op = std::string(ParseTensorName(signature.outputs[0].name).node);
      continue;
    }
    loaded->signatures.push_back(std::move(signature));
  }
  std::sort(loaded->signatures.begin(), loaded->signatures.end(),
            [](const Signature& a, const Signature& b) { return a.key < b.key; });
  for (const Signature& signature : loaded->signatures) {
    CheckTensors(signature, signature.inputs, loaded);
    CheckTensors(signature, signature.outputs, loaded);
  }
}

void ReadInitOp(const MetaGraphDef& meta, LoadedGraph* loaded) {
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    const auto found = meta.collection_def().find(collection);
    if (found == meta.collection_def().end() || found->second.node_list().value_size() == 0) continue;
    loaded->init_op = found->second.node_list().value(0);
    return;
  }
}

void ReadAssets(const MetaGraphDef& meta, LoadedGraph* loaded) {
  loaded->assets.assign(meta.asset_file_def().begin(), meta.asset_file_def().end());
  const auto found = meta.collection_def().find("saved_model_assets");
  if (!loaded->assets.empty() || found == meta.collection_def().end()) return;
  for (const auto& any : found->second.any_list().value()) {
    AssetFileDef asset;
    if (any.type_url().ends_with("tensorflow.AssetFileDef") && asset.ParseFromString(any.value())) {
      loaded->assets.push_back(std::move(asset));
    }
  }
}

// Everything but the graph, which is there already.
void ReadRest(const MetaGraphDef& meta, LoadedGraph* loaded) {
  loaded->tags.assign(meta.meta_info_def().tags().begin(), meta.meta_info_def().tags().end());
  loaded->tensorflow_version = meta.meta_info_def().tensorflow_version();
  if (meta.has_saver_def()) loaded->saver_def = meta.saver_def();
  ReadInitOp(meta, loaded);
  ReadAssets(meta, loaded);
  ReadSignatures(meta, loaded);
}

std::string TagsText(const std::vector<std::string>& tags) { return "[" + Join(tags, ", ") + "]"; }

// Which of the MetaGraphs, known by their tags, is meant.
StatusOr<size_t> ChooseMetaGraph(const LoadOptions& options, LoadedGraph* loaded) {
  auto sorted = [](std::vector<std::string> tags) {
    std::sort(tags.begin(), tags.end());
    return tags;
  };
  const auto& available = loaded->available_tags;
  if (available.empty()) return errors::NotFound("the SavedModel holds no MetaGraph");
  for (size_t i = 0; i < available.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (sorted(available[i]) != sorted(available[k])) continue;
      Warn(loaded, StrCat("Two MetaGraphs have the same tags ", TagsText(available[i]), ": the first is taken"));
      i = available.size() - 1;
      break;
    }
  }
  const auto find = [&](const std::vector<std::string>& tags) {
    const auto found = std::find_if(available.begin(), available.end(),
                                    [&](const auto& theirs) { return sorted(theirs) == sorted(tags); });
    return static_cast<size_t>(found - available.begin());
  };
  if (options.tags.empty()) {
    const size_t serving = find({"serve"});
    return serving < available.size() ? serving : 0;
  }
  const size_t chosen = find(options.tags);
  if (chosen < available.size()) return chosen;
  std::vector<std::string> texts;
  for (const auto& tags : available) texts.push_back(TagsText(tags));
  return errors::NotFound("MetaGraphDef associated with tags ", TagsText(options.tags),
                          " could not be found in SavedModel, with available tags: ", Join(texts, ", "));
}

std::vector<std::string> TagsOf(const MetaGraphDef& meta) {
  return {meta.meta_info_def().tags().begin(), meta.meta_info_def().tags().end()};
}

// The tags of a MetaGraphDef without parsing its graph.
StatusOr<std::vector<std::string>> ScanTags(std::string_view bytes) {
  std::vector<std::string> tags;
  WireScanner scanner(bytes);
  WireField field;
  while (scanner.Next(&field)) {
    if (field.number != 1 || field.wire_type != kWireBytes) continue;
    MetaGraphDef::MetaInfoDef info;
    if (!info.ParseFromArray(field.payload.data(), static_cast<int>(field.payload.size()))) continue;
    tags.assign(info.tags().begin(), info.tags().end());
  }
  OS_RETURN_IF_ERROR(scanner.status());
  return tags;
}

}  // namespace

Status ReadMetaGraph(std::shared_ptr<const std::string> buffer, std::string_view bytes, LoadedGraph* loaded) {
  std::string rest;
  std::string_view graph_bytes;
  int graphs = 0;
  WireScanner scanner(bytes);
  WireField field;
  while (scanner.Next(&field)) {
    if (field.number == kGraphDefField && field.wire_type == kWireBytes) {
      graph_bytes = field.payload;
      ++graphs;
    } else {
      rest += field.whole;
    }
  }
  OS_RETURN_IF_ERROR(scanner.status());
  if (graphs > 1) return errors::InvalidArgument("the MetaGraphDef holds ", graphs, " graphs");
  MetaGraphDef meta;
  if (!meta.ParseFromString(rest)) {
    OS_RETURN_IF_ERROR(CheckWire(bytes, MetaGraphDef::descriptor()));
    return errors::InvalidArgument("broken MetaGraphDef");
  }
  OS_ASSIGN_OR_RETURN(loaded->graph, ParseBinaryGraphDef(std::move(buffer), graph_bytes));
  ReadRest(meta, loaded);
  return Status::OK();
}

Status ReadMetaGraphText(std::string_view text, LoadedGraph* loaded) {
  MetaGraphDef meta;
  OS_RETURN_IF_ERROR(ParseTextMessage(text, &meta));
  loaded->graph = Graph::FromGraphDef(std::move(*meta.mutable_graph_def()));
  ReadRest(meta, loaded);
  return Status::OK();
}

Status ReadSavedModel(std::shared_ptr<const std::string> buffer, const LoadOptions& options, LoadedGraph* loaded) {
  std::vector<std::string_view> metas;
  WireScanner scanner(*buffer);
  WireField field;
  while (scanner.Next(&field)) {
    if (field.number != kMetaGraphsField || field.wire_type != kWireBytes) continue;
    metas.push_back(field.payload);
    OS_ASSIGN_OR_RETURN(auto tags, ScanTags(field.payload));
    loaded->available_tags.push_back(std::move(tags));
  }
  OS_RETURN_IF_ERROR(scanner.status());
  OS_ASSIGN_OR_RETURN(const size_t chosen, ChooseMetaGraph(options, loaded));
  return ReadMetaGraph(std::move(buffer), metas[chosen], loaded);
}

Status ReadSavedModelText(std::string_view text, const LoadOptions& options, LoadedGraph* loaded) {
  SavedModel model;
  OS_RETURN_IF_ERROR(ParseTextMessage(text, &model));
  for (const MetaGraphDef& meta : model.meta_graphs()) loaded->available_tags.push_back(TagsOf(meta));
  OS_ASSIGN_OR_RETURN(const size_t chosen, ChooseMetaGraph(options, loaded));
  MetaGraphDef* meta = model.mutable_meta_graphs(static_cast<int>(chosen));
  loaded->graph = Graph::FromGraphDef(std::move(*meta->mutable_graph_def()));
  ReadRest(*meta, loaded);
  return Status::OK();
}

}  // namespace opscope
