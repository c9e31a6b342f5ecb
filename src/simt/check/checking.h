// The process-wide switch that turns checked launches on.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::simt {

/// True while launches on the CPU device check every access of their kernels. CUDA C++ programs that are compiled
/// meanwhile keep accesses apart that LLVM would otherwise merge or speculate.
inline std::atomic<bool> isChecking{false};

/// The number of the check whose launches have lints; 0: none have.
inline std::atomic<uint64_t> lintingCheck{0};
/// The number of the last check with lints.
inline std::atomic<uint64_t> lintedChecks{0};

} // namespace heddle::simt
