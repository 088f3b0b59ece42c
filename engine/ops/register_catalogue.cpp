// Gives the registry the catalogue that is compiled in.

#include "engine/framework/op_registry.h"
#include "engine/ops/op_catalogue.h"

namespace opscope {
namespace {

const OpCatalogueRegistrar kCatalogue(&EmbeddedOpList, &EmbeddedOpInfo);

}  // namespace
}  // namespace opscope
