#pragma once
// Small graphs for tests, from text.

#include <google/protobuf/text_format.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/proto/graph.pb.h"
#include "engine/runtime/session.h"

namespace opscope::testing {

inline GraphDef ParseGraph(const std::string& text) {
  GraphDef graph;
  if (!google::protobuf::TextFormat::ParseFromString(text, &graph)) graph.mutable_versions()->set_producer(-1);
  return graph;
}

/// NodeDefs as text.
inline std::string FloatConst(const std::string& name, float value, const std::string& device = "") {
  return "node { name: '" + name + "' op: 'Const' device: '" + device +
         "' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
         "tensor_shape {} float_val: " +
         std::to_string(value) + " } } } }\n";
}
inline std::string FloatOp(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                           const std::string& device = "", const std::string& more = "") {
  std::string text = "node { name: '" + name + "' op: '" + op + "' device: '" + device + "' ";
  for (const auto& input : inputs) text += "input: '" + input + "' ";
  return text + "attr { key: 'T' value { type: DT_FLOAT } } " + more + " }\n";
}
inline std::string FloatPlaceholder(const std::string& name) {
  return "node { name: '" + name + "' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n";
}
inline std::string FloatVariable(const std::string& name, const std::string& device = "") {
  return "node { name: '" + name + "' op: 'VariableV2' device: '" + device +
         "' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape {} } } }\n";
}

inline std::unique_ptr<Session> MakeSession(const std::string& graph, const SessionOptions& options = {},
                                            Status* status = nullptr) {
  auto session = NewSession(options);
  Status created = session.ok() ? (*session)->Create(ParseGraph(graph)) : session.status();
  if (status) *status = created;
  if (!status && !created.ok()) std::fprintf(stderr, "%s\n", created.ToString().c_str());
  if (!created.ok()) return nullptr;
  return std::move(session).value();
}

/// The value of a scalar fetch; NaN when the run fails (then `status` tells).
inline float RunFloat(Session* session, const std::string& fetch, Status* status = nullptr,
                      const Session::NamedTensors& feeds = {}) {
  std::vector<Tensor> outputs;
  const Status result = session->Run(feeds, {fetch}, {}, &outputs);
  if (status) *status = result;
  return result.ok() ? outputs[0].flat<float>()[0] : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace opscope::testing
