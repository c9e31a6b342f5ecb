// The operands of simt.check.access and simt.check.sync, shared by the pass that emits them and the runtime.
#pragma once

#include "simt/ir/ops.h"

#include <cstdint>

namespace heddle::simt {

enum class AccessKind : uint32_t { Read, Write, Atomic };

/// Operand 4 of simt.check.access.
struct CheckedAccess {
  AccessKind kind = AccessKind::Read;
  Scope scope = Scope::System; ///< of an atomic
  bool isCas = false;          ///< the atomic is a compare-and-swap
  bool isFlag = false;   ///< a volatile access of an array on which a spin loop of the kernel waits
  bool isGuess = false;  ///< a read whose value is only compared by a compare-and-swap
  bool isLocal = false;  ///< of memory that no other thread accesses, or that nobody writes
  bool hasValue = false; ///< operand 5 holds the stored bits
  bool isHeap = false;   ///< of the heap of malloc, by malloc or free; operand 5 holds its size
  uint32_t alignment = 1; ///< in bytes, a power of two

  uint32_t encode() const;
  static CheckedAccess decode(uint32_t bits);
};

/// Operand 1 of simt.check.sync. For WarpSync, operand 2 is the mask; for Fence, the scope.
enum class SyncKind : uint32_t { Block, Warp, Grid, Fence };

} // namespace heddle::simt
