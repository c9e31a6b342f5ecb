// Entry points of the front end: compile CUDA C++ source to SIMT IR.
#pragma once

#include "frontend/cuda/compiled_program.h"
#include "frontend/cuda/options.h"
#include "simt/architecture.h"

#include <span>
#include <string>

namespace heddle::cudacpp {

/// Compiles `source`; `file` is its name in messages. `expressions` are C++ expressions that name kernels
/// ("scale<float>") or addresses of variables ("&table<3>"); their templates are instantiated. Throws CompileError:
/// Typing with Clang's diagnostics, Unsupported for features that kernels do not support.
CompiledProgram compile(const std::string &source, const std::string &file, const Options &options,
                        std::span<const std::string> expressions = {},
                        Architecture architecture = {});

/// Compiles `source` for its __device__ functions. The module exports the functions that outside code can call, and has
/// no kernels. The other parameters are those of compile().
CompiledProgram compileDeviceFunctions(const std::string &source, const std::string &file,
                                       const Options &options, Architecture architecture);

} // namespace heddle::cudacpp
