// Prints how many operations the installed engine knows; fails when they are not those it ships.
#include "engine/ops/op_catalogue.h"
#include "engine/proto/op_def.pb.h"

#include <iostream>

int main() {
  const std::string_view bytes = opscope::EmbeddedOpList();
  tensorflow::OpList list;
  if (!list.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return 1;
  std::cout << list.op_size() << " operations\n";
  return list.op_size() == 533 ? 0 : 1;
}
