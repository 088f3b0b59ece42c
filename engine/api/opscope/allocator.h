#pragma once
// Memory: Allocator, AllocatorRegistry, cpu_allocator, TrackingAllocator, BFCAllocator. Part of the installed C++ API.

#include "engine/framework/allocator.h"
#include "engine/framework/tracking_allocator.h"
#include "engine/runtime/bfc_allocator/bfc_allocator.h"
