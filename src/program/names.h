// Finds kernels and variables of a program by the names that users give.
#pragma once

#include "frontend/cuda/compiled_program.h"

#include <string>

namespace heddle::program {

/// Finds a kernel by name expression, symbol or source name. If several kernels share a source name, it needs the
/// parameter types: "k(int*)". Throws CompileError: Value with the available names, Unsupported for a kernel that
/// cannot be launched.
const cudacpp::KernelInfo &getKernel(const cudacpp::CompiledProgram &program,
                                     const std::string &name);

/// Finds a variable by source name, symbol or name expression. Throws CompileError (Value) with the available names.
const cudacpp::VariableInfo &getVariable(const cudacpp::CompiledProgram &program,
                                         const std::string &name);

} // namespace heddle::program
