#include "engine/framework/device_base.h"

namespace opscope {

Device::Device(DeviceAttributes attributes) : attributes_(std::move(attributes)) {
  // A name that doesn't parse leaves parsed_name_ empty: such a device matches no request.
  if (!ParsedDeviceName::Parse(attributes_.name(), &parsed_name_)) parsed_name_ = ParsedDeviceName();
}

}  // namespace opscope
