// The driver's assembler and linker.
#pragma once

#include "backend/nvptx/compile.h"
#include "runtime/cuda/driver/context.h"

#include <optional>
#include <string>

namespace heddle::cuda {

/// The optimization level at which the driver assembles, 0 to 4: $HEDDLE_PTX_OPTIMIZATION, for tests that compare levels.
/// Nothing if it is not set or is no level.
std::optional<unsigned> assemblerLevelOfEnvironment();

/// What the driver does with PTX. Both need the context to be current, and throw CompileError (Internal) with the
/// driver's log when the PTX is wrong, CompileError (Lowering) when this driver cannot assemble at all. A driver that
/// crashes over it is CompileError (Internal), too.
///
/// Makes machine code (a cubin) of it.
std::string assemble(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);
/// Makes machine code of it and loads that.
CUmodule loadPtx(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options);

/// Loads code that another compiler made: PTX, a cubin or a fatbin, which messages call `name`. Throws CompileError
/// (Value) with the driver's log when it does not take it.
CUmodule loadImage(Context &context, const std::string &image, const std::string &name);

/// Loads machine code; null when the driver does not take it.
CUmodule loadCubin(Context &context, const std::string &cubin);

} // namespace heddle::cuda
