// The functions of this process that generated code may call, beside the runtime's own.
#pragma once

#include <cstddef>

namespace heddle::cpu {

struct HostFunction {
  const char *name;
  void *address;
};

/// libm, and what LLVM's code generator calls on its own account (memcpy, 128-bit division). Ends with a null name.
extern const HostFunction hostFunctions[];

} // namespace heddle::cpu
