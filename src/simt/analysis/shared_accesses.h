// Loads and stores of shared memory in a kernel, and their order between barriers.
#pragma once

#include "simt/analysis/accesses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

struct SharedAccess : Access {
  Polynomial form; ///< of the address

  /// The distance in bytes between neighboring threads along x, if constant.
  std::optional<int64_t> stride() const { return strideAlong(Axis::X); }
  /// Returns true if nearby threads access different addresses.
  bool hasPerThreadAddress() const { return stride().value_or(0) != 0; }
};

/// Returns the accesses to shared memory, with estimates of their addresses.
llvm::SmallVector<SharedAccess, 0> collectSharedAccesses(const Accesses &accesses);

/// The accesses and blocks that a thread may reach from an instruction before a synchronization point or one of
/// `stops`.
struct ReachableWithoutBarrier {
  explicit ReachableWithoutBarrier(const llvm::Instruction &i,
                                   llvm::ArrayRef<llvm::Instruction *> stops = {});

  llvm::SmallPtrSet<const llvm::Instruction *, 16> accesses; ///< loads and stores
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks;    ///< entered at their start
  bool reachesBarrier = false; ///< a synchronization point is reachable
};

} // namespace heddle::simt
