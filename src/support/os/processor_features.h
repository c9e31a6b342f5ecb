// The instruction sets of this machine's processor.
#pragma once

#include <string>
#include <vector>

namespace heddle::os {

/// LLVM's names of the processor's features, with a sign and sorted: "+avx2", "-avx512f". On AArch64, the features that
/// the kernel reports to programs: LLVM reads /proc/cpuinfo, which belongs to another processor in an emulator.
std::vector<std::string> hostFeatures();

/// The size of the processor's scalable vectors (SVE) in bits; 0 if it has none.
unsigned hostScalableVectorBits();

} // namespace heddle::os
