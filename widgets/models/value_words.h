#pragma once
// Types, shapes, bytes and times in the few letters that panels have room for.

#include <cstdint>

#include <QString>

#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"

namespace opscope::ui {

/// "float32".
QString dtypeWord(DataType dtype);
/// "32×784", "?×10", "scalar"; "?" for an unknown rank.
QString shapeWord(const PartialTensorShape& shape);
QString shapeWord(const TensorShape& shape);
/// "0 B", "98.0 MiB".
QString bytesWord(int64_t bytes);
/// "0.09 ms", "1.28 s".
QString timeWord(int64_t ns);
/// "/job:localhost/replica:0/task:0/device:CPU:0" → "CPU:0".
QString deviceWord(const QString& device);
/// "1,212".
QString countWord(int64_t count);

}  // namespace opscope::ui
