// Links exported functions of one SIMT module into another.
#pragma once

#include "llvm/IR/Module.h"

#include <map>
#include <memory>
#include <string>

namespace heddle::simt {

/// Moves exported functions of `from`, with everything they call and use, into `into`, which declares them. `names`
/// maps each exported name to its name in `into`.
///
///     into                           from                                    into, afterwards
///       declare i32 @import.f(ptr)     define i32 @f(ptr %r) "simt.export"     define internal i32 @import.f(ptr %r)
///
/// Both modules must share a context. Also moves sites and module variables, and renames a variable if its name is
/// taken. Throws CompileError (Internal) if LLVM fails to link the modules.
void linkFunctions(llvm::Module &into, std::unique_ptr<llvm::Module> from,
                   const std::map<std::string, std::string> &names);

} // namespace heddle::simt
