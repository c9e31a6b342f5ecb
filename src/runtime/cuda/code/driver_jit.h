// Assembles, links and loads code with the driver.
#pragma once

#include "backend/nvptx/compile.h"
#include "runtime/cuda/driver/context.h"

#include <optional>
#include <string>

namespace heddle::cuda {

/// The optimization level of the driver's assembler, 0 to 4, from $HEDDLE_PTX_OPTIMIZATION; for tests that compare
/// levels. nullopt if the variable is not set or not a level.
std::optional<unsigned> environmentAssemblerLevel();

/// Assembles and loads PTX. The driver caches the machine code of PTX that it has assembled (~/.nv/ComputeCache).
/// Requires a current context, as does assemble(). Both throw CompileError: Internal with the driver's log if the PTX is
/// invalid or the driver crashes, Lowering if this driver cannot assemble at all.
CUmodule loadPtx(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);
/// Assembles PTX to a cubin, for inspection and files. The driver's linker assembles relocatable code, which differs
/// from what loadPtx() loads: a 64-bit division is a call, and with CUDA 13.0 kernels with divergent lanes before a
/// barrier with a reduction may hang. So kernels are never loaded from it.
std::string assemble(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);

/// Loads code from another compiler: PTX, a cubin or a fatbin. Messages call it `name`. Throws CompileError (Value)
/// with the driver's log if the driver rejects it.
CUmodule loadImage(Context &context, const std::string &image, const std::string &name);

} // namespace heddle::cuda
