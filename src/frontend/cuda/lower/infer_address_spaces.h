// Infers the address spaces of C++ pointers within a function.
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Rewrites accesses and operations to use pointers in the shared or global address space, where it is known.
///
///     before                                          after
///       %s = addrspacecast ptr addrspace(3) %x to ptr
///       %p = getelementptr i32, ptr %s, i64 %i          %p = getelementptr i32, ptr addrspace(3) %x, i64 %i
///       call i32 @simt.atomic.add(ptr %p, ...)          call i32 @simt.atomic.add(addrspacecast %p, ...)
///       %i = call i32 @__heddle_is_in_shared(ptr %p)    %i = i32 1
///
/// If the address space is unknown, inline PTX (isspacep) replaces the query.
void inferAddressSpaces(llvm::Module &m);

/// If a generic operand of an operation is cast from a shared or global pointer, replaces it by that pointer.
void specializeAddressSpaces(llvm::Function &f);

} // namespace heddle::cudacpp
