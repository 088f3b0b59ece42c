// V2 checkpoints: a table that tells of each tensor where its bytes lie in the data files.

#include <limits>
#include <mutex>

#include "engine/base/crc32c.h"
#include "engine/base/varint.h"
#include "engine/io/checkpoint_reader.h"
#include "engine/io/table_reader.h"
#include "engine/proto/tensor_bundle.pb.h"

namespace opscope {
namespace {

/// More shards than anybody writes; bounds the names of files that an index can make us look for.
constexpr int kMaxShards = 100000;

class BundleReader final : public CheckpointReader {
 public:
  explicit BundleReader(std::string prefix) : prefix_(std::move(prefix)) {}

  Status Init() {
    OS_ASSIGN_OR_RETURN(const auto table, TableReader::Open(BundleIndexName(prefix_)));
    bool has_header = false;
    OS_RETURN_IF_ERROR(table->ForEach([&](std::string_view key, std::string_view value) {
      if (!key.empty()) return AddEntry(key, value);
      has_header = true;
      return ReadHeader(value);
    }));
    return has_header ? Status::OK() : Broken("it has no header");
  }

  const CheckpointTensor* Find(std::string_view name) const override {
    const auto found = entries_.find(name);
    return found == entries_.end() || found->second.is_part ? nullptr : &found->second.tensor;
  }

  std::vector<CheckpointTensor> List() const override {
    std::vector<CheckpointTensor> tensors;
    for (const auto& [name, entry] : entries_) {
      if (!entry.is_part) tensors.push_back(entry.tensor);
    }
    return tensors;
  }

  bool is_v2() const override { return true; }

 protected:
  StatusOr<std::vector<TensorSlice>> SlicesOf(const std::string& name) const override {
    const Entry& entry = entries_.find(name)->second;
    if (entry.proto.slices().empty()) return std::vector<TensorSlice>{TensorSlice(entry.tensor.shape.dims())};
    std::vector<TensorSlice> slices;
    for (const auto& proto : entry.proto.slices()) {
      auto slice = TensorSlice::FromProto(proto);
      if (!slice.ok()) return Broken(StrCat("tensor ", name, ": ", slice.status().message()));
      slices.push_back(std::move(slice).value());
    }
    return slices;
  }

  StatusOr<Tensor> ReadSlice(const CheckpointTensor& tensor, const TensorSlice& slice, Allocator* allocator) const override {
    const Entry* entry = &entries_.find(tensor.name)->second;
    if (!entry->proto.slices().empty()) {
      const auto part = entries_.find(EncodeTensorNameSlice(tensor.name, slice));
      OS_ASSIGN_OR_RETURN(const TensorShape shape, slice.ShapeIn(tensor.shape));
      if (part == entries_.end()) return Broken(StrCat("slice ", slice.ToString(), " of ", tensor.name, " is missing"));
      entry = &part->second;
      if (!(entry->tensor.shape == shape) || entry->tensor.dtype != tensor.dtype || !entry->proto.slices().empty()) {
        return Broken(StrCat("slice ", slice.ToString(), " of ", tensor.name, " has another shape or type"));
      }
    }
    auto value = ReadValue(*entry, allocator);
    return value.ok() ? value : value.status().Prepend(StrCat("tensor ", tensor.name, ": "));
  }

 private:
  struct Entry {
    CheckpointTensor tensor;
    tensorflow::BundleEntryProto proto;
    bool is_part = false;  ///< A slice of another tensor: its key isn't a name.
  };

  Status Broken(const std::string& what) const { return errors::DataLoss(BundleIndexName(prefix_), ": ", what); }

  Status ReadHeader(std::string_view value) {
    tensorflow::BundleHeaderProto header;
    if (!header.ParseFromArray(value.data(), static_cast<int>(value.size()))) return Broken("its header can't be parsed");
    if (header.num_shards() < 0 || header.num_shards() > kMaxShards) {
      return Broken(StrCat("it claims ", header.num_shards(), " data files"));
    }
    if (header.endianness() != tensorflow::BundleHeaderProto::LITTLE) {
      return errors::Unimplemented(BundleIndexName(prefix_), ": checkpoints of big-endian machines are not supported");
    }
    num_shards_ = header.num_shards();
    return Status::OK();
  }

  Status AddEntry(std::string_view key, std::string_view value) {
    Entry entry;
    if (value.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
        !entry.proto.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
      return Broken(StrCat("the entry of ", key, " can't be parsed"));
    }
    auto shape = TensorShape::FromProto(entry.proto.shape());
    if (!shape.ok()) return Broken(StrCat("tensor ", key, ": ", shape.status().message()));
    entry.tensor = {std::string(key), entry.proto.dtype(), std::move(shape).value()};
    entry.is_part = key[0] == '\0';
    entries_.emplace(std::string(key), std::move(entry));
    return Status::OK();
  }

  StatusOr<std::shared_ptr<const RandomAccessFile>> DataFile(int shard) const {
    if (shard < 0 || shard >= num_shards_) return Broken(StrCat("there is no data file ", shard, " of ", num_shards_));
    std::lock_guard lock(mutex_);
    auto& file = files_[shard];
    if (!file) {
      OS_ASSIGN_OR_RETURN(file, RandomAccessFile::Open(BundleDataName(prefix_, shard, num_shards_)));
    }
    return file;
  }

