#include "runtime/device.h"

#include "support/diagnostic.h"

#include "llvm/Demangle/Demangle.h"

namespace heddle {

namespace {

std::string formatTriple(const Dim3 &d) {
  std::string text = "(";
  for (uint32_t n : {d.x, d.y, d.z})
    text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text += ")";
}

[[noreturn]] void rejectLaunch(const Kernel &kernel, std::string message, std::string hint = "") {
  throw CompileError(Diagnostic{.kind = ErrorKind::Value,
                                .message = std::move(message),
                                .notes = {"kernel " + llvm::demangle(kernel.name())},
                                .hint = std::move(hint)});
}

/// Formats a shape as in a launch: a plain number if only x is not 1.
std::string formatShape(const Dim3 &d) {
  return d.z != 1   ? formatTriple(d)
         : d.y != 1 ? "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ")"
                    : std::to_string(d.x);
}

/// A hint for a block with more than `most` threads.
std::string hintForTooManyThreads(const LaunchShape &shape, uint64_t most) {
  if (shape.grid.count() > 1 && shape.grid.count() <= most)
    return "the grid comes before the block: grid " + formatShape(shape.block) + " and block " +
           formatShape(shape.grid) + " may be meant";
  return "use more blocks of fewer threads; 128 or 256 is a good number";
}

/// True if every extent is at least 1 and at most the limit.
bool isWithin(const Dim3 &shape, const Dim3 &limit) {
  return shape.x - 1 < limit.x && shape.y - 1 < limit.y && shape.z - 1 < limit.z; // 0 wraps around
}

void checkExtents(const Kernel &kernel, const char *what, const char *limitPrefix,
                  const Dim3 &shape, const Dim3 &limit) {
  if (isWithin(shape, limit)) [[likely]]
    return;
  if (!shape.x || !shape.y || !shape.z)
    rejectLaunch(kernel, std::string(what) + " of shape " + formatTriple(shape) +
                             ": every extent must be at least 1");
  const uint32_t extents[] = {shape.x, shape.y, shape.z};
  const uint32_t limits[] = {limit.x, limit.y, limit.z};
  for (int axis = 0; axis < 3; ++axis)
    if (extents[axis] > limits[axis])
      rejectLaunch(kernel, std::string(what) + " of shape " + formatTriple(shape) +
                               ": this device takes at most " + std::to_string(limits[axis]) +
                               " along " + "xyz"[axis] + " (" + limitPrefix + "XYZ"[axis] + ")");
}

} // namespace

void checkLaunch(const Device &device, const Kernel &kernel, const LaunchShape &shape) {
  const LaunchLimits &limits = device.limits();
  uint64_t threads = shape.block.count();
  if (threads > limits.maxThreadsPerBlock)
    rejectLaunch(kernel,
                 "block of " + std::to_string(threads) + " threads " + formatTriple(shape.block) +
                     ": this device takes at most " + std::to_string(limits.maxThreadsPerBlock) +
                     " threads per block (MAX_THREADS_PER_BLOCK)",
                 hintForTooManyThreads(shape, limits.maxThreadsPerBlock));
  checkExtents(kernel, "block", "MAX_BLOCK_DIM_", shape.block, limits.maxBlock);
  checkExtents(kernel, "grid", "MAX_GRID_DIM_", shape.grid, limits.maxGrid);
  if (threads > kernel.maxThreadsPerBlock())
    rejectLaunch(kernel,
                 "block of " + std::to_string(threads) + " threads " + formatTriple(shape.block) +
                     ": this kernel takes at most " + std::to_string(kernel.maxThreadsPerBlock()) +
                     " threads per block",
                 "its launch bounds allow no more, or it needs too many registers");
  uint64_t shared = uint64_t(kernel.staticSharedBytes()) + shape.dynamicSharedBytes;
  if (shared > limits.maxSharedBytesPerBlock)
    rejectLaunch(kernel,
                 "shared memory of " + std::to_string(shared) + " bytes per block (static " +
                     std::to_string(kernel.staticSharedBytes()) + ", dynamic " +
                     std::to_string(shape.dynamicSharedBytes) + "): this device takes at most " +
                     std::to_string(limits.maxSharedBytesPerBlock) +
                     " (MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)");
  if (!kernel.isCooperative() && !shape.cooperative)
    return;
  uint64_t most = device.maxCooperativeBlocks(kernel, threads, shape.dynamicSharedBytes);
  if (shape.grid.count() > most)
    rejectLaunch(
        kernel,
        "grid of " + std::to_string(shape.grid.count()) + " blocks " + formatTriple(shape.grid) +
            " that run at the same time: this device runs at most " + std::to_string(most) +
            " blocks of " + std::to_string(threads) + " threads of this kernel at once",
        most ? "launch a grid of at most " + std::to_string(most) +
                   " blocks, whose threads loop over the work"
             : "");
}

} // namespace heddle
