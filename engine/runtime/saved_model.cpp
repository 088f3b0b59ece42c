#include "engine/runtime/saved_model.h"

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/proto/saved_model.pb.h"

namespace opscope {
namespace {

/// Nodes of AddRestoreNodes.
constexpr const char* kOwnScope = "opscope_restore";

std::string FilesPrefix(const std::string& pattern) { return pattern.substr(0, pattern.find_first_of("?*[")); }

std::vector<std::string> Sorted(std::vector<std::string> tags) {
  std::sort(tags.begin(), tags.end());
  return tags;
}

StatusOr<tensorflow::SavedModel> ReadSavedModelFile(const std::string& export_dir) {
  tensorflow::SavedModel model;
  const std::string binary = export_dir + "/saved_model.pb", text = export_dir + "/saved_model.pbtxt";
  if (FileExists(binary)) {
    OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(binary));
    if (!model.ParseFromString(bytes)) return errors::InvalidArgument("Can't parse ", binary, " as binary proto");
    return model;
  }
  if (FileExists(text)) {
    OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(text));
    const Status status = ParseTextMessage(bytes, &model);
    if (!status.ok()) return status.Prepend(text + ":");
    return model;
  }
  return errors::NotFound("Could not find SavedModel .pb or .pbtxt at supplied export directory path: ", export_dir,
                          ". Check that the directory exists and that you have the right permissions for accessing it.");
}

StatusOr<tensorflow::MetaGraphDef> TakeMetaGraph(tensorflow::SavedModel model, const std::vector<std::string>& tags) {
  for (auto& meta : *model.mutable_meta_graphs()) {
    const auto& theirs = meta.meta_info_def().tags();
    if (Sorted({theirs.begin(), theirs.end()}) == Sorted(tags)) return std::move(meta);
  }
  return errors::NotFound("Could not find meta graph def matching supplied tags: { ", Join(tags, " "),
                          " }. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
                          "`saved_model_cli`");
}

NodeDef MakeNode(const char* op, const std::string& name, const std::vector<std::string>& inputs) {
  NodeDef node;
  node.set_op(op);
  node.set_name(StrCat(kOwnScope, "/", name));
  for (const std::string& input : inputs) node.add_input(input);
  return node;
}

Tensor Texts(const std::vector<std::string>& texts) { return Tensor::Vector<tstring>(texts); }

}  // namespace

std::vector<std::string> RestoreSteps::Targets() const {
  std::vector<std::string> targets;
  if (!restore_op.empty()) targets.push_back(restore_op);
  if (!init_op.empty()) targets.push_back(init_op);
  return targets;
}

RestoreSteps FindRestoreSteps(const LoadedGraph& loaded, const std::string& checkpoint) {
  RestoreSteps steps;
  steps.prefix = checkpoint.empty() ? loaded.variables_prefix : checkpoint;
  steps.init_op = loaded.init_op;
  if (!steps.prefix.empty()) {
    if (loaded.saver_def && !loaded.saver_def->restore_op_name().empty()) {
      steps.filename_tensor = loaded.saver_def->filename_tensor_name();
      steps.restore_op = loaded.saver_def->restore_op_name();
    } else if (loaded.graph.Find("save/restore_all").valid() && loaded.graph.Find("save/Const").valid()) {
      steps.filename_tensor = "save/Const:0";
      steps.restore_op = "save/restore_all";
    }
  }
  for (const auto& asset : loaded.assets) {
    const std::string path = StrCat(loaded.assets_dir, "/", asset.filename());
    steps.asset_feeds.emplace_back(asset.tensor_info().name(), Tensor::Scalar<tstring>(path));
  }
  return steps;
}

