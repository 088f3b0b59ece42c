#include "engine/runtime/session_factory.h"

#include <map>
#include <mutex>

#include "engine/base/text.h"
#include "engine/runtime/direct_session.h"

namespace opscope {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, SessionFactory*> factories;

  // Made here and not by a static object, so that no linker can drop it.
  Registry() { factories["DIRECT_SESSION"] = NewDirectSessionFactory().release(); }
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

void SessionFactory::Register(const std::string& runtime_type, std::unique_ptr<SessionFactory> factory) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  // One that is replaced stays alive: somebody may be using it.
  registry.factories[runtime_type] = factory.release();
}

Status SessionFactory::GetFactory(const SessionOptions& options, SessionFactory** factory) {
  Registry& registry = Registry::Get();
  std::lock_guard lock(registry.mutex);
  std::vector<std::string> accepting, all;
  for (const auto& [name, candidate] : registry.factories) {
    all.push_back(name);
    if (!candidate->AcceptsOptions(options)) continue;
    accepting.push_back(name);
    *factory = candidate;
  }
  if (accepting.size() == 1) return Status::OK();
  if (accepting.size() > 1) {
    return errors::Internal("Multiple session factories registered for the given session options: ", OptionsText(options),
                            " Candidate factories are ", Names(accepting), ".");
  }
  if (options.target.starts_with("grpc://")) {
    return errors::Unimplemented("Sessions of target \"", options.target, "\" (grpc://) are not supported.");
  }
  return errors::NotFound("No session factory registered for the given session options: ", OptionsText(options),
                          " Registered factories are ", Names(all), ".");
}

StatusOr<std::unique_ptr<Session>> NewSession(const SessionOptions& options) {
  SessionFactory* factory = nullptr;
  OS_RETURN_IF_ERROR(SessionFactory::GetFactory(options, &factory));
  return factory->NewSession(options);
}

Status Reset(const SessionOptions& options, const std::vector<std::string>& containers) {
  SessionFactory* factory = nullptr;
  OS_RETURN_IF_ERROR(SessionFactory::GetFactory(options, &factory));
  return factory->Reset(options, containers);
}

}  // namespace opscope
