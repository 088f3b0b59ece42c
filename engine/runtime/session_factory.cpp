#include "engine/runtime/session_factory.h"

#include <map>
#include <mutex>

#include "engine/base/log.h"
#include "engine/base/metrics.h"
#include "engine/base/text.h"
#include "engine/runtime/direct_session.h"

namespace opscope {
namespace {

// Sessions of a TensorFlow cluster.
class GrpcSessionFactory final : public SessionFactory {
 public:
  bool AcceptsOptions(const SessionOptions& options) override { return options.target.starts_with("grpc://"); }
  Status NewSession(const SessionOptions& options, Session**) override { return NotYet("Sessions", options); }
  Status Reset(const SessionOptions& options, const std::vector<std::string>&) override { return NotYet("Reset", options); }

 private:
  static Status NotYet(const char* what, const SessionOptions& options) {
    return errors::Unimplemented("GRPC_SESSION: ", what, " of target \"", options.target, "\" (grpc://) are not supported.");
  }
};

// Factories live for ever: sessions may be made until the very end of the process.
struct Registry {
  std::mutex mutex;
  std::map<std::string, SessionFactory*> factories;

  // Made here and not by static objects, so that no linker can drop them.
  Registry() {
    factories["DIRECT_SESSION"] = NewDirectSessionFactory().release();
    factories["GRPC_SESSION"] = new GrpcSessionFactory;
  }
  static Registry& Get() {
    static auto* const registry = new Registry;
    return *registry;
  }
};

std::string Names(const std::vector<std::string>& names) { return "{" + Join(names, ", ") + "}"; }

std::string OptionsText(const SessionOptions& options) {
  return StrCat("{target: \"", options.target, "\" config: ", options.config.ShortDebugString(), "}");
}

}  // namespace

Status SessionFactory::Reset(const SessionOptions&, const std::vector<std::string>&) {
  return errors::Unimplemented("Reset()");
}

void SessionFactory::Register(const std::string& runtime_type, std::unique_ptr<SessionFactory> factory) {
  if (!factory) return;
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  const auto [at, is_new] = registry.factories.emplace(runtime_type, factory.get());
  if (is_new) {
    static_cast<void>(factory.release());  // NOLINT(bugprone-unused-return-value)
  } else {
    Log(LogSeverity::kError, StrCat("Two session factories are being registered under ", runtime_type, "; the first stays."));
  }
}

Status SessionFactory::GetFactory(const SessionOptions& options, SessionFactory** factory) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  std::vector<std::string> accepting, all;
  SessionFactory* found = nullptr;
  for (const auto& [name, candidate] : registry.factories) {
    all.push_back(name);
    if (!candidate->AcceptsOptions(options)) continue;
    accepting.push_back(name);
    found = candidate;
  }
  if (accepting.size() > 1) {
    return errors::Internal("Multiple session factories registered for the given session options: ", OptionsText(options),
                            " Candidate factories are ", Names(accepting), ".");
  }
  if (!found) {
    return errors::NotFound("No session factory registered for the given session options: ", OptionsText(options),
                            " Registered factories are ", Names(all), ".");
  }
  *factory = found;
  return Status::OK();
}

Status NewSession(const SessionOptions& options, Session** session) {
  *session = nullptr;
  SessionFactory* factory = nullptr;
  OS_RETURN_IF_ERROR(SessionFactory::GetFactory(options, &factory));
  OS_RETURN_IF_ERROR(factory->NewSession(options, session));
  if (!*session) return errors::Internal("The session factory for target \"", options.target, "\" made no session");
  metrics::GetCounter(metrics::kSessionCreated)->Increment();
  return Status::OK();
}

StatusOr<std::unique_ptr<Session>> NewSession(const SessionOptions& options) {
  Session* session = nullptr;
  OS_RETURN_IF_ERROR(NewSession(options, &session));
  return std::unique_ptr<Session>(session);
}

Status Reset(const SessionOptions& options, const std::vector<std::string>& containers) {
  SessionFactory* factory = nullptr;
  OS_RETURN_IF_ERROR(SessionFactory::GetFactory(options, &factory));
  return factory->Reset(options, containers);
}

}  // namespace opscope
