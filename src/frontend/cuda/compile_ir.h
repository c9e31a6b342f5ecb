// Compiles functions that a program has written as LLVM IR.
#pragma once

#include "simt/ir/owned_module.h"

#include <string>

namespace heddle::cudacpp {

/// Parses and verifies the module `text`, which must define `symbol`, and makes all other symbols internal. `name` is
/// the function's name in the program. Throws CompileError (Lowering) with LLVM's message if the module is invalid or
/// calls an undefined function.
simt::OwnedModule readIr(const std::string &text, const std::string &symbol,
                         const std::string &name);

/// Like readIr(), but returns SIMT IR. Also throws CompileError (Unsupported) if SIMT IR cannot express the module.
simt::OwnedModule compileIr(const std::string &text, const std::string &symbol,
                            const std::string &name);

} // namespace heddle::cudacpp
