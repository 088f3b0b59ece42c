#pragma once
// Prepared runs of a session, found by the operations that a call names: a repeated call builds no
// texts.

#include "engine/base/status.h"
#include "engine/c_api/c_api.h"
#include "engine/runtime/session.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace opscope::capi {

/// What a call of TF_SessionRun asks for. Borrowed from the caller.
struct RunRequest {
  std::span<const TF_Output> feeds, fetches;
  std::span<const TF_Operation* const> targets;
};

/// Keeps every kind of run that a session was asked for, as long as the session. Threads: any.
class RunCache {
 public:
  /// The prepared run; it lives as long as this. Errors are those of Session::Prepare and aren't
  /// kept.
  StatusOr<PreparedRun*> Find(Session* session, const RunRequest& request);

 private:
  struct Entry {
    std::vector<TF_Output> feeds, fetches;
    std::vector<const TF_Operation*> targets;
    std::shared_ptr<PreparedRun> run;

    bool Matches(const RunRequest& request) const;
  };

  static StatusOr<std::unique_ptr<Entry>> Prepare(Session* session, const RunRequest& request);

  std::atomic<const Entry*> last_{
      nullptr};       ///< Most programs ask for the same run again and again.
  std::mutex mutex_;  ///< Guards what follows.
  std::unordered_multimap<size_t, std::unique_ptr<Entry>> entries_;
};

}  // namespace opscope::capi
