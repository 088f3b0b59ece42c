#pragma once
// Reading the arguments of a script line.

#include <optional>

#include <QJsonObject>
#include <QJsonValue>
#include <QString>
#include <QStringList>

#include "engine/base/ids.h"
#include "engine/base/status.h"
#include "engine/diagram/geometry.h"
#include "engine/document/edit_builder.h"

namespace opscope::ui {

class DocumentController;

/// INVALID_ARGUMENT naming the key when it is missing or of another type.
StatusOr<QString> requireString(const QJsonObject& args, const char* key);
QString optionalString(const QJsonObject& args, const char* key, const QString& fallback = QString());
/// A list of strings, or one string; empty when the key is missing.
StatusOr<QStringList> stringList(const QJsonObject& args, const char* key);
/// [x, y].
StatusOr<std::optional<Point>> optionalPoint(const QJsonObject& args, const char* key);
/// Any value as JSON text: what value_text.h reads.
QString jsonText(const QJsonValue& value);

/// NOT_FOUND "There is no node 'x' in the document".
StatusOr<NodeId> findNode(const DocumentController& document, const QString& name);
StatusOr<std::vector<NodeId>> findNodes(const DocumentController& document, const QStringList& names);
/// "a:0" or "a".
StatusOr<OutputRef> findOutput(const DocumentController& document, const QString& tensor);

}  // namespace opscope::ui

/// In functions that give an ActionResult: the value of a StatusOr, or the answer that says why there is none.
#define OS_ASSIGN_OR_RESULT(variable, expression)                                      \
  auto variable##OrError = (expression);                                               \
  if (!variable##OrError.ok()) return ActionResult::error(variable##OrError.status()); \
  auto variable = std::move(variable##OrError).value()
