// The definedness of memory and values in a checked launch.
#pragma once

#include "runtime/cpu/buffer.h"
#include "runtime/cpu/check/undefined_bytes.h"
#include "simt/check/checked_access.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace heddle::cpu {

/// A load of bytes that nobody had written.
struct UndefinedLoad {
  uint32_t site = 0;
  uint64_t address = 0;                    ///< of the first undefined byte
  uint64_t base = 0;                       ///< of the array
  bool isShared = false, isGlobal = false; ///< else local
};

/// The bytes that nobody has written: shared memory of blocks that run, local variables and the heap of malloc, and, by
/// CpuAllocations, device memory. A value's definedness is a number: 0 if all its bytes are defined.
class Definedness {
public:
  /// Forgets shared and local memory of an earlier launch.
  void begin(bool runsBlocksTogether);
  /// The thread that runs next is of this block, whose shared memory is given. Returns true if the block is new.
  bool enterBlock(uint32_t block, uint64_t shared, uint64_t sharedBytes);

  /// The definedness of the bytes of a value. load: at the value's address.
  uint64_t load(UndefinedLoad load, uint64_t bytes);
  /// The bytes hold a value with this definedness, or if they are more than a value's, defined bytes.
  void store(uint64_t address, uint64_t bytes, uint64_t definedness);
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  void forget(uint64_t address, uint64_t bytes);

  /// The load that gave an undefined value its definedness.
  const UndefinedLoad &loadOf(uint64_t definedness) const;

private:
  using Ranges = std::vector<UndefinedBytes::Range>;
  static constexpr uint64_t maskBits = simt::definednessMaskBits; ///< then the number of the load
  /// Older loads are overwritten. A value whose load is, is reported with another load's array.
  static constexpr uint64_t maxLoads = 1 << 16;

  Ranges findUndefined(uint64_t address, uint64_t bytes) const;
  void define(uint64_t address, uint64_t bytes);

  CpuAllocations *const device_ = CpuAllocations::ofProcess();
  UndefinedBytes own_; ///< shared and local memory
  bool runsBlocksTogether_ = false;
  uint32_t block_ = ~0u;
  uint64_t shared_ = 0, sharedBytes_ = 0;
  std::unordered_set<uint32_t> begun_; ///< blocks, if they run together
  std::vector<UndefinedLoad> loads_;
  uint64_t loadCount_ = 0;
};

} // namespace heddle::cpu
