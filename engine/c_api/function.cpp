#include "engine/c_api/function_builder.h"
#include "engine/graph/graph_constructor.h"

#include <algorithm>

using namespace opscope;
using namespace opscope::capi;

namespace {

Status CopyFunction(TF_Graph* graph, const TF_Function* func, const TF_Function* grad) {
  if (func == nullptr)
    return errors::InvalidArgument("'func' argument to TF_GraphCopyFunction cannot be null");
  FunctionDefLibrary more;
  *more.add_function() = func->def;
  if (grad != nullptr) {
    *more.add_function() = grad->def;
    auto* const gradient = more.add_gradient();
    gradient->set_function_name(func->def.signature().name());
    gradient->set_gradient_func(grad->def.signature().name());
  }
  FunctionDefLibrary library = graph->graph.library();
  OS_RETURN_IF_ERROR(MergeLibraries(std::move(more), &library));
  graph->graph.set_library(std::move(library));
  ++graph->changes;
  return Status::OK();
}

}  // namespace

TF_Function* TF_GraphToFunction(const TF_Graph* fn_body, const char* fn_name,
                                unsigned char append_hash_to_fn_name, int num_opers,
                                const TF_Operation* const* opers, int ninputs,
                                const TF_Output* inputs, int noutputs, const TF_Output* outputs,
                                const char* const* output_names, const TF_FunctionOptions* opts,
                                const char* description, TF_Status* status) {
  return TF_GraphToFunctionWithControlOutputs(
      fn_body, fn_name, append_hash_to_fn_name, num_opers, opers, ninputs, inputs, noutputs,
      outputs, output_names, 0, nullptr, nullptr, opts, description, status);
}

TF_Function* TF_GraphToFunctionWithControlOutputs(
    const TF_Graph* fn_body, const char* fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation* const* opers, int ninputs, const TF_Output* inputs,
    int noutputs, const TF_Output* outputs, const char* const* output_names, int ncontrol_outputs,
    const TF_Operation* const* control_outputs, const char* const* control_output_names,
    const TF_FunctionOptions*, const char* description, TF_Status* status) {
  SetOk(status);
  if (fn_body == nullptr)
    return SetStatus(errors::InvalidArgument("No graph was passed."), status), nullptr;
  FunctionParts parts;
  parts.name = Text(fn_name);
  parts.append_hash = append_hash_to_fn_name != 0;
  parts.all_opers = num_opers == -1;
  parts.description = Text(description);
  for (int i = 0; i < num_opers; ++i) parts.opers.push_back(opers[i]);
  for (int i = 0; i < ninputs; ++i) parts.inputs.push_back(inputs[i]);
  for (int i = 0; i < noutputs; ++i) {
    parts.outputs.push_back(outputs[i]);
    if (output_names != nullptr) parts.output_names.emplace_back(Text(output_names[i]));
  }
  for (int i = 0; i < ncontrol_outputs; ++i) {
    parts.control_outputs.push_back(control_outputs[i]);
    if (control_output_names != nullptr)
      parts.control_output_names.emplace_back(Text(control_output_names[i]));
  }
  // The graph is only read; its lock isn't part of what the caller sees.
  std::lock_guard lock(const_cast<TF_Graph*>(fn_body)->mutex);
  StatusOr<FunctionDef> def = BuildFunction(*fn_body, parts);
  if (def.ok()) return new TF_Function{std::move(def).value()};
  SetStatus(def.status(), status);
  return nullptr;
}

const char* TF_FunctionName(TF_Function* func) {
  return func ? func->def.signature().name().c_str() : "";
}

void TF_FunctionToFunctionDef(TF_Function* func, TF_Buffer* output_func_def, TF_Status* status) {
  SetStatus(func ? MessageToBuffer(func->def, output_func_def)
                 : errors::InvalidArgument("No function was passed."),
            status);
}

TF_Function* TF_FunctionImportFunctionDef(const void* proto, size_t proto_len, TF_Status* status) {
  auto function = std::make_unique<TF_Function>();
  Status parsed = ParseBytes(proto, proto_len, "FunctionDef", &function->def);
  if (!parsed.ok())
    parsed = errors::InvalidArgument("Invalid FunctionDef given to TF_FunctionImportFunctionDef");
  SetStatus(parsed, status);
  return parsed.ok() ? function.release() : nullptr;
}

void TF_FunctionSetAttrValueProto(TF_Function* func, const char* attr_name, const void* proto,
                                  size_t proto_len, TF_Status* status) {
  if (func == nullptr) return SetStatus(errors::InvalidArgument("No function was passed."), status);
  AttrValue value;
  Status parsed = ParseBytes(proto, proto_len, "AttrValue proto", &value);
  if (!parsed.ok())
    parsed = errors::InvalidArgument(
        "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
  SetStatus(parsed, status);
  if (parsed.ok()) (*func->def.mutable_attr())[std::string(Text(attr_name))] = std::move(value);
}

void TF_FunctionGetAttrValueProto(TF_Function* func, const char* attr_name,
                                  TF_Buffer* output_attr_value, TF_Status* status) {
  if (func == nullptr) return SetStatus(errors::InvalidArgument("No function was passed."), status);
  const auto found = func->def.attr().find(std::string(Text(attr_name)));
  if (found == func->def.attr().end()) {
    return SetStatus(errors::InvalidArgument("Function '", func->def.signature().name(),
                                             "' has no attr named '", Text(attr_name), "'."),
                     status);
  }
  SetStatus(MessageToBuffer(found->second, output_attr_value), status);
}

void TF_DeleteFunction(TF_Function* func) { delete func; }

void TF_GraphCopyFunction(TF_Graph* g, const TF_Function* func, const TF_Function* grad,
                          TF_Status* status) {
  if (g == nullptr) return SetStatus(errors::InvalidArgument("No graph was passed."), status);
  std::lock_guard lock(g->mutex);
  SetStatus(CopyFunction(g, func, grad), status);
}

int TF_GraphNumFunctions(TF_Graph* g) {
  if (g == nullptr) return 0;
  std::lock_guard lock(g->mutex);
  return g->graph.library().function_size();
}

int TF_GraphGetFunctions(TF_Graph* g, TF_Function** funcs, int max_func, TF_Status* status) {
  SetOk(status);
  if (g == nullptr) return 0;
  std::lock_guard lock(g->mutex);
  const int count = std::min(max_func, g->graph.library().function_size());
  for (int i = 0; i < count; ++i) funcs[i] = new TF_Function{g->graph.library().function(i)};
  return std::max(0, count);
}
