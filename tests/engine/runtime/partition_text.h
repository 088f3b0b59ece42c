#pragma once
// Partitions told without the names that partitioning makes up, so that those of two programs can be compared: a made-up node
// is written as what it computes, a receiving node as what the matching one sends.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace opscope::testing {

struct PartNode {
  std::string name, op, device;
  std::vector<std::string> inputs;
  std::string tensor_name, send_device, recv_device;
};

class PartitionText {
 public:
  PartitionText(std::vector<PartNode> nodes, std::set<std::string> user) : nodes_(std::move(nodes)), user_(std::move(user)) {
    for (const PartNode& node : nodes_) {
      by_name_[node.name] = &node;
      if (Op(node) == "_Send") sends_[{node.tensor_name, node.send_device, node.recv_device}] = &node;
    }
  }

  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const PartNode& node : nodes_) {
      const std::string name = user_.contains(node.name) ? node.name + " = " : "";
      lines.push_back(node.device + " " + name + Expression(node, {}));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  static std::string Op(const PartNode& node) {
    return node.op.starts_with("_Host") ? "_" + node.op.substr(5) : node.op;
  }

  std::string Source(const std::string& input, const std::set<std::string>& seen) const {
    const bool control = input.starts_with('^');
    std::string name = control ? input.substr(1) : input, port;
    if (const size_t colon = name.find(':'); colon != std::string::npos) {
      port = name.substr(colon);
      name.resize(colon);
    }
    const auto found = by_name_.find(name);
    const bool is_known = found == by_name_.end() || (user_.contains(name) && Op(*found->second) != "_Recv");
    return (control ? "^" : "") + (is_known ? name : Expression(*found->second, seen)) + (port == ":0" ? "" : port);
  }

  std::string Expression(const PartNode& node, std::set<std::string> seen) const {
    if (!seen.insert(node.name).second) return "loop(" + node.op + ")";
    if (Op(node) == "_Recv") {
      const auto send = sends_.find({node.tensor_name, node.send_device, node.recv_device});
      const std::string what = send == sends_.end() ? "no matching send" : Source(send->second->inputs[0], seen);
      return "recv[" + node.send_device + " -> " + node.recv_device + "](" + what + ")";
    }
    std::vector<std::string> data, controls;
    for (const std::string& input : node.inputs) (input.starts_with('^') ? controls : data).push_back(Source(input, seen));
    std::sort(controls.begin(), controls.end());
    data.insert(data.end(), controls.begin(), controls.end());
    std::string text = Op(node) + "(";
    for (const std::string& source : data) text += source + ", ";
    return text + ")";
  }

  const std::vector<PartNode> nodes_;
  const std::set<std::string> user_;
  std::map<std::string, const PartNode*> by_name_;
  std::map<std::tuple<std::string, std::string, std::string>, const PartNode*> sends_;
};

}  // namespace opscope::testing
