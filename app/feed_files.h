#pragma once
// Files as values to feed.

#include <QString>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"

namespace opscope::ui {

/// The feed's text (run_config.h) for a file: "@file.npy" for .npy, the numbers of a .csv as JSON, the pixels of a picture
/// as JSON in the placeholder's shape: [height, width], [height, width, channels] or [1, height, width, channels], scaled
/// where height and width are fixed; values 0 to 255. INVALID_ARGUMENT and NOT_FOUND name the file.
StatusOr<QString> feedTextOfFile(const QString& path, DataType dtype, const PartialTensorShape& shape);

/// The parts.
StatusOr<QString> feedTextOfCsv(const QByteArray& bytes, const PartialTensorShape& shape);

}  // namespace opscope::ui
