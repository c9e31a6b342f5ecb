// The instruction sets of this machine's processor.
#pragma once

#include <string>
#include <vector>

namespace heddle::cpu {

/// LLVM's names of features, with a sign: "+avx2", "-avx512f".
using Features = std::vector<std::string>;

/// The features of the processor, sorted. On AArch64, the features that the kernel reports to programs: LLVM reads
/// /proc/cpuinfo, which belongs to another processor in an emulator.
Features hostFeatures();

/// The size of the processor's scalable vectors (SVE) in bits; 0 if it has none.
unsigned hostScalableVectorBits();

} // namespace heddle::cpu
