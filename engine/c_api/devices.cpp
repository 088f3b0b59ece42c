#include "engine/c_api/session_handles.h"

using namespace opscope;
using namespace opscope::capi;

namespace {

TF_DeviceList* List(Session* session, TF_Status* status) {
  SetOk(status);
  if (session == nullptr)
    return SetStatus(errors::InvalidArgument("No session was passed."), status), nullptr;
  auto list = std::make_unique<TF_DeviceList>();
  const Status listed = session->ListDevices(&list->devices);
  if (listed.ok()) return list.release();
  SetStatus(listed, status);
  return nullptr;
}

const DeviceAttributes* At(const TF_DeviceList* list, int index, TF_Status* status) {
  SetOk(status);
  if (list == nullptr) return SetStatus(errors::InvalidArgument("list is null!"), status), nullptr;
  if (index >= 0 && static_cast<size_t>(index) < list->devices.size())
    return &list->devices[static_cast<size_t>(index)];
  SetStatus(errors::InvalidArgument("index out of bounds"), status);
  return nullptr;
}

}  // namespace

TF_DeviceList* TF_SessionListDevices(TF_Session* session, TF_Status* status) {
  return List(session ? session->session.get() : nullptr, status);
}

TF_DeviceList* TF_DeprecatedSessionListDevices(TF_DeprecatedSession* session, TF_Status* status) {
  return List(session ? session->session.get() : nullptr, status);
}

void TF_DeleteDeviceList(TF_DeviceList* list) { delete list; }

int TF_DeviceListCount(const TF_DeviceList* list) {
  return list ? static_cast<int>(list->devices.size()) : 0;
}

const char* TF_DeviceListName(const TF_DeviceList* list, int index, TF_Status* status) {
  const DeviceAttributes* const device = At(list, index, status);
  return device ? device->name().c_str() : nullptr;
}

const char* TF_DeviceListType(const TF_DeviceList* list, int index, TF_Status* status) {
  const DeviceAttributes* const device = At(list, index, status);
  return device ? device->device_type().c_str() : nullptr;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index, TF_Status* status) {
  const DeviceAttributes* const device = At(list, index, status);
  return device ? device->memory_limit() : -1;
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index, TF_Status* status) {
  const DeviceAttributes* const device = At(list, index, status);
  return device ? device->incarnation() : 0;
}
