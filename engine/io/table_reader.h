#pragma once
// Sorted string tables: the files that hold the index of V2 checkpoints and the whole of V1 checkpoints. The format is that of
// LevelDB's table files: blocks of entries with shared key prefixes, each with a type byte and a masked CRC-32C; an index
// block of the others; a footer.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/random_access_file.h"
#include "engine/base/status.h"

namespace opscope {

/// An open table. Every block is checked (bounds, checksum, order of what it says) before it is believed. Threads: all
/// functions from any thread.
class TableReader {
 public:
  /// DATA_LOSS "PATH: …" for what isn't a table or is broken.
  static StatusOr<std::shared_ptr<const TableReader>> Open(const std::string& path);

  /// The value of a key; nullopt when there is none.
  StatusOr<std::optional<std::string>> Get(std::string_view key) const;
  /// Calls `visit(key, value)` for all entries in order, until it fails.
  Status ForEach(const std::function<Status(std::string_view, std::string_view)>& visit) const;
  const std::string& path() const { return file_->path(); }

 private:
  struct Handle {
    uint64_t offset = 0, size = 0;
  };
  using Visit = std::function<StatusOr<bool>(std::string_view key, std::string_view value)>;

  explicit TableReader(std::shared_ptr<const RandomAccessFile> file) : file_(std::move(file)) {}
  static bool TakeHandle(std::string_view* bytes, Handle* handle);
  Status ReadIndex();
  StatusOr<std::string> ReadBlock(const Handle& handle) const;
  /// Visits the entries of a block in order until `visit` answers false.
  Status ForEachEntry(std::string_view block, const Visit& visit) const;
  Status Broken(std::string_view what) const;

  std::shared_ptr<const RandomAccessFile> file_;
  std::string index_;
};

}  // namespace opscope
