#pragma once

#include "llvm/IR/Module.h"

namespace heddle::cudacpp {

/// Replaces function pointers by numbers. An indirect call becomes a switch over the functions that have the call's
/// type and whose address the program takes:
///
///     before                          after
///       store ptr @add, ptr %place      store ptr inttoptr (i64 65536 to ptr), ptr %place
///       %r = call i32 %f(i32 %x)        switch i64 %number, label %none [ i64 65536, label %add ... ]
///                                     add:  %a = call i32 @add(i32 %x)
///                                     mul:  %m = call i32 @mul(i32 %x)
///                                     none: call void @simt.trap(...)
///
/// Functions in virtual function tables are numbered in the same way. A number is never 0, and is the same in all
/// kernels of the module. Leaves: no function whose address is taken. Returns true if there was an indirect call.
bool replaceFunctionPointersByNumbers(llvm::Module &m);

} // namespace heddle::cudacpp
