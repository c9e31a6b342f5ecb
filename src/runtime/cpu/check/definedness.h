// The definedness of memory and values in a checked launch.
#pragma once

#include "runtime/cpu/buffer.h"
#include "runtime/cpu/check/undefined_bytes.h"
#include "simt/check/checked_access.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace heddle::cpu {

/// A load of undefined bytes: bytes that had not been written.
struct UndefinedLoad {
  uint32_t site = 0;
  uint64_t address = 0;                    ///< of the first undefined byte
  uint64_t base = 0;                       ///< of the array
  bool isShared = false, isGlobal = false; ///< else local
};

/// Tracks undefined bytes: in the shared memory of running blocks, in local variables and in the malloc heap.
/// CpuAllocations tracks those of device memory. A value's definedness is an integer: 0 if all its bytes are defined.
class Definedness {
public:
  /// Forgets shared and local memory of an earlier launch.
  void begin(bool runsBlocksTogether);
  /// Called before a thread of this block runs. `shared`: the block's shared memory. Returns true if the block is new.
  bool enterBlock(uint32_t block, uint64_t shared, uint64_t sharedBytes);

  /// Returns the definedness of a loaded value. `load` describes the load; its address is the value's.
  uint64_t recordLoad(UndefinedLoad load, uint64_t bytes);
  /// Records a store of a value with this definedness. Bytes beyond the first maskBits become defined.
  void store(uint64_t address, uint64_t bytes, uint64_t definedness);
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  void markUndefined(uint64_t address, uint64_t bytes);

  /// The load that gave an undefined value its definedness.
  const UndefinedLoad &loadOf(uint64_t definedness) const;

private:
  using Ranges = std::vector<UndefinedBytes::Range>;
  static constexpr uint64_t maskBits = simt::definednessMaskBits; ///< the load's ID is above them
  /// Older loads are overwritten. A value whose load was overwritten is reported with a newer load's array.
  static constexpr uint64_t maxLoads = 1 << 16;

  Ranges findUndefined(uint64_t address, uint64_t bytes) const;
  void markDefined(uint64_t address, uint64_t bytes);

  CpuAllocations *const device_ = CpuAllocations::ofProcess();
  UndefinedBytes own_; ///< shared and local memory
  bool runsBlocksTogether_ = false;
  uint32_t block_ = ~0u;
  uint64_t shared_ = 0, sharedBytes_ = 0;
  std::unordered_set<uint32_t> begun_; ///< blocks that have begun, if blocks run together
  std::vector<UndefinedLoad> loads_;
  uint64_t loadCount_ = 0;
};

} // namespace heddle::cpu
