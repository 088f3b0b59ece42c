#include "widgets/models/device_model.h"

#include "widgets/models/row.h"
#include "widgets/models/value_words.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

std::vector<DeviceUse> deviceUses(const std::vector<tensorflow::DeviceAttributes>& devices,
                                  const std::vector<AllocatorSnapshot>& allocators,
                                  const std::map<std::string, std::string>& placement) {
  std::vector<DeviceUse> uses;
  for (const tensorflow::DeviceAttributes& device : devices) {
    DeviceUse use;
    use.name = toQString(device.name());
    use.type = toQString(device.device_type());
    use.memory_limit = device.memory_limit();
    use.incarnation = device.incarnation();
    use.locality = device.locality().bus_id();
    use.physical = toQString(device.physical_device_desc());
    for (const AllocatorSnapshot& a : allocators) {
      if (a.device != device.name()) continue;
      use.allocator = use.allocator.isEmpty() ? toQString(a.name) : use.allocator + QStringLiteral(", ") + toQString(a.name);
      use.bytes_in_use += a.stats.bytes_in_use;
      use.peak_bytes += a.stats.peak_bytes_in_use;
      use.requests += a.stats.num_allocs;
      if (a.stats.bytes_limit) use.memory_limit = *a.stats.bytes_limit;
    }
    for (const auto& [node, assigned] : placement) use.ops += assigned == device.name() ? 1 : 0;
    uses.push_back(std::move(use));
  }
  return uses;
}

void DeviceModel::setDevices(std::vector<DeviceUse> devices) {
  if (devices == devices_) return;
  const bool same = devices.size() == devices_.size();
  if (!same) beginResetModel();
  devices_ = std::move(devices);
  if (!same) endResetModel();
  else if (!devices_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

int DeviceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(devices_.size());
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const DeviceUse& use = devices_[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return deviceWord(use.name);
    case Qt::ToolTipRole: return use.name;
    case kRightRole: return bytesWord(use.bytes_in_use);
    default: return {};
  }
}

}  // namespace opscope::ui
