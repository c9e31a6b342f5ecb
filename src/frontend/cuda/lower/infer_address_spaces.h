// Which memory a pointer of C++ points to, as far as a function tells.
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Gives accesses and operations pointers to the memory that they are known to be in: shared, global.
///
///     before                                          after
///       %s = addrspacecast ptr addrspace(3) %x to ptr
///       %p = getelementptr i32, ptr %s, i64 %i          %p = getelementptr i32, ptr addrspace(3) %x, i64 %i
///       call i32 @simt.atomic.add(ptr %p, ...)          call i32 @simt.atomic.add(addrspacecast %p, ...)
void inferAddressSpaces(llvm::Module &m);

/// Calls of operations on generic pointers become those on the address space that the pointer is cast from.
void nameAddressSpaces(llvm::Function &f);

} // namespace heddle::cudacpp
