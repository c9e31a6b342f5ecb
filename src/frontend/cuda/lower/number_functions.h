#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Makes numbers of pointers to functions, and of calls through them a choice between the functions whose address the
/// program takes and that have the type of the call:
///
///     before                          after
///       store ptr @add, ptr %place      store ptr inttoptr (i64 65536 to ptr), ptr %place
///       %r = call i32 %f(i32 %x)        switch i64 %number, label %none [ i64 65536, label %add ... ]
///                                     add:  %a = call i32 @add(i32 %x)
///                                     mul:  %m = call i32 @mul(i32 %x)
///                                     none: call void @simt.trap(...)
///
/// So do tables of virtual functions. A number is never 0, and the same in every kernel of the module.
/// Leaves: no function whose address is taken. Returns whether there was a call through a pointer.
bool numberFunctions(llvm::Module &m);

} // namespace heddle::cudacpp
