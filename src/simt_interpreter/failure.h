// Errors of an interpreted kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::interpreter {

enum class FailureKind {
  Trap,       ///< simt.trap, simt.trap.index
  Bounds,     ///< an access outside of every allocation
  Space,      ///< an access to foreign shared or local memory, or by a pointer of another space
  Misaligned, ///< an address that is no multiple of the access's alignment
  ReadOnly,   ///< a write to constant memory
  Undefined, ///< other undefined behaviour: division by zero, a false assumption, an unreachable place
  Mask,      ///< a lane outside of its own mask
  Divergence, ///< lanes of a warp at barriers of different places, or warps at barriers of different kinds
  Deadlock,    ///< threads that wait for each other, or for one that never comes
  Endless,     ///< more steps than the launch allows
  Unsupported, ///< nothing that the interpreter runs
};
const char *nameOf(FailureKind kind);

/// Thrown where it happens; Grid adds the thread, the block and the place.
struct Failure {
  FailureKind kind;
  std::string message;
  std::optional<uint64_t> site = {};              ///< of a trap, an index into !simt.sites
  std::optional<int64_t> index = {}, extent = {}; ///< of simt.trap.index
};

} // namespace heddle::interpreter
