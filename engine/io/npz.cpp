// .npz archives: several arrays in one zip, with OpScope's rules for strings and bfloat16.

#include <zlib.h>

#include <map>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/io/npy.h"
#include "engine/io/zip_reader.h"

namespace opscope {
namespace {

constexpr uint64_t kMaxEntryBytes = uint64_t{2} << 30;
constexpr uint64_t kMaxTotalBytes = uint64_t{8} << 30;

void Put16(uint16_t v, std::string* out) { out->append({static_cast<char>(v & 0xFF), static_cast<char>(v >> 8)}); }
void Put32(uint32_t v, std::string* out) {
  Put16(static_cast<uint16_t>(v & 0xFFFF), out);
  Put16(static_cast<uint16_t>(v >> 16), out);
}

// Writes a zip of stored entries, as numpy.savez does. Files of 4 GiB and more are refused before they are built.
class ZipWriter {
 public:
  Status Add(const std::string& name, std::string_view content) {
    if (out_.size() + content.size() + directory_.size() > 0xF0000000u || count_ == 0xFFFE) {
      return errors::ResourceExhausted("a .npz of 4 GiB or more");
    }
    const auto crc = static_cast<uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const auto offset = static_cast<uint32_t>(out_.size());
    Put32(0x04034b50, &out_);
    PutFields(name, content.size(), crc, &out_);
    out_ += name;
    out_ += content;
    Put32(0x02014b50, &directory_);
    Put16(20, &directory_);
    PutFields(name, content.size(), crc, &directory_);
    for (int i = 0; i < 3; ++i) Put16(0, &directory_);  // comment, disk, internal attributes
    Put32(0, &directory_);
    Put32(offset, &directory_);
    directory_ += name;
    ++count_;
    return Status::OK();
  }

  std::string Finish() && {
    const auto offset = static_cast<uint32_t>(out_.size());
    out_ += directory_;
    Put32(0x06054b50, &out_);
    Put32(0, &out_);
    Put16(count_, &out_);
    Put16(count_, &out_);
    Put32(static_cast<uint32_t>(directory_.size()), &out_);
    Put32(offset, &out_);
    Put16(0, &out_);
    return std::move(out_);
  }

 private:
  static void PutFields(const std::string& name, size_t size, uint32_t crc, std::string* out) {
    Put16(20, out);      // version needed
    Put16(0x800, out);   // names are UTF-8
    Put16(0, out);       // stored
    Put32(0x00210000, out);  // 1980-01-01, so that equal tensors give equal files
    Put32(crc, out);
    Put32(static_cast<uint32_t>(size), out);
    Put32(static_cast<uint32_t>(size), out);
    Put16(static_cast<uint16_t>(name.size()), out);
    Put16(0, out);
  }

