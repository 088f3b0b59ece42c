#include "engine/io/table_reader.h"

#include "engine/base/crc32c.h"
#include "engine/base/snappy.h"
#include "engine/base/varint.h"
#include "engine/io/table_format.h"

namespace opscope {
namespace {

/// Largest block that is read, unpacked too: V1 checkpoints have blocks as large as one slice of a tensor.
constexpr int64_t kMaxBlockBytes = int64_t{2} << 30;

}  // namespace

Status TableReader::Broken(std::string_view what) const {
  return errors::DataLoss(file_->path(), ": not a checkpoint, or broken: ", what);
}

StatusOr<std::shared_ptr<const TableReader>> TableReader::Open(const std::string& path) {
  OS_ASSIGN_OR_RETURN(auto file, RandomAccessFile::Open(path));
  std::shared_ptr<TableReader> table(new TableReader(std::move(file)));
  OS_RETURN_IF_ERROR(table->ReadIndex());
  return std::shared_ptr<const TableReader>(std::move(table));
}

bool TableReader::TakeHandle(std::string_view* bytes, Handle* handle) {
  return TakeVarint64(bytes, &handle->offset) && TakeVarint64(bytes, &handle->size);
}

Status TableReader::ReadIndex() {
  if (file_->size() < static_cast<int64_t>(table_format::kFooterBytes)) return Broken("file is too short to be an sstable");
  OS_ASSIGN_OR_RETURN(const std::string footer,
                      file_->Read(file_->size() - static_cast<int64_t>(table_format::kFooterBytes), table_format::kFooterBytes));
  if (Fixed64At(footer, table_format::kFooterBytes - sizeof(uint64_t)) != table_format::kMagic) {
    return Broken("not an sstable (bad magic number)");
  }
  std::string_view rest(footer);
  Handle meta, index;
  if (!TakeHandle(&rest, &meta) || !TakeHandle(&rest, &index)) return Broken("bad block handle in the footer");
  OS_ASSIGN_OR_RETURN(index_, ReadBlock(index));
  return Status::OK();
}

StatusOr<std::string> TableReader::ReadBlock(const Handle& handle) const {
  const auto file_size = static_cast<uint64_t>(file_->size());
  constexpr uint64_t kTrailer = table_format::kTrailerBytes;
  if (handle.offset > file_size || handle.size > file_size - handle.offset ||
      file_size - handle.offset - handle.size < kTrailer || static_cast<int64_t>(handle.size) > kMaxBlockBytes) {
    return Broken(StrCat("a block of ", handle.size, " bytes at ", handle.offset, " lies outside of the file"));
  }
  OS_ASSIGN_OR_RETURN(std::string block, file_->Read(static_cast<int64_t>(handle.offset),
                                                     static_cast<int64_t>(handle.size + kTrailer)));
  const uint32_t stored = UnmaskCrc(Fixed32At(block, handle.size + 1));
  if (Crc32c(std::string_view(block).substr(0, handle.size + 1)) != stored) {
    return Broken(StrCat("block checksum mismatch at ", handle.offset));
  }
  const char type = block[handle.size];
  block.resize(handle.size);
  if (type == table_format::kPlain) return block;
  if (type != table_format::kSnappy) return Broken("unknown compression of a block");
  auto unpacked = SnappyUncompress(block, kMaxBlockBytes);
  return unpacked.ok() ? unpacked : unpacked.status().Prepend(file_->path() + ": ");
}

Status TableReader::ForEachEntry(std::string_view block, const Visit& visit) const {
  if (block.size() < sizeof(uint32_t)) return Broken("a block is too short");
  const uint64_t num_restarts = Fixed32At(block, block.size() - sizeof(uint32_t));
  if (num_restarts > (block.size() - sizeof(uint32_t)) / sizeof(uint32_t)) return Broken("bad restarts of a block");
  std::string_view rest = block.substr(0, block.size() - (num_restarts + 1) * sizeof(uint32_t));
  std::string key;
  while (!rest.empty()) {
    uint32_t shared = 0, unshared = 0, value_size = 0;
    if (!TakeVarint32(&rest, &shared) || !TakeVarint32(&rest, &unshared) || !TakeVarint32(&rest, &value_size) ||
        shared > key.size() || unshared > rest.size() || value_size > rest.size() - unshared) {
      return Broken("bad entry in block");
    }
    key.resize(shared);
    key.append(rest.substr(0, unshared));
    OS_ASSIGN_OR_RETURN(const bool go_on, visit(key, rest.substr(unshared, value_size)));
    if (!go_on) return Status::OK();
    rest.remove_prefix(unshared + value_size);
  }
  return Status::OK();
}

StatusOr<std::optional<std::string>> TableReader::Get(std::string_view key) const {
  // The index gives for each block a key that is at least its last one.
  std::optional<Handle> handle;
  const Status status = ForEachEntry(index_, [&](std::string_view last, std::string_view value) -> StatusOr<bool> {
    if (last < key) return true;
    handle.emplace();
    if (!TakeHandle(&value, &*handle)) return Broken("bad block handle in the index");
    return false;
  });
  OS_RETURN_IF_ERROR(status);
  std::optional<std::string> found;
  if (!handle) return found;
  OS_ASSIGN_OR_RETURN(const std::string block, ReadBlock(*handle));
  OS_RETURN_IF_ERROR(ForEachEntry(block, [&](std::string_view entry, std::string_view value) -> StatusOr<bool> {
    if (entry == key) found.emplace(value);
    return entry < key;
  }));
  return found;
}

Status TableReader::ForEach(const std::function<Status(std::string_view, std::string_view)>& visit) const {
  return ForEachEntry(index_, [&](std::string_view, std::string_view value) -> StatusOr<bool> {
    Handle handle;
    if (!TakeHandle(&value, &handle)) return Broken("bad block handle in the index");
    OS_ASSIGN_OR_RETURN(const std::string block, ReadBlock(handle));
    const Status status = ForEachEntry(block, [&](std::string_view key, std::string_view entry) -> StatusOr<bool> {
      OS_RETURN_IF_ERROR(visit(key, entry));
      return true;
    });
    OS_RETURN_IF_ERROR(status);
    return true;
  });
}

}  // namespace opscope
