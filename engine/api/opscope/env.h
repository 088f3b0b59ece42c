#pragma once
// What the engine asks of the machine: Env, Log, SetLogSink. Part of the installed C++ API.

#include "engine/base/env.h"
#include "engine/base/log.h"
