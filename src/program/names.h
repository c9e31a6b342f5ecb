// Kernels and variables of a program by what its users call them.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include <string>

namespace heddle::program {

/// The kernel that a name stands for: a name expression, a symbol, or the source's name where only one has it; with its
/// parameters' types, "k(int*)", where several do. Throws CompileError: Value with the names that there are, Unsupported
/// for a kernel that no launch can pass arguments to.
const cudacpp::KernelInfo &kernelNamed(const cudacpp::CompiledProgram &program,
                                       const std::string &name);

/// The variable of that name in the source, of that symbol or of that name expression. Throws CompileError (Value) with
/// the names that there are.
const cudacpp::VariableInfo &variableNamed(const cudacpp::CompiledProgram &program,
                                           const std::string &name);

} // namespace heddle::program
