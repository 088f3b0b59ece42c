#pragma once
// Reads parts of a file: for files of which only some bytes are wanted.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/status.h"

namespace opscope {

/// An open file. Threads: Read from any thread.
class RandomAccessFile {
 public:
  /// NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT for what isn't a regular file; messages name the file.
  static StatusOr<std::shared_ptr<const RandomAccessFile>> Open(const std::string& path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  /// Exactly `count` bytes from `offset` on into `target`; DATA_LOSS when the file has fewer.
  Status Read(int64_t offset, int64_t count, void* target) const;
  /// The same as a string. Nothing is allocated before the range is known to lie in the file.
  StatusOr<std::string> Read(int64_t offset, int64_t count) const;

 private:
  RandomAccessFile(std::string path, int fd, int64_t size) : path_(std::move(path)), fd_(fd), size_(size) {}
  std::string path_;
  int fd_;
  int64_t size_;
};

}  // namespace opscope
