#include "app/cli/picture_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "engine/base/text.h"
#include "engine/io/json.h"

namespace opscope::cli {
namespace {

namespace fs = std::filesystem;

/// Room for the picture of a very large graph.
constexpr int kTimeoutMs = 300000;

std::string FindEditor() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<fs::path> candidates = {self.parent_path() / "opscope"};
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const std::string& folder : Split(path, ':')) candidates.push_back(fs::path(folder) / "opscope");
  }
  for (const fs::path& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

std::string Script(const std::string& in, const std::string& out) {
  const auto line = [](JsonValue::Object object) { return JsonValue(std::move(object)).ToString() + "\n"; };
  return line({{"do", "document.open"}, {"path", in}}) +
         line({{"do", "document.export"}, {"path", out}, {"what", "all"}}) + line({{"do", "quit"}});
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int end(int i) const { return ends_[i]; }
  bool ok() const { return ends_[0] >= 0; }
  void Close(int i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

// Between fork and exec only what is safe there.
[[noreturn]] void Exec(const std::string& program, int in, int out) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  const int nothing = ::open("/dev/null", O_WRONLY);
  if (nothing >= 0) ::dup2(nothing, STDERR_FILENO);
  const char* const arguments[] = {"opscope", "--script", "-", nullptr};
  ::execv(program.c_str(), const_cast<char* const*>(arguments));  // NOLINT: exec's signature
  ::_exit(127);
}

// Everything that the program says until it closes its output. DEADLINE_EXCEEDED when that takes too long.
StatusOr<std::string> ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, kTimeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return errors::DeadlineExceeded("the editor did not finish the picture");
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

// The first failure among the script's answers.
Status FirstFailure(const std::string& answers) {
  int good = 0;
  for (const std::string& line : Split(answers, '\n')) {
    const auto answer = ParseJson(line);
    if (!answer.ok()) continue;
    const JsonValue* ok = answer->Find("ok");
    if (ok != nullptr && ok->if_bool() != nullptr && *ok->if_bool()) ++good;
    const JsonValue* error = answer->Find("error");
    if (error == nullptr) continue;
    const JsonValue* code = error->Find("code");
    const JsonValue* message = error->Find("message");
    const auto text = [](const JsonValue* value) {
      return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
    };
    for (int c = 1; c <= 16; ++c) {
      if (CodeName(static_cast<Code>(c)) == text(code)) return Status(static_cast<Code>(c), text(message));
    }
    return errors::Unknown(text(message));
  }
  return good >= 2 ? Status::OK() : errors::Internal("the editor ended without an answer");
}

}  // namespace

Status DrawWithEditor(const std::string& in, const std::string& out) {
  const std::string program = FindEditor();
  if (program.empty()) {
    return errors::Unimplemented(out, ": pictures are drawn by the program 'opscope', which is neither beside this one "
                                 "nor in PATH");
  }
  if (std::getenv("DISPLAY") == nullptr || std::getenv("QT_QPA_PLATFORM") == nullptr) {
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
  }
  std::error_code ignored;
  const std::string script = Script(fs::absolute(in, ignored).string(), fs::absolute(out, ignored).string());
  Pipe to;
  Pipe from;
  if (!to.ok() || !from.ok()) return errors::ResourceExhausted("no pipe: ", std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) return errors::ResourceExhausted("cannot start ", program, ": ", std::strerror(errno));
  if (child == 0) Exec(program, to.end(0), from.end(1));
  to.Close(0);
  from.Close(1);
  // The script is shorter than a pipe's buffer, so this doesn't wait for the other side.
  const ssize_t written = ::write(to.end(1), script.data(), script.size());
  to.Close(1);
  auto answers = ReadAll(from.end(0));
  if (!answers.ok()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answers.ok()) return answers.status().Prepend(out + ": ");
  if (written != static_cast<ssize_t>(script.size())) return errors::Internal("cannot talk to ", program);
  const Status failure = FirstFailure(*answers);
  return failure.ok() ? failure : failure.Prepend(failure.message().find(in) == std::string::npos ? in + ": " : "");
}

}  // namespace opscope::cli
