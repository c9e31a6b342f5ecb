#pragma once

#include "frontend/cuda/compiled_program.h"

namespace heddle::cudacpp {

/// Gives kernels the parameters of SIMT IR, and everything else internal linkage.
///
///     before                                          after
///       ptx_kernel void @k(ptr %a, ptr byval(S) %s)     void @k(ptr addrspace(1) %a, float %s.0, i32 %s.1)
///
/// With `bounds`, two parameters for each that is a pointer follow all others (KernelInfo::bounded), and the pointer has
/// `boundsAttribute`.
/// A structure becomes its parts, which the kernel puts together again on its stack. Fills in the slots of `kernels`,
/// and drops those whose function was not generated. Throws CompileError (Unsupported) for what no launch can pass.
void makeKernelInterface(llvm::Module &m, std::vector<KernelInfo> &kernels, bool bounds);

} // namespace heddle::cudacpp
