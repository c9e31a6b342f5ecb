// The front end's way in: CUDA C++ source becomes SIMT IR.
#pragma once

#include "frontend/cuda/compiled_program.h"
#include "frontend/cuda/options.h"

#include <span>
#include <string>

namespace heddle::cudacpp {

/// Compiles `source`, which messages call `file`. `expressions` are C++ expressions that name kernels ("scale<float>")
/// or addresses of variables ("&table<3>"): templates that they name are instantiated. `architecture` is what
/// __CUDA_ARCH__ stands for, divided by 10. Throws CompileError: kind Typing with Clang's diagnostics, Unsupported for
/// what kernels cannot have.
CompiledProgram compile(const std::string &source, const std::string &file, const Options &options,
                        std::span<const std::string> expressions = {}, unsigned architecture = 75);

/// Compiles `source` for its __device__ functions: the module exports those that code outside can call, and has no
/// kernels. The rest as compile().
CompiledProgram compileDeviceFunctions(const std::string &source, const std::string &file,
                                       const Options &options, unsigned architecture);

} // namespace heddle::cudacpp
