// SIMT modules made of others.
#pragma once

#include "llvm/IR/Module.h"

#include <map>
#include <memory>
#include <string>

namespace heddle::simt {

/// Puts exported functions of `from`, with what they call and use, into `into`, which declares them: `names` says by
/// which name each, by its own.
///
///     into                                from                                       into, afterwards
///       declare i32 @import.f(ptr)          define i32 @f(ptr %r) "simt.export"        define internal i32 @import.f(ptr %r)
///
/// Both are of one context. Sites and module variables come along; a variable whose name is taken gets another.
/// Throws CompileError (Internal) when LLVM does not link them.
void linkFunctions(llvm::Module &into, std::unique_ptr<llvm::Module> from,
                   const std::map<std::string, std::string> &names);

} // namespace heddle::simt
