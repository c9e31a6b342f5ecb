// The process-wide switch that turns checked launches on.
#pragma once

#include <atomic>

namespace heddle::simt {

/// True while launches on the CPU device check every access of their kernels. CUDA C++ programs that are compiled
/// meanwhile keep accesses apart that LLVM would otherwise merge or speculate.
inline std::atomic<bool> isChecking{false};

} // namespace heddle::simt
