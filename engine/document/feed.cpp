#include "engine/document/feed.h"

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/document/value_text.h"
#include "engine/framework/attr_value_util.h"
#include "engine/io/npy.h"

namespace opscope {
namespace {

/// "(2, 3)", "(3,)", "(?, 3)" as Python writes tuples.
template <typename Dims>
std::string Tuple(const Dims& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? ", " : "") + (dims[i] < 0 ? std::string("?") : std::to_string(dims[i]));
  return text + (dims.size() == 1 ? ",)" : ")");
}

StatusOr<Tensor> ReadCsv(const std::string& path) {
  OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  std::vector<float> values;
  size_t columns = 0;
  int64_t rows = 0;
  int64_t number = 0;
  for (const std::string& raw : Split(bytes, '\n')) {
    ++number;
    const std::string line = raw.ends_with('\r') ? raw.substr(0, raw.size() - 1) : raw;
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    const std::vector<std::string> cells = Split(line, ',');
    std::vector<float> row;
    for (const std::string& cell : cells) {
      const size_t begin = cell.find_first_not_of(" \t\"");
      const size_t end = cell.find_last_not_of(" \t\"");
      double value = 0;
      if (begin == std::string::npos || !ParseDouble(cell.substr(begin, end - begin + 1), &value)) break;
      row.push_back(static_cast<float>(value));
    }
    // A first line of words is a heading.
    if (row.size() != cells.size() && rows == 0 && row.empty()) continue;
    if (row.size() != cells.size()) return errors::InvalidArgument(path, ": line ", number, " holds something that is no number");
    if (rows > 0 && row.size() != columns)
      return errors::InvalidArgument(path, ": line ", number, " has ", row.size(), " numbers, expected ", columns);
    columns = row.size();
    ++rows;
    values.insert(values.end(), row.begin(), row.end());
  }
  if (rows == 0) return errors::InvalidArgument(path, ": no numbers in it");
  OS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(DT_FLOAT, TensorShape({rows, static_cast<int64_t>(columns)})));
  std::copy(values.begin(), values.end(), tensor.flat<float>().begin());
  return tensor;
}

/// A file's rows where one row, or one column, is what is declared.
Tensor FoldTo(const Tensor& tensor, const PartialTensorShape& declared) {
  if (declared.unknown_rank() || declared.IsCompatibleWith(tensor.shape())) return tensor;
  std::vector<TensorShape> shapes;
  if (tensor.dims() == 2 && (tensor.dim_size(0) == 1 || tensor.dim_size(1) == 1)) shapes.push_back(TensorShape({tensor.NumElements()}));
  if (tensor.NumElements() == 1) shapes.push_back(TensorShape());
  for (const TensorShape& shape : shapes) {
    if (!declared.IsCompatibleWith(shape)) continue;
    if (StatusOr<Tensor> folded = tensor.Reshaped(shape); folded.ok()) return *std::move(folded);
  }
  return tensor;
}

}  // namespace

PartialTensorShape DeclaredShape(const tensorflow::NodeDef& node) {
  PartialTensorShape shape;
  if (node.op() != "Placeholder" && node.op() != "PlaceholderV2" && node.op() != "PlaceholderWithDefault") return shape;
  if (const tensorflow::AttrValue* value = FindAttr(node, "shape"); value != nullptr) {
    // Old graphs write a scalar shape where they know nothing.
    if (node.op() == "Placeholder" && value->shape().dim_size() == 0 && !value->shape().unknown_rank()) {
      return shape;
    }
    if (StatusOr<PartialTensorShape> declared = PartialTensorShape::FromProto(value->shape()); declared.ok()) shape = *declared;
  }
  return shape;
}

DataType DeclaredType(const tensorflow::NodeDef& node) {
  for (const char* name : {"dtype", "T"}) {
    const tensorflow::AttrValue* value = FindAttr(node, name);
    if (value != nullptr && value->value_case() == tensorflow::AttrValue::kType) return static_cast<DataType>(value->type());
  }
  return DT_INVALID;
}

Status CheckFedShape(const TensorShape& shape, const PartialTensorShape& declared, std::string_view tensor) {
  if (declared.IsCompatibleWith(shape)) return Status::OK();
  Status status = errors::InvalidArgument("Cannot feed value of shape ", Tuple(shape.dim_sizes()), " for Tensor ", tensor,
                                          ", which has shape ", Tuple(declared.dim_sizes()));
  status.AddNode(std::string(tensor.substr(0, tensor.rfind(':'))));
  return status;
}

std::string FeedFile(std::string_view text) {
  if (text.starts_with("\"@") && text.ends_with('"')) text = text.substr(1, text.size() - 2);
  return text.starts_with('@') ? std::string(text.substr(1)) : std::string();
}

StatusOr<Tensor> ConvertFeed(const Tensor& tensor, DataType dtype) {
  if (dtype == DT_INVALID || tensor.dtype() == dtype) return tensor;
  if (tensor.NumElements() == 0) return Tensor::Make(dtype, tensor.shape());
  return ParseTensorText(TensorToText(tensor, INT64_MAX), dtype, PartialTensorShape(tensor.shape()));
}

StatusOr<Tensor> ParseFeed(std::string_view text, std::string_view tensor, const tensorflow::NodeDef& node) {
  const DataType dtype = DeclaredType(node);
  const PartialTensorShape declared = DeclaredShape(node);
  const auto at_node = [&](Status status) {
    if (!status.ok() && status.nodes().empty()) status.AddNode(node.name());
    return status;
  };
  StatusOr<Tensor> value = Tensor();
  if (const std::string file = FeedFile(text); !file.empty()) {
    std::string lower = file;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (lower.ends_with(".npy")) {
      value = ReadNpy(file);
    } else if (lower.ends_with(".csv")) {
      value = ReadCsv(file);
    } else {
      return at_node(errors::Unimplemented(file, ": values are read from .npy and .csv files"));
    }
    if (value.ok()) value = ConvertFeed(FoldTo(*value, declared), dtype);
  } else {
    value = ParseTensorText(text, dtype == DT_INVALID ? std::nullopt : std::optional<DataType>(dtype));
  }
  if (!value.ok()) return at_node(value.status().Prepend(StrCat("value for ", tensor, ": ")));
  OS_RETURN_IF_ERROR(CheckFedShape(value->shape(), declared, tensor));
  return value;
}

}  // namespace opscope
