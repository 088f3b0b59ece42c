#pragma once
// Devices and who makes them: Device, DeviceFactory, NewThreadPoolDevice. Part of the installed C++ API.

#include "engine/framework/device_base.h"
#include "engine/framework/device_name.h"
#include "engine/runtime/device_factory.h"
