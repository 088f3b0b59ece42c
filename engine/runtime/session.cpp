#include "engine/runtime/session.h"

namespace opscope {
namespace {

Status NotSupported(const char* what) { return errors::Unimplemented(what, " is not supported by this session."); }

}  // namespace

StatusOr<std::shared_ptr<PreparedRun>> Session::Prepare(const std::vector<std::string>&, const std::vector<std::string>&,
                                                        const std::vector<std::string>&) {
  return NotSupported("Prepare");
}

Status Session::PRunSetup(const std::vector<std::string>&, const std::vector<std::string>&,
                          const std::vector<std::string>&, std::string*) {
  return NotSupported("Partial run");
}

Status Session::PRun(const std::string&, const NamedTensors&, const std::vector<std::string>&, std::vector<Tensor>*) {
  return NotSupported("Partial run");
}

Status Session::MakeCallable(const CallableOptions&, CallableHandle*) { return NotSupported("`MakeCallable`"); }

Status Session::RunCallable(CallableHandle, const std::vector<Tensor>&, std::vector<Tensor>*, RunMetadata*) {
  return NotSupported("`RunCallable`");
}

Status Session::ReleaseCallable(CallableHandle) { return NotSupported("`ReleaseCallable`"); }

}  // namespace opscope
