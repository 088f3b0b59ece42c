#pragma once
// Reads the JSON forms of tensors, attributes and errors that the golden files use.

#include <QJsonObject>
#include <QString>

#include "engine/framework/attr_value_util.h"
#include "engine/framework/tensor.h"

namespace opscope::testing {

/// {"dtype":"DT_FLOAT","shape":[2],"b64":"…"} or, for strings, "s":["…"].
StatusOr<Tensor> ReadGoldenTensor(const QJsonObject& json);

/// {"T":{"type":"DT_FLOAT"},"axis":{"i":0}} into the attributes of `node`.
Status ReadGoldenAttrs(const QJsonObject& json, NodeDef* node);

/// The code by its name; kUnknown for none of ours.
Code ReadGoldenCode(const QString& name);

/// What differs between two tensors, "" when nothing does: |a-b| <= atol + rtol*|b|, NaN is NaN.
QString Difference(const Tensor& actual, const Tensor& expected, double rtol, double atol);

}  // namespace opscope::testing
