#include "engine/base/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace opscope {
namespace {

Status OpenError(const std::string& path, int error) {
  const std::string text = StrCat(path, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return errors::NotFound(text);
  if (error == EACCES || error == EPERM) return errors::PermissionDenied(text);
  if (error == ENAMETOOLONG || error == ELOOP) return errors::InvalidArgument(text);
  return errors::Unknown(text);
}

}  // namespace

StatusOr<std::shared_ptr<const RandomAccessFile>> RandomAccessFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must not hang.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return OpenError(path, errno);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return errors::InvalidArgument(path, ": not a regular file");
  }
  return std::shared_ptr<const RandomAccessFile>(new RandomAccessFile(path, fd, static_cast<int64_t>(info.st_size)));
}

RandomAccessFile::~RandomAccessFile() { ::close(fd_); }

Status RandomAccessFile::Read(int64_t offset, int64_t count, void* target) const {
  if (offset < 0 || count < 0 || offset > size_ || count > size_ - offset) {
    return errors::DataLoss(path_, ": bytes ", offset, " to ", offset, "+", count, " lie outside of the file, which has ",
                            size_);
  }
  auto* bytes = static_cast<char*>(target);
  int64_t have = 0;
  while (have < count) {
    const ssize_t n = ::pread(fd_, bytes + have, static_cast<size_t>(count - have), offset + have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errors::Unknown(path_, ": ", std::strerror(errno));
    if (n == 0) return errors::DataLoss(path_, ": the file became shorter while it was read");
    have += n;
  }
  return Status::OK();
}

StatusOr<std::string> RandomAccessFile::Read(int64_t offset, int64_t count) const {
  if (offset < 0 || count < 0 || offset > size_ || count > size_ - offset) {
    return errors::DataLoss(path_, ": bytes ", offset, " to ", offset, "+", count, " lie outside of the file, which has ",
                            size_);
  }
  std::string bytes(static_cast<size_t>(count), '\0');
  OS_RETURN_IF_ERROR(Read(offset, count, bytes.data()));
  return bytes;
}

}  // namespace opscope
