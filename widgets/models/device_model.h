#pragma once
// A session's devices with their use.

#include <map>
#include <string>
#include <vector>

#include <QAbstractListModel>

#include "engine/runtime/session.h"

namespace opscope::ui {

/// One device as cards and the status bar show it. A value type.
struct DeviceUse {
  QString name;            ///< Full name.
  QString type;
  QString allocator;
  int64_t memory_limit = 0;   ///< 0: none known.
  int64_t bytes_in_use = 0;
  int64_t peak_bytes = 0;
  int64_t requests = 0;
  int ops = 0;             ///< Nodes placed on it.
  quint64 incarnation = 0;
  int locality = 0;
  QString physical;
  friend bool operator==(const DeviceUse&, const DeviceUse&) = default;
};

/// Joins what the session says of devices, allocators and placement.
std::vector<DeviceUse> deviceUses(const std::vector<tensorflow::DeviceAttributes>& devices,
                                  const std::vector<AllocatorSnapshot>& allocators,
                                  const std::map<std::string, std::string>& placement);

/// UI thread.
class DeviceModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;
  void setDevices(std::vector<DeviceUse> devices);
  const std::vector<DeviceUse>& devices() const { return devices_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  /// DisplayRole: "CPU:0"; ToolTipRole: the full name; kRightRole: bytes in use.
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<DeviceUse> devices_;
};

}  // namespace opscope::ui
