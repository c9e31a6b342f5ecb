// Process-wide switches that turn checked launches and lints on.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::simt {

/// True while launches on the CPU device check every access of their kernels. CUDA C++ programs compiled during this
/// time keep separate the accesses that LLVM would otherwise merge or speculate.
inline std::atomic<bool> isChecking{false};

/// The ID of the check that is running, if its launches are linted; else 0.
inline std::atomic<uint64_t> lintingCheck{0};
/// The ID of the last check whose launches were linted. IDs count from 1.
inline std::atomic<uint64_t> lintedChecks{0};

} // namespace heddle::simt