  StatusOr<Tensor> ReadValue(const Entry& entry, Allocator* allocator) const {
    const DataType dtype = entry.tensor.dtype;
    const int64_t size = entry.proto.size();
    const int64_t width = static_cast<int64_t>(DataTypeSize(dtype));
    if (dtype != DT_STRING && width == 0) {
      return errors::Unimplemented("values of type ", DataTypeString(dtype), " in checkpoints are not supported");
    }
    const int64_t count = entry.tensor.shape.num_elements();
    OS_ASSIGN_OR_RETURN(const auto file, DataFile(entry.proto.shard_id()));
    // Each string takes a byte at least, so the file bounds both kinds.
    const int64_t least = dtype == DT_STRING ? count : MultiplyWithoutOverflow(count, width);
    if (size < 0 || least < 0 || (dtype == DT_STRING ? size < least : size != least) || entry.proto.offset() < 0 ||
        entry.proto.offset() > file->size() || size > file->size() - entry.proto.offset()) {
      return errors::DataLoss(file->path(), ": the index says that ", entry.tensor.shape.DebugString(), " ",
                              DataTypeString(dtype), " elements take ", size, " bytes at ", entry.proto.offset(),
                              "; the file has ", file->size(), " bytes");
    }
    OS_ASSIGN_OR_RETURN(Tensor value, Tensor::Make(dtype, entry.tensor.shape, allocator));
    if (dtype == DT_STRING) {
      OS_RETURN_IF_ERROR(ReadStrings(*file, entry.proto, &value));
      return value;
    }
    if (size == 0) return value;
    OS_RETURN_IF_ERROR(file->Read(entry.proto.offset(), size, value.raw_data()));
    OS_RETURN_IF_ERROR(CheckCrc(*file, entry.proto, Crc32c({static_cast<const char*>(value.raw_data()),
                                                            static_cast<size_t>(size)})));
    if (dtype == DT_BOOL) {
      for (auto& byte : std::span(static_cast<uint8_t*>(value.raw_data()), static_cast<size_t>(size))) byte = byte != 0;
    }
    return value;
  }

  static Status CheckCrc(const RandomAccessFile& file, const tensorflow::BundleEntryProto& entry, uint32_t crc) {
    if (MaskCrc(crc) == entry.crc32c()) return Status::OK();
    return errors::DataLoss(file.path(), ": Checksum does not match: stored ", UnmaskCrc(entry.crc32c()),
                            " vs. calculated on the restored bytes ", crc);
  }

  // Lengths as varints, their checksum, then the bytes of all strings. The checksum of the whole covers the lengths as
  // numbers of 4 (or, if large, 8) bytes.
  static Status ReadStrings(const RandomAccessFile& file, const tensorflow::BundleEntryProto& entry, Tensor* value) {
    OS_ASSIGN_OR_RETURN(const std::string bytes, file.Read(entry.offset(), entry.size()));
    std::string_view rest(bytes);
    std::vector<uint64_t> lengths;
    uint32_t crc = 0;
    uint64_t total = 0;
    for (int64_t i = 0; i < value->NumElements(); ++i) {
      uint64_t length = 0;
      if (!TakeVarint64(&rest, &length) || length > bytes.size()) return errors::DataLoss(file.path(), ": bad length of a string");
      std::string number;
      if (length <= UINT32_MAX) {
        AppendFixed32(static_cast<uint32_t>(length), &number);
      } else {
        AppendFixed64(length, &number);
      }
      crc = Crc32c(number, crc);
      lengths.push_back(length);
      total += length;
      if (total > bytes.size()) return errors::DataLoss(file.path(), ": bad length of a string");
    }
    if (rest.size() < sizeof(uint32_t) || rest.size() - sizeof(uint32_t) != total) {
      return errors::DataLoss(file.path(), ": the strings don't fill what the index says");
    }
    if (value->NumElements() > 0 && UnmaskCrc(Fixed32At(rest, 0)) != crc) {
      return errors::DataLoss(file.path(), ": The length checksum does not match: expected ", UnmaskCrc(Fixed32At(rest, 0)),
                              " but actual is ", crc);
    }
    crc = Crc32c(rest, crc);
    rest.remove_prefix(sizeof(uint32_t));
    OS_RETURN_IF_ERROR(CheckCrc(file, entry, crc));
    const auto texts = value->flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = tstring(rest.substr(0, lengths[i]));
      rest.remove_prefix(lengths[i]);
    }
    return Status::OK();
  }

  const std::string prefix_;
  int num_shards_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const RandomAccessFile>> files_;
};

}  // namespace

StatusOr<std::shared_ptr<const CheckpointReader>> OpenBundle(const std::string& prefix) {
  auto reader = std::make_shared<BundleReader>(prefix);
  OS_RETURN_IF_ERROR(reader->Init());
  return std::shared_ptr<const CheckpointReader>(std::move(reader));
}

}  // namespace opscope
