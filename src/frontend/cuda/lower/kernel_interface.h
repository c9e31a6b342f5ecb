#pragma once

#include "frontend/cuda/compiled_program.h"

namespace heddle::cudacpp {

/// Gives kernels the parameters of SIMT IR, and all other functions internal linkage.
///
///     before                                          after
///       ptx_kernel void @k(ptr %a, ptr byval(S) %s)     void @k(ptr addrspace(1) %a, float %s.0, i32 %s.1)
///
/// A structure becomes its scalar parts, which the kernel reassembles on its stack. With `bounds`, each pointer
/// parameter gets `boundsAttribute` and two bounds parameters after all others (KernelInfo::bounded).
///
/// Fills in the slots of `kernels` and drops kernels that were not generated. Throws CompileError (Unsupported) for
/// parameters that no launch can pass.
void makeKernelInterface(llvm::Module &m, std::vector<KernelInfo> &kernels, bool bounds);

} // namespace heddle::cudacpp
