// Lists of ops and kernels, and how ops are presented.
#include "engine/c_api/handles.h"
#include "engine/framework/op_kernel.h"
#include "engine/proto/api_def.pb.h"
#include "engine/proto/kernel_def.pb.h"

#include <google/protobuf/text_format.h>

struct TF_ApiDefMap {
  std::mutex mutex;
  std::map<std::string, tensorflow::ApiDef> defs;  ///< By op.
};

using namespace opscope;
using namespace opscope::capi;

namespace {

using google::protobuf::Message;
using google::protobuf::Reflection;

void AddKernels(std::string_view op, tensorflow::KernelList* list) {
  for (const KernelRegistration* kernel : KernelRegistry::Global().ForOp(op)) {
    tensorflow::KernelDef* const def = list->add_kernel();
    def->set_op(kernel->op);
    def->set_device_type(kernel->device_type);
    def->set_priority(kernel->priority);
    for (const std::string& arg : kernel->host_memory_args) def->add_host_memory_arg(arg);
    for (const auto& [attr, types] : kernel->type_constraints) {
      auto* const constraint = def->add_constraint();
      constraint->set_name(attr);
      for (const DataType type : types)
        constraint->mutable_allowed_values()->mutable_list()->add_type(type);
    }
  }
}

TF_Buffer* ToBuffer(const google::protobuf::MessageLite& message, TF_Status* status) {
  TF_Buffer* const buffer = TF_NewBuffer();
  const Status written = MessageToBuffer(message, buffer);
  SetStatus(written, status);
  if (written.ok()) return buffer;
  TF_DeleteBuffer(buffer);
  return nullptr;
}

// What every op has before anybody says more: its arguments and attributes under their own names.
tensorflow::ApiDef DefaultApiDef(const OpDef& op) {
  tensorflow::ApiDef def;
  def.set_graph_op_name(op.name());
  def.set_visibility(tensorflow::ApiDef::VISIBLE);
  def.add_endpoint()->set_name(op.name());
  const auto add = [](const OpDef::ArgDef& arg, tensorflow::ApiDef::Arg* to) {
    to->set_name(arg.name());
    to->set_rename_to(arg.name());
    to->set_description(arg.description());
  };
  for (const auto& arg : op.input_arg()) {
    add(arg, def.add_in_arg());
    def.add_arg_order(arg.name());
  }
  for (const auto& arg : op.output_arg()) add(arg, def.add_out_arg());
  for (const auto& attr : op.attr()) {
    auto* const to = def.add_attr();
    to->set_name(attr.name());
    to->set_rename_to(attr.name());
    if (attr.has_default_value()) *to->mutable_default_value() = attr.default_value();
    to->set_description(attr.description());
  }
  def.set_summary(op.summary());
  def.set_description(op.description());
  return def;
}

// The text of ApiDef files may hold blocks of lines ("<<END … END"), which the text format lacks:
// they become strings.
std::string WithoutBlocks(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t mark = text.find("<<");
    const size_t line_end = mark == std::string_view::npos ? mark : text.find('\n', mark);
    if (line_end == std::string_view::npos) break;
    const std::string end = "\n" + std::string(text.substr(mark + 2, line_end - mark - 2));
    const size_t close = text.find(end, line_end);
    if (end.size() == 1 || close == std::string_view::npos) break;
    out += text.substr(0, mark);
    out += '"';
    for (const char c : text.substr(line_end + 1, close > line_end ? close - line_end - 1 : 0)) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
    text.remove_prefix(close + end.size());
  }
  return out + std::string(text);
}

const tensorflow::ApiDef::Arg* FindArg(
    const google::protobuf::RepeatedPtrField<tensorflow::ApiDef::Arg>& args,
    const std::string& name) {
  for (const auto& arg : args) {
    if (arg.name() == name) return &arg;
  }
  return nullptr;
}

void UpdateArg(const tensorflow::ApiDef::Arg& from, tensorflow::ApiDef::Arg* to) {
  if (!from.rename_to().empty()) to->set_rename_to(from.rename_to());
  if (!from.description().empty()) to->set_description(from.description());
}

Status UpdateArgs(const google::protobuf::RepeatedPtrField<tensorflow::ApiDef::Arg>& from,
                  std::string_view op,
                  google::protobuf::RepeatedPtrField<tensorflow::ApiDef::Arg>* to) {
  for (const auto& arg : from) {
    if (FindArg(*to, arg.name()) == nullptr) {
      return errors::FailedPrecondition("Argument ", arg.name(), " not defined in base api for ",
                                        op);
    }
    for (auto& target : *to) {
      if (target.name() == arg.name()) UpdateArg(arg, &target);
    }
  }
  return Status::OK();
}

