// Host functions that generated code may call, in addition to the runtime entry points.
#pragma once

#include <cstddef>

namespace heddle::cpu {

struct HostFunction {
  const char *name;
  void *address;
};

/// libm, and functions that LLVM's code generator calls implicitly (memcpy, 128-bit division). Ends with a null name.
extern const HostFunction hostFunctions[];

} // namespace heddle::cpu
