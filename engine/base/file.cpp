#include "engine/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace opscope {
namespace {

Status IoError(const std::string& path, int error) {
  const std::string text = StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return errors::NotFound(text);
    case EACCES:
    case EPERM:
    case EROFS:
      return errors::PermissionDenied(text);
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
      return errors::ResourceExhausted(text);
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return errors::InvalidArgument(text);
    default:
      return errors::Unknown(text);
  }
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return IoError(path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Status::OK();
}

// A rename is only durable once the folder's own entry is on disk.
void SyncFolder(const std::filesystem::path& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

Status WriteTemporary(int fd, const std::string& target, const std::string& temporary, std::string_view bytes) {
  struct stat old {};
  const mode_t mode = ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0644;
  if (::fchmod(fd, mode) != 0) return IoError(target, errno);
  OS_RETURN_IF_ERROR(WriteAll(fd, bytes, target));
  if (::fsync(fd) != 0) return IoError(target, errno);
  if (::rename(temporary.c_str(), target.c_str()) != 0) return IoError(target, errno);
  return Status::OK();
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must not hang.
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return IoError(path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return IoError(path, errno);
  if (S_ISDIR(info.st_mode)) return IoError(path, EISDIR);
  if (!S_ISREG(info.st_mode)) return errors::InvalidArgument(path, ": not a regular file");
  if (info.st_size > max_bytes) {
    return errors::ResourceExhausted(path, ": ", info.st_size, " bytes; at most ", max_bytes, " are read");
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return IoError(path, errno);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

Status WriteFileAtomic(const std::string& path, std::string_view bytes) {
  std::error_code ignored;
  std::filesystem::path target = path;
  if (std::filesystem::is_symlink(target, ignored)) {
    auto resolved = std::filesystem::weakly_canonical(target, ignored);
    if (!ignored) target = resolved;
  }
  if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) {
    return errors::InvalidArgument(path, ": not a regular file");  // a rename would put an end to a device or folder
  }
  std::string temporary = target.string() + ".XXXXXX";
  Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return IoError(path, errno);
  const Status status = WriteTemporary(fd.get(), target.string(), temporary, bytes);
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  const auto folder = target.parent_path();
  SyncFolder(folder.empty() ? std::filesystem::path(".") : folder);
  return Status::OK();
}

bool FileExists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool IsDirectory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace opscope
