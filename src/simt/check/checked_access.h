// The operands of simt.check.access and simt.check.sync, shared by the pass that emits them and the runtime.
#pragma once

#include "simt/ir/ops.h"

#include <cstdint>

namespace heddle::simt {

enum class AccessKind : uint32_t { Read, Write, Atomic };
/// Device: global or shared memory.
enum class AccessMemory : uint32_t { Device, Local, Constant };

/// Operand 4 of simt.check.access.
struct CheckedAccess {
  AccessKind kind = AccessKind::Read;
  Scope scope = Scope::System; ///< of an atomic
  bool isCas = false;          ///< a compare-and-swap
  /// An atomic load or store, or a volatile access to an array on which a spin loop of the kernel waits.
  bool isFlag = false;
  bool isGuess = false;  ///< a read whose value is only compared by a compare-and-swap
  bool isLocal = false;  ///< to memory that no other thread accesses, or that nobody writes
  bool hasValue = false; ///< operand 5 holds the stored bits
  bool isHeap = false;   ///< to the malloc heap, by malloc or free; operand 5 holds the heap's size
  /// A store by which malloc or free marks a heap block as allocated or free, or another store of 0 to the heap;
  /// operand 5 is the stored value.
  bool isHeapMark = false;
  /// The atomic takes a lock if it changes the memory: a compare-and-swap that expects the constant in operand 5, or an
  /// exchange that stores it and whose result is only compared.
  bool takesLock = false;
  /// The address is computed from a value in memory (a gather, a scatter or a list), or the access stands for a matrix
  /// instruction: its pattern says nothing about the program.
  bool isIndirect = false;
  bool isInFlight = false; ///< a write of an asynchronous copy, before the thread has waited for it
  AccessMemory memory = AccessMemory::Device;
  uint32_t alignment = 1; ///< in bytes, a power of two

  /// The upper bits of the value that marks an allocated block (__heddle_block_taken in heap.h of the CUDA headers).
  static constexpr uint32_t heapBlockTaken = 0x7a4b0000;
  /// The size of the header before the memory of a heap block (__heddle_block_head in heap.h).
  static constexpr uint64_t heapHeaderBytes = 16;

  uint32_t encode() const;
  static CheckedAccess decode(uint32_t bits);
};

/// The number of low bits in the definedness of a value (simt.check.load) that mark undefined bytes, one bit per byte.
/// Larger values count as defined.
inline constexpr uint64_t definednessMaskBits = 16;

/// Operand 0 of simt.check.sync. Operand 1 is the mask for Warp, the scope for Fence, a CheckedJoin for Join, and for
/// WaitForCopies the number of groups of copies that may still be in flight.
enum class SyncKind : uint32_t { Block, Warp, Grid, Fence, Join, CommitCopies, WaitForCopies };

/// Metadata of the writes of an asynchronous copy.
inline constexpr const char *copyInFlight = "heddle.copy";

/// A join of a barrier: a place that threads reach whether they have passed the barrier or skipped it
/// (InsertBarrierChecks).
struct CheckedJoin {
  uint32_t site;  ///< of the barrier
  uint32_t level; ///< 0: the outermost join of this barrier

  uint32_t encode() const { return site | level << siteBits; }
  static CheckedJoin decode(uint32_t bits) {
    return {bits & ((1u << siteBits) - 1), bits >> siteBits};
  }

private:
  static constexpr uint32_t siteBits = 24;
};

} // namespace heddle::simt
