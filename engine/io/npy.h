#pragma once
// NumPy's files: .npy (format versions 1 to 3) and .npz (stored or deflated), as tensors.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/framework/tensor.h"

namespace opscope {

using NamedTensorList = std::vector<std::pair<std::string, Tensor>>;

/// `bytes` of a .npy file. Any byte order and Fortran order are converted; `S` and `U` arrays become strings.
/// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for types that no tensor has. Nothing is allocated before the
/// file's own size vouches for it. `name` is the file, for messages.
StatusOr<Tensor> ParseNpy(std::string_view bytes, std::string_view name);
StatusOr<Tensor> ReadNpy(const std::string& path);
/// Strings are written as an `S` array when none holds a zero byte at its end; bfloat16 as its uint16 bits.
StatusOr<std::string> FormatNpy(const Tensor& tensor);
Status WriteNpy(const std::string& path, const Tensor& tensor);

/// All arrays of a .npz by key, joined by OpScope's rules: `NAME/lens` with `NAME/bytes` is a string tensor,
/// `NAME/bfloat16` holds uint16 bits (interfaces.md, 2). DATA_LOSS for a bad checksum, RESOURCE_EXHAUSTED for an entry
/// that is larger than 2 GiB or expands more than its directory says.
StatusOr<NamedTensorList> ReadNpz(const std::string& path);
Status WriteNpz(const std::string& path, const NamedTensorList& tensors);

}  // namespace opscope
