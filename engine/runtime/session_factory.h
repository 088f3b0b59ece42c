#pragma once
// SessionFactory: who makes sessions for which target (interfaces.md, 6).

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/runtime/session.h"

namespace opscope {

/// Makes the sessions of one runtime. Registered once, live for ever. Built in: DIRECT_SESSION (target ""), GRPC_SESSION
/// (targets that begin with "grpc://"). Threads: from any thread.
class SessionFactory {
 public:
  virtual ~SessionFactory() = default;
  virtual bool AcceptsOptions(const SessionOptions& options) = 0;
  /// A session that the caller deletes.
  virtual Status NewSession(const SessionOptions& options, Session** session) = 0;
  /// Drops the resources of containers, of all for none; UNIMPLEMENTED where sessions share nothing.
  virtual Status Reset(const SessionOptions& options, const std::vector<std::string>& containers);

  /// Keeps a factory under its runtime's name ("DIRECT_SESSION"). A second one of the same name is logged as an error and
  /// dropped.
  static void Register(const std::string& runtime_type, std::unique_ptr<SessionFactory> factory);
  /// Takes ownership.
  static void Register(const std::string& runtime_type, SessionFactory* factory) {
    Register(runtime_type, std::unique_ptr<SessionFactory>(factory));
  }
  /// The one that accepts the options. NOT_FOUND when none does, naming the registered ones; INTERNAL when several do, naming
  /// them; `factory` is not touched then.
  static Status GetFactory(const SessionOptions& options, SessionFactory** factory);
};

}  // namespace opscope
