#pragma once
// Small graphs for the tests of the diagram.

#include <initializer_list>
#include <string>
#include <vector>

#include <QStringList>

#include "engine/graph/graph.h"

namespace opscope {

struct TestNode {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;
};

inline Graph MakeGraph(const std::vector<TestNode>& nodes) {
  GraphDef def;
  for (const TestNode& n : nodes) {
    NodeDef* node = def.add_node();
    node->set_name(n.name);
    node->set_op(n.op);
    for (const std::string& input : n.inputs) node->add_input(input);
    (*node->mutable_attr())["T"].set_type(DT_FLOAT);
  }
  return Graph::FromGraphDef(std::move(def));
}

/// The graph of the cases cnv-collapse-*.
inline Graph CollapseCase() {
  return MakeGraph({{"x", "Const", {}},
                    {"s/p", "Neg", {"x"}},
                    {"s/q", "Neg", {"s/p"}},
                    {"s/t/r", "Neg", {"s/p"}},
                    {"y", "AddN", {"s/q", "s/t/r", "x"}}});
}

/// Names as Qt Test compares and prints them.
inline QStringList List(std::initializer_list<const char*> texts) {
  QStringList list;
  for (const char* text : texts) list << QString::fromUtf8(text);
  return list;
}

}  // namespace opscope
