#include "app/action_args.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "engine/graph/graph.h"
#include "widgets/controllers/document_controller.h"

namespace opscope::ui {

StatusOr<QString> requireString(const QJsonObject& args, const char* key) {
  const QJsonValue value = args.value(QLatin1String(key));
  if (value.isString()) return value.toString();
  return errors::InvalidArgument("\"", key, "\" is ", value.isUndefined() ? "missing" : "no string",
                                 "; expected {\"", key, "\":\"…\"}");
}

QString optionalString(const QJsonObject& args, const char* key, const QString& fallback) {
  return args.value(QLatin1String(key)).toString(fallback);
}

StatusOr<QStringList> stringList(const QJsonObject& args, const char* key) {
  const QJsonValue value = args.value(QLatin1String(key));
  if (value.isUndefined() || value.isNull()) return QStringList();
  if (value.isString()) return QStringList{value.toString()};
  QStringList list;
  for (const QJsonValue& item : value.toArray()) {
    if (!item.isString()) return errors::InvalidArgument("\"", key, "\" holds something that is no string");
    list << item.toString();
  }
  if (!value.isArray()) return errors::InvalidArgument("\"", key, "\" is no list of strings");
  return list;
}

StatusOr<std::optional<Point>> optionalPoint(const QJsonObject& args, const char* key) {
  const QJsonValue value = args.value(QLatin1String(key));
  if (value.isUndefined() || value.isNull()) return std::optional<Point>();
  const QJsonArray pair = value.toArray();
  if (pair.size() != 2 || !pair[0].isDouble() || !pair[1].isDouble()) {
    return errors::InvalidArgument("\"", key, "\" is no point; expected [x, y]");
  }
  return std::optional<Point>(Point{pair[0].toDouble(), pair[1].toDouble()});
}

QString jsonText(const QJsonValue& value) {
  // Qt writes whole documents only: an array of the one value without its brackets is the value.
  const QByteArray text = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
  return QString::fromUtf8(text.mid(1, text.size() - 2));
}

StatusOr<NodeId> findNode(const DocumentController& document, const QString& name) {
  const NodeId id = document.findNode(name);
  if (id.valid()) return id;
  return errors::NotFound("There is no node '", name.toStdString(), "' in the document");
}

StatusOr<std::vector<NodeId>> findNodes(const DocumentController& document, const QStringList& names) {
  std::vector<NodeId> ids;
  for (const QString& name : names) {
    const ItemId item = document.itemOf(name);
    if (!item.valid()) {
      return errors::NotFound("There is no node or scope '", name.toStdString(), "' in the document");
    }
    for (const NodeId id : document.nodesOf({item})) ids.push_back(id);
  }
  return ids;
}

StatusOr<OutputRef> findOutput(const DocumentController& document, const QString& tensor) {
  const std::string text = tensor.toStdString();
  const TensorId id = ParseTensorName(text);
  if (id.is_control()) return errors::InvalidArgument("'", text, "' is no output; expected \"node:0\"");
  const std::string_view node = id.node;
  OS_ASSIGN_OR_RETURN(const NodeId found,
                      findNode(document, QString::fromUtf8(node.data(), static_cast<qsizetype>(node.size()))));
  return OutputRef{found, id.index};
}

}  // namespace opscope::ui
