#pragma once
// Builds the graph of a case of shape_inference.json, with the names that TensorFlow's Python front end gave.

#include <map>
#include <string>

#include "engine/framework/op_registry.h"
#include "engine/proto/graph.pb.h"

#include <QJsonArray>
#include <QJsonObject>

namespace opscope {

/// The graph of one case; its node under test is named as its op.
class GoldenGraph {
 public:
  /// What is wrong with the case, or "".
  std::string Build(const QJsonObject& golden);
  const GraphDef& graph() const { return graph_; }
  const std::string& node() const { return node_; }

 private:
  NodeDef* Add(const std::string& op);
  std::string AddInput(const QJsonObject& input);
  std::string AddSource(const std::string& op, const QJsonObject& input, const QString& type_key);
  std::string AddPack(const QJsonArray& scalars);
  std::string AddShapeOf(const QJsonValue& shape);
  void InferAttrs(const OpDef& op, const QJsonArray& inputs, NodeDef* node);

  GraphDef graph_;
  std::string node_;
  std::map<std::string, int> names_;
  std::map<std::string, DataType> types_;  ///< Of the first output of each input node.
};

}  // namespace opscope
