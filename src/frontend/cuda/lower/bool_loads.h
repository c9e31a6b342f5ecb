#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Makes a bool in memory true if its byte is not zero, as nvcc does. C++ leaves other bytes than 0 and 1 undefined, and
/// Clang reads the lowest bit and promises LLVM that the others are 0.
///
///     before                                            after
///       %byte = load i8, ptr %p, !range !{i8 0, i8 2}     %byte = load i8, ptr %p
///       %bool = trunc i8 %byte to i1                      %bool = icmp ne i8 %byte, 0
///
/// Needs: the code as Clang has generated it. A pass that knows the range may already have used it.
void testBytesOfBools(llvm::Module &m);

} // namespace heddle::cudacpp
