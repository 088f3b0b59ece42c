#pragma once
// oneDNN's engine for this processor; one for all kernels.

#include <oneapi/dnnl/dnnl.hpp>

namespace opscope::kernels {

inline const dnnl::engine& Cpu() {
  static const auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

}  // namespace opscope::kernels
