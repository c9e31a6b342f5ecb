// Compile options, set by users and passed through the front ends to the back ends.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace heddle {

/// The launch that code is compiled for.
struct LaunchExtents {
  std::array<uint32_t, 3> block{256, 1, 1}; ///< threads per block along x, y and z
  uint64_t gridThreadsX = 0; ///< threads of the whole grid along x; 0 if not launched yet
};

/// Optimizations that fastmath= permits: LLVM's fast-math flags except nnan and ninf. CUDA's fast math keeps NaN and
/// infinity, and isnan() must keep working.
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

/// Returns false if $HEDDLE_BOUNDS is 0.
inline bool areBoundsChecksEnabled() {
  const char *text = std::getenv("HEDDLE_BOUNDS");
  return !text || std::string_view(text) != "0";
}

/// The checks that `heddle check` or `heddle trace` adds to a kernel for CPUs (simt/check).
enum class Checks : uint8_t {
  None,
  Filter, ///< fast: stops if the kernel may have a race or an invalid access
  Exact,  ///< reports races and invalid accesses
  Trace   ///< records the steps of threads, and reports invalid accesses (simt/trace)
};

/// Options for compiling one kernel (the cuda.jit options that reach a back end).
struct CompileOptions {
  bool debug = false; ///< keep debug information; the front end also adds its checks
  bool bounds =
      areBoundsChecksEnabled(); ///< on CPUs, an out-of-bounds index stops the kernel with an error
  Checks checks = Checks::None;
  bool optimize = true;               ///< cuda.jit(opt=)
  FastMath fastMath = FastMath::None; ///< fastmath=
  bool contract = true; ///< allow FMA contraction, as in CUDA; off in the loops of a ufunc
  /// -ftz: a GPU flushes subnormal floats to zero. The CPU keeps them, because its flush flag would also affect
  /// doubles.
  bool flushDenormals = false;
  bool cache = false; ///< cuda.jit(cache=): use the disk cache
  unsigned maxRegisters = 0;
  /// cuda.jit(width=): the number of threads that the CPU device runs together as a vector. 1 means one at a time; 0
  /// lets the compiler choose.
  unsigned width = 0;
  LaunchExtents launch;    ///< the launch to compile for; a typical one by default
  bool fixedBlock = false; ///< the code runs only blocks of that launch's shape
  bool reorder =
      true; ///< cuda.jit(reorder=): may put neighbors of a warp along y or z (simt/thread_order.h)
  bool lineInfo = false; ///< cuda.jit(lineinfo=): source lines in the machine code
  /// cuda.jit(launch_bounds=): maximum threads per block, minimum blocks per multiprocessor, maximum blocks per
  /// cluster; 0 if not given.
  std::array<unsigned, 3> launchBounds{};
};

/// Returns true if users may request this width. CompileOptions::width may also be 0.
constexpr bool isValidWidth(unsigned width) {
  return width == 1 || width == 4 || width == 8 || width == 16 || width == 32;
}

} // namespace heddle
