#pragma once
// Small graphs, as bytes and as a loop, and their import, for the tests of the C API.

#include <string>

#include "tests/engine/c_api/c_graph.h"

inline std::string Serialized(TF_Graph* graph) {
  CStatus s;
  TF_Buffer* buffer = TF_NewBuffer();
  TF_GraphToGraphDef(graph, buffer, s);
  std::string bytes(static_cast<const char*>(buffer->data), buffer->length);
  TF_DeleteBuffer(buffer);
  return bytes;
}

// "a" and "b" with "sum" of both.
inline std::string SmallGraph() {
  CGraph g;
  const TF_Output a = g.Placeholder("a");
  const TF_Output b = g.Constant("b", 1.0F, TF_FLOAT);
  g.Add("AddV2", "sum", {a, b});
  return Serialized(g);
}

class Importer {
 public:
  Importer() : options_(TF_NewImportGraphDefOptions()) {}
  ~Importer() {
    TF_DeleteImportGraphDefResults(results_);
    TF_DeleteImportGraphDefOptions(options_);
  }
  operator TF_ImportGraphDefOptions*() const {
    return options_;
  }  // NOLINT(google-explicit-constructor)
  void Run(TF_Graph* graph, const std::string& bytes) {
    TF_Buffer* buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
    TF_DeleteImportGraphDefResults(results_);
    results_ = TF_GraphImportGraphDefWithResults(graph, buffer, options_, status);
    TF_DeleteBuffer(buffer);
  }
  TF_ImportGraphDefResults* results() const { return results_; }
  CStatus status;

 private:
  TF_ImportGraphDefOptions* options_;
  TF_ImportGraphDefResults* results_ = nullptr;
};

inline TF_Operation* Find(TF_Graph* graph, const char* name) {
  return TF_GraphOperationByName(graph, name);
}

// while (i < limit) { i = i + 1; x = x + x }
inline TF_WhileParams StartLoop(CGraph& g, TF_Output* inputs) {
  TF_WhileParams params = TF_NewWhile(g, inputs, 2, g.status());
  if (!g.status().ok()) return params;
  const auto constant = [&](TF_Graph* graph, const char* name, int32_t value) -> TF_Output {
    TF_Tensor* tensor = CGraph::Scalar(value, TF_INT32);
    TF_OperationDescription* desc = TF_NewOperation(graph, "Const", name);
    TF_SetAttrType(desc, "dtype", TF_INT32);
    TF_SetAttrTensor(desc, "value", tensor, g.status());
    TF_DeleteTensor(tensor);
    return {TF_FinishOperation(desc, g.status()), 0};
  };
  const auto binary = [&](TF_Graph* graph, const char* op, const char* name, TF_Output a,
                          TF_Output b) -> TF_Output {
    TF_OperationDescription* desc = TF_NewOperation(graph, op, name);
    TF_AddInput(desc, a);
    TF_AddInput(desc, b);
    return {TF_FinishOperation(desc, g.status()), 0};
  };
  params.cond_output = binary(params.cond_graph, "Less", "less", params.cond_inputs[0],
                              constant(params.cond_graph, "limit", 5));
  params.body_outputs[0] = binary(params.body_graph, "AddV2", "inc", params.body_inputs[0],
                                  constant(params.body_graph, "one", 1));
  params.body_outputs[1] =
      binary(params.body_graph, "AddV2", "double", params.body_inputs[1], params.body_inputs[1]);
  params.name = "loop";
  return params;
}
