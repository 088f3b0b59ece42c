#pragma once
// What can be said about a tensor in a few words.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/framework/tensor.h"

namespace opscope {

/// Value type. Numbers are over the finite elements; complex, string and resource tensors have none.
struct TensorSummary {
  DataType dtype = DT_INVALID;       ///< DT_INVALID: there is no value (a dead output).
  std::optional<TensorShape> shape;  ///< Absent when unknown (a remote run).
  int64_t bytes = 0;
  bool has_numbers = false;          ///< min, max and mean are set.
  double min = 0, max = 0, mean = 0;
  int64_t nan_count = 0, inf_count = 0;
  std::vector<std::string> first;    ///< The first elements as text.

  bool healthy() const { return nan_count == 0 && inf_count == 0; }
};

/// Cost: one pass over the elements.
TensorSummary Summarize(const Tensor& tensor, int first_values = 8);

/// "3.75", "[1 2 3 …]", "float32 [512,512]": for a node's face, at most `max_chars` characters.
std::string ShortValueText(const Tensor& tensor, size_t max_chars = 24);

}  // namespace opscope
