#pragma once
// Puts the embedded op catalogue into OpRegistry::Global(), without shape functions and kernels.

#include "engine/framework/op_registry.h"
#include "engine/ops/op_catalogue.h"

namespace opscope {
static const OpCatalogueRegistrar kTestCatalogue(&EmbeddedOpList, &EmbeddedOpInfo);
}  // namespace opscope
