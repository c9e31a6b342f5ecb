// LLVM IR that a program has built itself, as a function that compiled code calls.
#pragma once

#include "simt/ir/owned_module.h"

#include <string>

namespace heddle::cudacpp {

/// The module that `text` writes, which defines `symbol`, verified by LLVM and exporting `symbol` alone. `name` is what
/// programs call the function. Throws CompileError (Lowering) with LLVM's words for what is no module, and for a call of
/// a function that nobody defines.
simt::OwnedModule readIr(const std::string &text, const std::string &symbol,
                         const std::string &name);

/// The same as SIMT IR. Throws CompileError (Unsupported) for what SIMT IR cannot say, too.
simt::OwnedModule compileIr(const std::string &text, const std::string &symbol,
                            const std::string &name);

} // namespace heddle::cudacpp
