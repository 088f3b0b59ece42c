#pragma once
// Sessions: SessionOptions, Session, NewSession, Reset. Part of the installed C++ API.

#include "engine/base/env.h"
#include "engine/framework/tensor.h"
#include "engine/runtime/session.h"
