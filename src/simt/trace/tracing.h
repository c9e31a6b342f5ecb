// The process-wide switch that turns traces on.
#pragma once

#include "simt/check/checking.h"

#include <atomic>

namespace heddle::simt {

/// True while a launch on the CPU device may be traced (`heddle trace`).
inline std::atomic<bool> isTracing{false};

/// True if CUDA C++ programs must keep accesses separate that LLVM would otherwise merge or speculate.
inline bool keepsAccessesSeparate() { return isChecking || isTracing; }

} // namespace heddle::simt
