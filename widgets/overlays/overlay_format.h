#pragma once
// Figures as the canvas words them. Pure.

#include <cstdint>
#include <string_view>

#include <QString>

#include "engine/framework/tensor.h"
#include "engine/trace/run_trace.h"

namespace opscope::ui {

/// "/job:localhost/replica:0/task:0/device:CPU:0" → "CPU:0"; other forms as far as they can be shortened.
QString shortDevice(std::string_view device);
/// "2×3", "scalar".
QString shapeText(const TensorShape& shape);
/// "?×784" for float32, else "int64 ?×784"; dtype alone without a shape.
QString typeText(std::string_view dtype, const QString& shape);
/// A number with three to four significant digits and a real minus sign.
QString shortNumber(double value);
/// What stands on a node for a value: the value itself where it is short, else its mean; empty when neither says much.
/// Cost: one pass over at most a million elements.
QString valueText(const TraceOutput& output);
/// The value of a constant from its attribute: scalars and short vectors; empty for others.
QString constantText(const tensorflow::TensorProto& proto);
/// A fed value's JSON text, shortened.
QString feedText(std::string_view json);
QString bytesText(int64_t bytes);
QString durationText(int64_t ns);

}  // namespace opscope::ui
