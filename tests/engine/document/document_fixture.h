#pragma once
// A document to edit in tests, with the op catalogue of the sources.

#include <string>
#include <vector>

#include <google/protobuf/text_format.h>

#include "engine/base/file.h"
#include "engine/document/edit_builder.h"

namespace opscope::test {

/// The catalogue, read from the sources: edits need definitions only.
inline const OpRegistry& Catalogue() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry;
    tensorflow::OpList list;
    const StatusOr<std::string> text = ReadFile(std::string(OPSCOPE_SOURCE_DIR) + "/engine/ops/ops.pbtxt");
    if (text.ok()) google::protobuf::TextFormat::ParseFromString(*text, &list);
    for (const tensorflow::OpDef& op : list.op()) {
      OpRegistrationData data;
      data.op_def = op;
      (void)ops->Register(std::move(data));
    }
    return ops;
  }();
  return *registry;
}

/// Edits with their history.
class EditedDocument {
 public:
  Document document;
  std::vector<Edit> inverses, redos;

  EditBuilder builder() const { return EditBuilder(document, Catalogue()); }
  NodeId id(std::string_view name) const { return document.graph().Find(name); }
  const tensorflow::NodeDef& def(std::string_view name) const { return document.graph().node(id(name)).def; }
  std::vector<std::string> inputs(std::string_view name) const { return {def(name).input().begin(), def(name).input().end()}; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    document.graph().ForEachNode([&](NodeId, const Node& node) { all.push_back(node.name()); });
    return all;
  }

  Status Do(StatusOr<Edit> edit) {
    if (!edit.ok()) return edit.status();
    StatusOr<Document::Applied> applied = document.Apply(*std::move(edit));
    if (!applied.ok()) return applied.status();
    inverses.push_back(std::move(applied->inverse));
    redos.push_back(std::move(applied->redo));
    return Status::OK();
  }
  Status Add(const std::string& op, const std::string& name, std::map<std::string, std::string> attr = {},
             std::optional<Point> at = std::nullopt) {
    AddOpRequest request;
    request.op = op;
    request.name = name;
    request.attr = std::move(attr);
    request.at = at;
    return Do(builder().AddOp(request));
  }
  Status Connect(std::string_view from, int output, std::string_view to, int input) {
    return Do(builder().Connect({id(from), output}, {id(to), input}));
  }
  /// Takes everything back; gives the redo history that was passed.
  Status UndoAll() {
    for (size_t i = inverses.size(); i-- > 0;) OS_RETURN_IF_ERROR(document.Apply(inverses[i]).status());
    return Status::OK();
  }
  Status RedoAll() {
    for (const Edit& edit : redos) OS_RETURN_IF_ERROR(document.Apply(edit).status());
    return Status::OK();
  }
  std::string bytes() const {
    std::string out;
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    document.graph().ToGraphDef().SerializeToCodedStream(&coded);
    coded.Trim();
    return out;
  }
};

/// The first `line` of a message.
inline std::string FirstLine(const Status& status) { return status.message().substr(0, status.message().find('\n')); }

}  // namespace opscope::test