Status AddRestoreNodes(const std::vector<std::string>& variables, GraphDef* graph, RestoreSteps* steps) {
  std::vector<std::string> names;
  std::vector<DataType> dtypes;
  std::vector<NodeDef> assigns;
  for (const NodeDef& node : graph->node()) {
    if (std::find(variables.begin(), variables.end(), node.name()) == variables.end()) continue;
    DataType dtype = DT_INVALID;
    OS_RETURN_IF_ERROR(GetNodeAttr(node, "dtype", &dtype));
    const bool is_resource = node.op() == "VarHandleOp";
    const std::string value = names.empty() ? StrCat(kOwnScope, "/RestoreV2") : StrCat(kOwnScope, "/RestoreV2:", names.size());
    NodeDef assign = MakeNode(is_resource ? "AssignVariableOp" : "Assign", StrCat("Assign_", names.size()), {node.name(), value});
    AddNodeAttr(is_resource ? "dtype" : "T", dtype, &assign);
    assign.set_device(node.device());
    assigns.push_back(std::move(assign));
    names.push_back(node.name());
    dtypes.push_back(dtype);
  }
  if (names.empty()) return Status::OK();
  NodeDef prefix = MakeNode("Placeholder", "prefix", {});
  AddNodeAttr("dtype", DT_STRING, &prefix);
  const auto add_texts = [&](const char* name, const std::vector<std::string>& texts) {
    NodeDef node = MakeNode("Const", name, {});
    AddNodeAttr("dtype", DT_STRING, &node);
    AddNodeAttr("value", Texts(texts), &node);
    *graph->add_node() = std::move(node);
  };
  add_texts("names", names);
  add_texts("slices", std::vector<std::string>(names.size()));
  NodeDef restore = MakeNode("RestoreV2", "RestoreV2", {prefix.name(), StrCat(kOwnScope, "/names"), StrCat(kOwnScope, "/slices")});
  auto* const list = (*restore.mutable_attr())["dtypes"].mutable_list();
  for (const DataType dtype : dtypes) list->add_type(dtype);
  NodeDef all = MakeNode("NoOp", "all", {});
  for (NodeDef& assign : assigns) {
    all.add_input("^" + assign.name());
    *graph->add_node() = std::move(assign);
  }
  steps->filename_tensor = prefix.name() + ":0";
  steps->restore_op = all.name();
  for (NodeDef* node : {&prefix, &restore, &all}) *graph->add_node() = std::move(*node);
  return Status::OK();
}

std::vector<std::string> FilesOf(const RestoreSteps& steps) {
  std::vector<std::string> files;
  if (!steps.prefix.empty()) files.push_back(FilesPrefix(steps.prefix));
  for (const auto& [name, path] : steps.asset_feeds) files.push_back(path.scalar<tstring>());
  return files;
}

Status RunRestoreSteps(const RestoreSteps& steps, const RunOptions& options, Session* session) {
  if (!steps.restore_op.empty()) {
    Session::NamedTensors feeds = steps.asset_feeds;
    feeds.emplace_back(steps.filename_tensor, Tensor::Scalar<tstring>(steps.prefix));
    const Status status = session->Run(options, feeds, {}, {steps.restore_op}, nullptr, nullptr, RunHooks());
    const bool names_it = status.message().find(steps.prefix) != std::string::npos;
    if (!status.ok()) return names_it ? status : status.Prepend(steps.prefix + ": ");
  }
  if (steps.init_op.empty()) return Status::OK();
  return session->Run(options, steps.asset_feeds, {}, {steps.init_op}, nullptr, nullptr, RunHooks());
}

StatusOr<SavedModelBundle> LoadSavedModel(const SessionOptions& options, const RunOptions& run_options,
                                          const std::string& export_dir, const std::vector<std::string>& tags) {
  SavedModelBundle bundle;
  OS_ASSIGN_OR_RETURN(auto model, ReadSavedModelFile(export_dir));
  OS_ASSIGN_OR_RETURN(bundle.meta_graph, TakeMetaGraph(std::move(model), tags));
  LoadOptions load_options;
  load_options.tags = tags;
  OS_ASSIGN_OR_RETURN(const LoadedGraph loaded, LoadGraph(export_dir, load_options));
  const RestoreSteps steps = FindRestoreSteps(loaded, "");
  SessionOptions session_options = options;
  for (const std::string& file : FilesOf(steps)) session_options.file_access.push_back(file);
  OS_ASSIGN_OR_RETURN(bundle.session, NewSession(session_options));
  OS_RETURN_IF_ERROR(bundle.session->Create(bundle.meta_graph.graph_def()));
  OS_RETURN_IF_ERROR(RunRestoreSteps(steps, run_options, bundle.session.get()));
  return bundle;
}

}  // namespace opscope
