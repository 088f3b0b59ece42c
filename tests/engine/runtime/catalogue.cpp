// Gives tests the compiled-in op catalogue.
#include "engine/framework/op_registry.h"
#include "engine/ops/op_catalogue.h"

namespace {
const opscope::OpCatalogueRegistrar catalogue(&opscope::EmbeddedOpList, &opscope::EmbeddedOpInfo);
}  // namespace