Status UpdateApiDef(const tensorflow::ApiDef& from, tensorflow::ApiDef* to) {
  if (from.visibility() != tensorflow::ApiDef::DEFAULT_VISIBILITY)
    to->set_visibility(from.visibility());
  if (from.endpoint_size() > 0) *to->mutable_endpoint() = from.endpoint();
  OS_RETURN_IF_ERROR(UpdateArgs(from.in_arg(), from.graph_op_name(), to->mutable_in_arg()));
  OS_RETURN_IF_ERROR(UpdateArgs(from.out_arg(), from.graph_op_name(), to->mutable_out_arg()));
  for (const auto& attr : from.attr()) {
    bool known = false;
    for (auto& target : *to->mutable_attr()) {
      if (target.name() != attr.name()) continue;
      known = true;
      if (!attr.rename_to().empty()) target.set_rename_to(attr.rename_to());
      if (attr.has_default_value()) *target.mutable_default_value() = attr.default_value();
      if (!attr.description().empty()) target.set_description(attr.description());
    }
    if (!known)
      return errors::FailedPrecondition("Attribute ", attr.name(), " not defined in base api for ",
                                        from.graph_op_name());
  }
  if (from.arg_order_size() > 0) *to->mutable_arg_order() = from.arg_order();
  if (!from.summary().empty()) to->set_summary(from.summary());
  std::string text = from.description().empty() ? to->description() : from.description();
  if (!from.description_prefix().empty())
    text = from.description_prefix() + (text.empty() ? "" : "\n" + text);
  if (!from.description_suffix().empty())
    text += (text.empty() ? "" : "\n") + from.description_suffix();
  to->set_description(text);
  return Status::OK();
}

Status Put(TF_ApiDefMap* map, std::string_view text) {
  tensorflow::ApiDefs defs;
  if (!google::protobuf::TextFormat::ParseFromString(WithoutBlocks(text), &defs)) {
    return errors::InvalidArgument("Failed to parse ApiDefs text");
  }
  std::lock_guard lock(map->mutex);
  for (const tensorflow::ApiDef& def : defs.op()) {
    const auto found = map->defs.find(def.graph_op_name());
    if (found != map->defs.end()) OS_RETURN_IF_ERROR(UpdateApiDef(def, &found->second));
  }
  return Status::OK();
}

}  // namespace

const char* TF_Version(void) { return "2.21.0"; }

TF_Buffer* TF_GetAllOpList(void) {
  tensorflow::OpList list;
  for (const OpRegistrationData* op : OpRegistry::Global().All()) *list.add_op() = op->op_def;
  return ToBuffer(list, nullptr);
}

TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status) {
  tensorflow::KernelList list;
  for (const OpRegistrationData* op : OpRegistry::Global().All())
    AddKernels(op->op_def.name(), &list);
  return ToBuffer(list, status);
}

TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status) {
  tensorflow::KernelList list;
  AddKernels(Text(name), &list);
  return ToBuffer(list, status);
}

TF_ApiDefMap* TF_NewApiDefMap(TF_Buffer* op_list_buffer, TF_Status* status) {
  SetOk(status);
  tensorflow::OpList list;
  const Status parsed =
      op_list_buffer ? ParseBytes(op_list_buffer->data, op_list_buffer->length, "OpList", &list)
                     : errors::InvalidArgument("Unparseable OpList");
  if (!parsed.ok()) return SetStatus(parsed, status), nullptr;
  auto* const map = new TF_ApiDefMap;
  for (const OpDef& op : list.op()) map->defs.emplace(op.name(), DefaultApiDef(op));
  return map;
}

void TF_DeleteApiDefMap(TF_ApiDefMap* apimap) { delete apimap; }

void TF_ApiDefMapPut(TF_ApiDefMap* api_def_map, const char* text, size_t text_len,
                     TF_Status* status) {
  if (api_def_map == nullptr || text == nullptr)
    return SetStatus(errors::InvalidArgument("No ApiDefs were passed."), status);
  SetStatus(Put(api_def_map, {text, text_len}), status);
}

TF_Buffer* TF_ApiDefMapGet(TF_ApiDefMap* api_def_map, const char* name, size_t name_len,
                           TF_Status* status) {
  SetOk(status);
  if (api_def_map == nullptr || name == nullptr) return nullptr;
  std::lock_guard lock(api_def_map->mutex);
  const auto found = api_def_map->defs.find(std::string(name, name_len));
  return found == api_def_map->defs.end() ? nullptr : ToBuffer(found->second, status);
}
