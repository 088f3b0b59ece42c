#pragma once
// NodeBuilder: one node, input by input, as the C API's TF_OperationDescription makes it.

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/graph/op_lookup.h"

#include <string>
#include <string_view>
#include <vector>

namespace opscope {

/// Collects what a node is to have. Types and numbers that the op's inputs tell need not be given:
/// they become attributes. Faults are kept and told by Finalize, in TensorFlow's words; nothing
/// here fails at once. Ownership: borrows the op definition.
class NodeBuilder {
 public:
  /// One tensor that an input takes.
  struct Source {
    std::string node;
    int output = 0;
    DataType dtype = DT_INVALID;
  };

  /// Without such an op Finalize fails.
  NodeBuilder(std::string_view name, std::string_view op, const OpLookup& ops);

  const std::string& name() const { return def_.name(); }
  void set_device(std::string_view device) { def_.set_device(std::string(device)); }
  /// A tensor for the next input of the op.
  void Input(const Source& source);
  /// Tensors for the next input of the op, which is to be a list.
  void InputList(const std::vector<Source>& sources);
  /// Instead of an input that there is no tensor for.
  void AddError(std::string message) { source_errors_.push_back(std::move(message)); }
  void ControlInput(std::string_view node);
  /// An attribute that is there already must be equal.
  void Attr(std::string_view name, AttrValue value);
  /// The name of the op, "" where there is none.
  std::string_view op() const { return op_ ? std::string_view(op_->name()) : std::string_view(); }
  const OpDef* op_def() const { return op_; }

  /// The node with all defaults; INVALID_ARGUMENT with every fault. What ValidateNodeDef and
  /// CheckOpDeprecation (with the graph's producer) find is told too.
  StatusOr<NodeDef> Finalize(int producer) const;

 private:
  const OpDef::ArgDef* NextArg();
  void AddInput(const Source& source);
  void CheckType(const OpDef::ArgDef& arg, DataType expected, DataType actual);
  void CheckRef(const OpDef::ArgDef& arg, DataType actual);
  void NumberedList(const OpDef::ArgDef& arg, const std::vector<Source>& sources);
  Status Failure() const;

  const OpDef* op_ = nullptr;
  NodeDef def_;
  int inputs_given_ = 0;
  std::vector<std::string> control_inputs_;
  std::vector<std::string> errors_;
  std::vector<std::string> source_errors_;
};

}  // namespace opscope
