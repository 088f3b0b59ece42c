#pragma once
// Counters by name, among them session_created. Part of the installed C++ API.

#include "engine/base/metrics.h"
