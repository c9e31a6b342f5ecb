// The memory of a launch: allocations at distant addresses, and checked accesses.
#pragma once

#include "simt_interpreter/failure.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"

#include <random>
#include <vector>

namespace heddle::interpreter {

/// A value of a SIMT IR type: the bits of a scalar, or of an aggregate's scalars in order.
using Datum = llvm::SmallVector<llvm::APInt, 1>;
using Random = std::mt19937_64;

/// The number of scalars in a type, as in a Datum.
size_t countScalars(const llvm::Type *type);

/// The thread that accesses memory, and its pointer. `block` must own accessed shared memory, and `thread` local
/// memory.
struct Access {
  unsigned pointerSpace = 0;
  uint64_t alignment = 1;
  uint64_t block = 0;
  uint64_t thread = 0;
};

/// A region holds the allocations of one owner in one address space. The upper half of an address is the region's
/// number. Allocations are at least 1 MiB apart, so that slightly wrong indices hit nothing.
class Memory {
public:
  Memory(const llvm::DataLayout &layout, Random &random) : layout_(layout), random_(random) {}

  /// Adds an empty region and returns its number. `owner` is a block for shared memory, and a thread for local memory.
  uint32_t addRegion(unsigned space, uint64_t owner = 0);
  /// Allocates memory with random contents, aligned to 1 MiB. Returns its address.
  uint64_t allocate(uint32_t region, uint64_t bytes);
  /// Frees the newest allocations of a region until `count` are left.
  void freeNewestUntil(uint32_t region, size_t count);
  size_t countAllocations(uint32_t region) const { return regions_[region].allocations.size(); }
  /// The contents of the allocation that starts at the address.
  std::vector<uint8_t> &allocationBytesAt(uint64_t address);

  Datum load(llvm::Type *type, uint64_t address, const Access &access);
  void store(const llvm::Type *type, const Datum &value, uint64_t address, const Access &access);
  /// Returns the bytes at `address`. Throws Failure unless all are in one allocation that the access may touch.
  uint8_t *checkedBytes(uint64_t address, uint64_t bytes, const Access &access, bool writes);
  /// Stores an initializer without checks. Constant memory is written only here.
  void initialize(const llvm::Type *type, const Datum &value, uint64_t address);

private:
  struct Allocation {
    uint64_t offset;
    std::vector<uint8_t> bytes;
  };
  struct Region {
    unsigned space;
    uint64_t owner;
    std::vector<Allocation> allocations; ///< sorted by offset
  };
  void checkSpace(const Region &region, const Access &access, bool writes) const;
  Allocation *findAllocation(uint64_t address);
  void readScalars(llvm::Type *type, const uint8_t *from, Datum &into) const;
  void writeScalars(const llvm::Type *type, llvm::ArrayRef<llvm::APInt> &scalars,
                    uint8_t *to) const;

  const llvm::DataLayout &layout_;
  Random &random_;
  std::vector<Region> regions_ = {{}}; ///< region 0 contains the null pointer, and no allocations
};

} // namespace heddle::interpreter