  std::string out_, directory_;
  uint16_t count_ = 0;
};

StatusOr<Tensor> JoinStrings(const Tensor& lens, const Tensor& bytes, const std::string& key) {
  if (lens.dtype() != DT_INT64 || bytes.dtype() != DT_UINT8) {
    return errors::InvalidArgument("'", key, "/lens' must be int64 and '", key, "/bytes' uint8");
  }
  OS_ASSIGN_OR_RETURN(Tensor strings, Tensor::Make(DT_STRING, lens.shape()));
  std::string_view rest = bytes.tensor_data();
  auto out = strings.flat<tstring>();
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t length = lens.flat<int64_t>()[i];
    if (length < 0 || static_cast<uint64_t>(length) > rest.size()) {
      return errors::InvalidArgument("'", key, "/lens' adds up to more than '", key, "/bytes' holds");
    }
    out[i] = rest.substr(0, static_cast<size_t>(length));
    rest.remove_prefix(static_cast<size_t>(length));
  }
  return strings;
}

// Turns NAME/lens + NAME/bytes and NAME/bfloat16 into the tensors that they stand for.
StatusOr<NamedTensorList> JoinParts(NamedTensorList parts) {
  std::map<std::string, const Tensor*> by_key;
  for (const auto& [key, tensor] : parts) by_key[key] = &tensor;
  NamedTensorList joined;
  for (const auto& [key, tensor] : parts) {
    const size_t slash = key.rfind('/');
    const std::string base = key.substr(0, slash);
    const std::string suffix = slash == std::string::npos ? "" : key.substr(slash + 1);
    if (suffix == "bytes" && by_key.count(base + "/lens")) continue;
    if (suffix == "lens" && by_key.count(base + "/bytes")) {
      OS_ASSIGN_OR_RETURN(Tensor strings, JoinStrings(tensor, *by_key[base + "/bytes"], base));
      joined.emplace_back(base, std::move(strings));
    } else if (suffix == "bfloat16" && tensor.dtype() == DT_UINT16) {
      joined.emplace_back(base, Tensor(DT_BFLOAT16, tensor.shape(), tensor.buffer()));
    } else {
      joined.emplace_back(key, tensor);
    }
  }
  return joined;
}

StatusOr<NamedTensorList> ReadParts(std::string_view bytes) {
  OS_ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries, ReadZipDirectory(bytes));
  NamedTensorList parts;
  uint64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (!entry.name.ends_with(".npy")) continue;
    if (entry.size > kMaxTotalBytes - total) return errors::ResourceExhausted("the arrays have more than 8 GiB");
    total += entry.size;
    OS_ASSIGN_OR_RETURN(const std::string content, ReadZipEntry(bytes, entry, kMaxEntryBytes));
    OS_ASSIGN_OR_RETURN(Tensor tensor, ParseNpy(content, Printable(entry.name, 100)));
    parts.emplace_back(entry.name.substr(0, entry.name.size() - 4), std::move(tensor));
  }
  return parts;
}

Status AddStrings(const std::string& name, const Tensor& tensor, ZipWriter* zip) {
  OS_ASSIGN_OR_RETURN(Tensor lens, Tensor::Make(DT_INT64, tensor.shape()));
  std::string all;
  for (size_t i = 0; i < static_cast<size_t>(tensor.NumElements()); ++i) {
    lens.flat<int64_t>()[i] = static_cast<int64_t>(tensor.flat<tstring>()[i].size());
    all += tensor.flat<tstring>()[i];
  }
  OS_ASSIGN_OR_RETURN(Tensor bytes, Tensor::Make(DT_UINT8, TensorShape({static_cast<int64_t>(all.size())})));
  std::copy(all.begin(), all.end(), bytes.flat<uint8_t>().begin());
  OS_ASSIGN_OR_RETURN(const std::string lens_npy, FormatNpy(lens));
  OS_ASSIGN_OR_RETURN(const std::string bytes_npy, FormatNpy(bytes));
  OS_RETURN_IF_ERROR(zip->Add(name + "/lens.npy", lens_npy));
  return zip->Add(name + "/bytes.npy", bytes_npy);
}

}  // namespace

StatusOr<NamedTensorList> ReadNpz(const std::string& path) {
  OS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  auto parts = ReadParts(bytes);
  if (!parts.ok()) return parts.status().Prepend(path + ": ");
  auto joined = JoinParts(std::move(parts).value());
  if (!joined.ok()) return joined.status().Prepend(path + ": ");
  return joined;
}

Status WriteNpz(const std::string& path, const NamedTensorList& tensors) {
  ZipWriter zip;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.dtype() == DT_STRING) {
      OS_RETURN_IF_ERROR(AddStrings(name, tensor, &zip));
      continue;
    }
    OS_ASSIGN_OR_RETURN(const std::string npy, FormatNpy(tensor));
    OS_RETURN_IF_ERROR(zip.Add(name + (tensor.dtype() == DT_BFLOAT16 ? "/bfloat16.npy" : ".npy"), npy));
  }
  return WriteFileAtomic(path, std::move(zip).Finish());
}

}  // namespace opscope
