// The architecture that source code is compiled for.
#pragma once

#include <compare>

namespace heddle {

struct Architecture {
  unsigned number =
      75; ///< 10 * compute capability; the CPU device has that of the GPU that it emulates
  bool isGpu = false; ///< a GPU executes the code, which may use the GPU's instructions

  auto operator<=>(const Architecture &) const = default;
};

} // namespace heddle
