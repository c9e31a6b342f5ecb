// What a user may ask of a compilation: front ends read it, back ends obey it.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace heddle {

/// A launch, as far as code is compiled for it.
struct LaunchExtents {
  std::array<uint32_t, 3> block{256, 1, 1}; ///< threads of a block along x, y and z
  uint64_t gridThreadsX = 0; ///< of the whole grid along x; 0 where nothing is launched yet
};

/// What fastmath= allows, as bits: LLVM's flags but nnan and ninf. A GPU's fast math keeps NaN and infinity, and
/// isnan() must go on working.
enum class FastMath : uint8_t {
  None = 0,
  Reassociate = 1,
  NoSignedZeros = 2,
  Reciprocals = 4,
  Contract = 8,
  Approximate = 16,
  All = 31,
};
constexpr FastMath operator|(FastMath a, FastMath b) { return FastMath(uint8_t(a) | uint8_t(b)); }
constexpr bool allows(FastMath given, FastMath freedom) {
  return (uint8_t(given) & uint8_t(freedom)) == uint8_t(freedom);
}

/// False where $HEDDLE_BOUNDS is 0.
inline bool boundsOfEnvironment() {
  const char *text = std::getenv("HEDDLE_BOUNDS");
  return !text || std::string_view(text) != "0";
}

/// What a user may ask of the compilation of one kernel (the options of cuda.jit that reach a back end).
struct CompileOptions {
  bool debug = false; ///< keep debug information; the front end adds checks of its own
  bool bounds =
      boundsOfEnvironment(); ///< on CPUs, an index out of bounds ends the kernel with an error
  bool optimize = true;      ///< cuda.jit(opt=)
  FastMath fastMath = FastMath::None; ///< fastmath=
  bool contract =
      true; ///< a product and a sum may become one operation, as in CUDA; not so in a ufunc's loops
  /// -ftz: a GPU takes subnormal floats for 0. The CPU keeps them: its flag for that would flush doubles, too.
  bool flushDenormals = false;
  bool cache = false; ///< cuda.jit(cache=): look in and write to the disk cache
  unsigned maxRegisters = 0;
  /// cuda.jit(width=): threads that the CPU device runs together as vectors, 1 for one at a time; 0: as it sees fit.
  unsigned width = 0;
  LaunchExtents launch; ///< the one that the code is compiled for; where there is none, a usual one
  bool fixedBlock = false; ///< the code may run no blocks of another shape than that launch's
  bool reorder =
      true; ///< cuda.jit(reorder=): threads of a warp may be neighbours along y or z (simt/thread_order.h)
  bool lineInfo = false; ///< cuda.jit(lineinfo=): source lines in the machine code
  /// cuda.jit(launch_bounds=): threads per block at most, blocks per multiprocessor at least, blocks per cluster at
  /// most; 0 where not given.
  std::array<unsigned, 3> launchBounds{};
};

/// Whether CompileOptions::width may be that.
constexpr bool isWidth(unsigned width) {
  return width == 1 || width == 4 || width == 8 || width == 16 || width == 32;
}

} // namespace heddle
