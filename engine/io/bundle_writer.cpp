#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/base/varint.h"
#include "engine/io/checkpoint_reader.h"
#include "engine/io/checkpoint_writer.h"
#include "engine/io/table_reader.h"
#include "engine/io/table_writer.h"

namespace opscope {
namespace {

/// The form that TensorFlow's own readers ask for.
constexpr int kBundleVersion = 1;

Status FileError(const std::string& path, int error) {
  const std::string text = StrCat(path, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return errors::NotFound(text);
  if (error == EACCES || error == EPERM || error == EROFS) return errors::PermissionDenied(text);
  if (error == ENOSPC || error == EDQUOT) return errors::ResourceExhausted(text);
  return errors::Unknown(text);
}

Status Rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? Status::OK() : FileError(to, errno);
}

Status WriteIndex(const std::string& prefix, int num_shards,
                  const std::map<std::string, tensorflow::BundleEntryProto>& entries) {
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(kBundleVersion);
  TableWriter table;
  table.Add("", header.SerializeAsString());
  for (const auto& [key, entry] : entries) table.Add(key, entry.SerializeAsString());
  return WriteFileAtomic(BundleIndexName(prefix), table.Finish());
}

}  // namespace

BundleWriter::BundleWriter(std::string prefix)
    : prefix_(std::move(prefix)), data_path_(BundleDataName(prefix_, 0, 1)),
      temporary_(StrCat(data_path_, ".tempstate", ::getpid(), "_", reinterpret_cast<uintptr_t>(this))) {}

BundleWriter::~BundleWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Status BundleWriter::Open() {
  if (fd_ >= 0) return Status::OK();
  const std::filesystem::path folder = std::filesystem::path(prefix_).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  return fd_ >= 0 ? Status::OK() : FileError(data_path_, errno);
}

Status BundleWriter::WriteBytes(std::string_view bytes) {
  OS_RETURN_IF_ERROR(Open());
  offset_ += static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(data_path_, errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return Status::OK();
}

Status BundleWriter::WriteStrings(const Tensor& value, tensorflow::BundleEntryProto* entry) {
  std::string lengths, numbers;
  const auto texts = value.flat<tstring>();
  for (const tstring& text : texts) {
    AppendVarint(text.size(), &lengths);
    if (text.size() <= UINT32_MAX) {
      AppendFixed32(static_cast<uint32_t>(text.size()), &numbers);
    } else {
      AppendFixed64(text.size(), &numbers);
    }
  }
  uint32_t crc = Crc32c(numbers);
  std::string checksum;
  AppendFixed32(MaskCrc(crc), &checksum);
  crc = Crc32c(checksum, crc);
  OS_RETURN_IF_ERROR(WriteBytes(lengths + checksum));
  for (const tstring& text : texts) {
    crc = Crc32c(text, crc);
    OS_RETURN_IF_ERROR(WriteBytes(text));
  }
  entry->set_crc32c(MaskCrc(crc));
  return Status::OK();
}

Status BundleWriter::Add(const std::string& name, const Tensor& value) {
  if (name.empty()) return errors::InvalidArgument("a tensor in a checkpoint needs a name");
  if (entries_.contains(name)) return errors::InvalidArgument("Adding duplicate key: ", name);
  if (value.dtype() != DT_STRING && DataTypeSize(value.dtype()) == 0) {
    return errors::Unimplemented("tensor ", name, ": values of type ", DataTypeString(value.dtype()), " can't be saved");
  }
  tensorflow::BundleEntryProto entry;
  entry.set_dtype(value.dtype());
  value.shape().ToProto(entry.mutable_shape());
  entry.set_offset(offset_);
  OS_RETURN_IF_ERROR(Open());
  if (value.dtype() == DT_STRING) {
    OS_RETURN_IF_ERROR(WriteStrings(value, &entry));
  } else {
    entry.set_crc32c(MaskCrc(Crc32c(value.tensor_data())));
    OS_RETURN_IF_ERROR(WriteBytes(value.tensor_data()));
  }
  entry.set_size(offset_ - entry.offset());
  entries_.emplace(name, std::move(entry));
  return Status::OK();
}

Status BundleWriter::AddSlice(const std::string& name, const TensorShape& shape, const TensorSlice& slice,
                              const Tensor& value) {
  auto [whole, is_new] = entries_.try_emplace(name);
  if (is_new) {
    whole->second.set_dtype(value.dtype());
    shape.ToProto(whole->second.mutable_shape());
  } else if (whole->second.slices().empty() || whole->second.dtype() != value.dtype()) {
    return errors::InvalidArgument("Adding duplicate key: ", name);
  }
  slice.ToProto(whole->second.add_slices());
  return Add(EncodeTensorNameSlice(name, slice), value);
}

Status BundleWriter::Finish() {
  OS_RETURN_IF_ERROR(Open());
  if (::fsync(fd_) != 0) return FileError(data_path_, errno);
  OS_RETURN_IF_ERROR(Rename(temporary_, data_path_));
  ::close(fd_);
  fd_ = -1;
  return WriteIndex(prefix_, 1, entries_);
}

namespace {

/// What MergeBundles found in one bundle.
struct OldBundle {
  std::string prefix;
  int num_shards = 0;
};

Status ReadOldBundle(const std::string& prefix, int first_shard, OldBundle* bundle,
                     std::map<std::string, tensorflow::BundleEntryProto>* entries) {
  bundle->prefix = prefix;
  OS_ASSIGN_OR_RETURN(const auto table, TableReader::Open(BundleIndexName(prefix)));
  return table->ForEach([&](std::string_view key, std::string_view value) {
    const int size = static_cast<int>(value.size());
    if (key.empty()) {
      tensorflow::BundleHeaderProto header;
      if (!header.ParseFromArray(value.data(), size) || header.num_shards() < 0 || header.num_shards() > 100000) {
        return errors::DataLoss(BundleIndexName(prefix), ": bad header");
      }
      bundle->num_shards = header.num_shards();
      return Status::OK();
    }
    tensorflow::BundleEntryProto entry;
    if (!entry.ParseFromArray(value.data(), size)) return errors::DataLoss(BundleIndexName(prefix), ": bad entry of ", key);
    if (entry.slices().empty()) entry.set_shard_id(entry.shard_id() + first_shard);
    const auto [known, is_new] = entries->try_emplace(std::string(key), entry);
    if (is_new) return Status::OK();
    if (entry.slices().empty() || known->second.slices().empty()) {
      return errors::InvalidArgument("Duplicate tensor keyed by ", key, " encountered, when merging prefix: ", prefix);
    }
    known->second.mutable_slices()->MergeFrom(entry.slices());
    return Status::OK();
  });
}

}  // namespace

Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination, bool delete_old_dirs,
                    bool allow_missing) {
  std::vector<OldBundle> bundles;
  std::map<std::string, tensorflow::BundleEntryProto> entries;
  int num_shards = 0;
  for (const std::string& prefix : prefixes) {
    if (allow_missing && !FileExists(BundleIndexName(prefix))) continue;
    OldBundle bundle;
    OS_RETURN_IF_ERROR(ReadOldBundle(prefix, num_shards, &bundle, &entries));
    num_shards += bundle.num_shards;
    bundles.push_back(bundle);
  }
  if (bundles.empty()) return errors::NotFound("no checkpoint has one of the prefixes to merge to ", destination);
  std::error_code ignored;
  const auto folder = std::filesystem::path(destination).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  int shard = 0;
  for (const OldBundle& bundle : bundles) {
    for (int i = 0; i < bundle.num_shards; ++i) {
      OS_RETURN_IF_ERROR(Rename(BundleDataName(bundle.prefix, i, bundle.num_shards),
                                BundleDataName(destination, shard++, num_shards)));
    }
  }
  OS_RETURN_IF_ERROR(WriteIndex(destination, num_shards, entries));
  for (const OldBundle& bundle : bundles) {
    if (bundle.prefix != destination) std::filesystem::remove(BundleIndexName(bundle.prefix), ignored);
    const auto old_folder = std::filesystem::path(bundle.prefix).parent_path();
    // Only what is empty goes: rmdir never takes files along.
    if (delete_old_dirs && old_folder != folder) ::rmdir(old_folder.c_str());
  }
  return Status::OK();
}

}  // namespace opscope
