// Assembles, links and loads code with the driver.
#pragma once

#include "backend/nvptx/compile.h"
#include "runtime/cuda/driver/context.h"

#include <optional>
#include <string>

namespace heddle::cuda {

/// The optimization level of the driver's assembler, 0 to 4, from $HEDDLE_PTX_OPTIMIZATION; for tests that compare
/// levels. nullopt if the variable is not set or not a level.
std::optional<unsigned> assemblerLevelFromEnvironment();

/// Assembles and loads PTX. The driver caches the machine code of PTX that it has assembled (~/.nv/ComputeCache).
/// Requires a current context, as does assembleToCubin(). Both throw CompileError: Unsupported for an error in inline
/// PTX, Internal for other invalid PTX or a driver crash, Lowering if the driver cannot assemble this PTX version or
/// has no assembler.
CUmodule loadPtx(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);
/// Assembles PTX to a cubin, for inspection and files. Kernels are never loaded from it: the driver's linker assembles
/// relocatable code, which differs from the code that loadPtx() loads. For example, it calls a function for a 64-bit
/// division. With CUDA 13.0, kernels whose lanes diverge before a barrier with a reduction may even hang.
std::string assembleToCubin(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);

/// Loads code from another compiler: PTX, a cubin or a fatbin. Messages call it `name`. Throws CompileError (Value)
/// with the driver's log if the driver rejects it.
CUmodule loadImage(Context &context, const std::string &image, const std::string &name);

} // namespace heddle::cuda
