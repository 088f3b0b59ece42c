#pragma once
// SessionFactory: who makes sessions for which target (interfaces.md, 6).

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/runtime/session.h"

namespace opscope {

/// Makes the sessions of one runtime. Registered once, live for ever. Threads: from any thread.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  virtual bool AcceptsOptions(const SessionOptions& options) = 0;
  virtual StatusOr<std::unique_ptr<Session>> NewSession(const SessionOptions& options) = 0;
  /// Drops the resources of containers, of all for none; UNIMPLEMENTED where sessions share nothing.
  virtual Status Reset(const SessionOptions&, const std::vector<std::string>&) {
    return errors::Unimplemented("Reset is not supported by this session's runtime.");
  }

  /// Keeps a factory under its runtime's name ("DIRECT_SESSION"); a later one of the same name takes its place.
  static void Register(const std::string& runtime_type, std::unique_ptr<SessionFactory> factory);
  /// The one that accepts the options. NOT_FOUND when none does, INTERNAL when several do.
  static Status GetFactory(const SessionOptions& options, SessionFactory** factory);
};

/// Drops resources of the sessions of a target.
Status Reset(const SessionOptions& options, const std::vector<std::string>& containers);

}  // namespace opscope
