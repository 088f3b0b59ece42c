#include "engine/ops/op_catalogue.h"

#include <cstddef>

// The assembler takes the files in as they are; a generated array of numbers would compile slowly.
#define OPSCOPE_EMBED(name, path) \
  asm(".pushsection .rodata\n"    \
      ".balign 16\n"              \
      ".hidden opscope_" name     \
      "_begin\n"                  \
      ".hidden opscope_" name     \
      "_end\n"                    \
      ".global opscope_" name     \
      "_begin\n"                  \
      ".global opscope_" name     \
      "_end\n"                    \
      "opscope_" name             \
      "_begin:\n"                 \
      ".incbin \"" path           \
      "\"\n"                      \
      "opscope_" name             \
      "_end:\n"                   \
      ".byte 0\n"                 \
      ".popsection\n")

OPSCOPE_EMBED("op_list", OPSCOPE_OP_LIST);
OPSCOPE_EMBED("op_info", OPSCOPE_OP_INFO);

extern "C" {
[[gnu::visibility("hidden")]] extern const char opscope_op_list_begin[];
[[gnu::visibility("hidden")]] extern const char opscope_op_list_end[];
[[gnu::visibility("hidden")]] extern const char opscope_op_info_begin[];
[[gnu::visibility("hidden")]] extern const char opscope_op_info_end[];
}

namespace opscope {

std::string_view EmbeddedOpList() {
  return {opscope_op_list_begin,
          static_cast<std::size_t>(opscope_op_list_end - opscope_op_list_begin)};
}

std::string_view EmbeddedOpInfo() {
  return {opscope_op_info_begin,
          static_cast<std::size_t>(opscope_op_info_end - opscope_op_info_begin)};
}

}  // namespace opscope
