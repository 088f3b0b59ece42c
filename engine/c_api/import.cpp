// TF_GraphImportGraphDef and its options.
#include "engine/c_api/handles.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

OutputRef RefOf(const TF_Output& output) {
  return output.oper ? OutputRef{output.oper->id, output.index} : OutputRef{NodeId(), output.index};
}

StatusOr<std::unique_ptr<TF_ImportGraphDefResults>> Import(
    TF_Graph* graph, const TF_Buffer* bytes, const TF_ImportGraphDefOptions* options) {
  if (graph == nullptr) return errors::InvalidArgument("No graph was passed.");
  if (bytes == nullptr) return errors::InvalidArgument("No GraphDef was passed.");
  tensorflow::GraphDef def;
  if (!ParseBytes(bytes->data, bytes->length, "GraphDef", &def).ok())
    return errors::InvalidArgument("Invalid GraphDef");
  static const ImportOptions kDefaults;
  std::lock_guard lock(graph->mutex);
  OS_ASSIGN_OR_RETURN(const ImportResults imported,
                      ImportGraphDefInto(std::move(def), options ? options->options : kDefaults,
                                         OpRegistry::Global(), &graph->graph, &graph->refiner));
  graph->TakeNewNodes();
  auto results = std::make_unique<TF_ImportGraphDefResults>();
  for (const OutputRef& output : imported.return_outputs) {
    results->outputs.push_back({graph->Oper(output.node), output.index});
  }
  for (const NodeId id : imported.return_nodes) results->opers.push_back(graph->Oper(id));
  for (const auto& [name, index] : imported.missing_unused_inputs) {
    results->missing_names.push_back(results->names.emplace_back(name).c_str());
    results->missing_indexes.push_back(index);
  }
  return results;
}

}  // namespace

TF_ImportGraphDefOptions* TF_NewImportGraphDefOptions(void) { return new TF_ImportGraphDefOptions; }
void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions* opts) { delete opts; }

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions* opts, const char* prefix) {
  opts->options.prefix = Text(prefix);
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions* opts, const char* device) {
  opts->options.default_device = Text(device);
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions* opts,
                                              unsigned char uniquify_names) {
  opts->options.uniquify_names = uniquify_names != 0;
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions* opts,
                                               unsigned char uniquify_prefix) {
  opts->options.uniquify_prefix = uniquify_prefix != 0;
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions* opts, const char* src_name,
                                             int src_index, TF_Output dst) {
  opts->options.input_map[{std::string(Text(src_name)), src_index}] = RefOf(dst);
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions* opts,
                                                    const char* src_name, TF_Operation* dst) {
  opts->options.input_map[{std::string(Text(src_name)), TensorId::kControlSlot}] =
      RefOf({dst, TensorId::kControlSlot});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions* opts,
                                                  TF_Operation* oper) {
  if (oper != nullptr) opts->options.control_dependencies.push_back(oper->id);
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions* opts, const char* oper_name,
                                             int index) {
  opts->options.return_outputs.emplace_back(Text(oper_name), index);
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions* opts) {
  return static_cast<int>(opts->options.return_outputs.size());
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions* opts,
                                                const char* oper_name) {
  opts->options.return_nodes.emplace_back(Text(oper_name));
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions* opts) {
  return static_cast<int>(opts->options.return_nodes.size());
}

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults* results, int* num_outputs,
                                           TF_Output** outputs) {
  *num_outputs = static_cast<int>(results->outputs.size());
  *outputs = results->outputs.data();
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults* results, int* num_opers,
                                              TF_Operation*** opers) {
  *num_opers = static_cast<int>(results->opers.size());
  *opers = results->opers.data();
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults* results,
                                                        int* num_missing_unused_input_mappings,
                                                        const char*** src_names,
                                                        int** src_indexes) {
  *num_missing_unused_input_mappings = static_cast<int>(results->missing_names.size());
  *src_names = results->missing_names.data();
  *src_indexes = results->missing_indexes.data();
}

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults* results) { delete results; }

TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResults(TF_Graph* graph,
                                                            const TF_Buffer* graph_def,
                                                            const TF_ImportGraphDefOptions* options,
                                                            TF_Status* status) {
  auto results = Import(graph, graph_def, options);
  SetStatus(results.status(), status);
  return results.ok() ? results->release() : nullptr;
}

// "No serialization": the buffer holds a pointer to a C++ GraphDef of the library that made it,
// which is not ours.
TF_ImportGraphDefResults* TF_GraphImportGraphDefWithResultsNoSerialization(
    TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status* status) {
  SetUnimplemented(__func__, status);
  return nullptr;
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph* graph, const TF_Buffer* graph_def,
                                             const TF_ImportGraphDefOptions* options,
                                             TF_Output* return_outputs, int num_return_outputs,
                                             TF_Status* status) {
  if (options != nullptr &&
      num_return_outputs != TF_ImportGraphDefOptionsNumReturnOutputs(options)) {
    return SetStatus(errors::InvalidArgument("Expected 'num_return_outputs' to be ",
                                             TF_ImportGraphDefOptionsNumReturnOutputs(options),
                                             ", got ", num_return_outputs),
                     status);
  }
  if (num_return_outputs > 0 && return_outputs == nullptr) {
    return SetStatus(errors::InvalidArgument("'return_outputs' must be preallocated to length ",
                                             num_return_outputs),
                     status);
  }
  const auto results = Import(graph, graph_def, options);
  SetStatus(results.status(), status);
  if (!results.ok()) return;
  const auto& outputs = (*results)->outputs;
  std::copy_n(outputs.begin(),
              std::min(outputs.size(), static_cast<size_t>(std::max(0, num_return_outputs))),
              return_outputs);
}

void TF_GraphImportGraphDef(TF_Graph* graph, const TF_Buffer* graph_def,
                            const TF_ImportGraphDefOptions* options, TF_Status* status) {
  SetStatus(Import(graph, graph_def, options).status(), status);
}
