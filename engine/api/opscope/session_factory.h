#pragma once
// Who makes sessions for which target: SessionFactory. Part of the installed C++ API.

#include "engine/runtime/session_factory.h"
