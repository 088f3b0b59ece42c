// What OpScope does not have: libraries of ops, plug-ins for file systems, servers.
#include "engine/c_api/handles.h"

#include <atomic>

using namespace opscope;
using namespace opscope::capi;

namespace {

std::atomic<void (*)(const char*)> log_listener{nullptr};

}  // namespace

TF_Library* TF_LoadLibrary(const char*, TF_Status* status) {
  SetUnimplemented(__func__, status);
  return nullptr;
}

TF_Buffer TF_GetOpList(TF_Library*) { return {nullptr, 0, nullptr}; }
void TF_DeleteLibraryHandle(TF_Library* lib_handle) { delete lib_handle; }
void TF_RegisterFilesystemPlugin(const char*, TF_Status* status) {
  SetUnimplemented(__func__, status);
}

// The engine writes no log of its own; the listener is kept for those who ask twice.
void TF_RegisterLogListener(void (*listener)(const char*)) { log_listener = listener; }

TF_Server* TF_NewServer(const void*, size_t, TF_Status* status) {
  SetUnimplemented(__func__, status);
  return nullptr;
}

void TF_ServerStart(TF_Server*, TF_Status* status) { SetUnimplemented(__func__, status); }
void TF_ServerStop(TF_Server*, TF_Status* status) { SetUnimplemented(__func__, status); }
void TF_ServerJoin(TF_Server*, TF_Status* status) { SetUnimplemented(__func__, status); }
const char* TF_ServerTarget(TF_Server*) { return ""; }
void TF_DeleteServer(TF_Server* server) { delete server; }
