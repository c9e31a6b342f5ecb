// Infers the address spaces of C++ pointers within a function.
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Rewrites accesses and operations to use pointers in the known address space: shared, global.
///
///     before                                          after
///       %s = addrspacecast ptr addrspace(3) %x to ptr
///       %p = getelementptr i32, ptr %s, i64 %i          %p = getelementptr i32, ptr addrspace(3) %x, i64 %i
///       call i32 @simt.atomic.add(ptr %p, ...)          call i32 @simt.atomic.add(addrspacecast %p, ...)
void inferAddressSpaces(llvm::Module &m);

/// Replaces operations on generic pointers by those on the address space that the pointer is cast from.
void specializeAddressSpaces(llvm::Function &f);

} // namespace heddle::cudacpp
