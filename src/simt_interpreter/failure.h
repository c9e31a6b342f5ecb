// Errors in an interpreted kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::interpreter {

enum class FailureKind {
  Trap,   ///< simt.trap, simt.trap.index
  Bounds, ///< an access outside all allocations
  Space, ///< an access to shared or local memory of another owner, or through a pointer of another space
  Misaligned, ///< an address that is not a multiple of the access's alignment
  ReadOnly,   ///< a write to constant memory
  Undefined, ///< other undefined behavior: division by zero, a false assumption, reaching `unreachable`
  Mask,      ///< a lane executes a warp operation whose mask does not include it
  Divergence,  ///< lanes of a warp at different barriers, or warps at barriers of different kinds
  Deadlock,    ///< threads that wait for each other, or for a thread that has returned
  Endless,     ///< more steps than the launch allows
  Unsupported, ///< an instruction that the interpreter does not implement
};
const char *nameOfFailureKind(FailureKind kind);

/// Thrown at the point of failure; Grid adds the thread, the block and the source location.
struct Failure {
  FailureKind kind;
  std::string message;
  std::optional<uint64_t> site = {};              ///< for a trap: index into !simt.sites
  std::optional<int64_t> index = {}, extent = {}; ///< for simt.trap.index
};

} // namespace heddle::interpreter
