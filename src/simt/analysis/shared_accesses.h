// The loads and stores of shared memory in a kernel, and those that follow one another without a barrier.
#pragma once

#include "simt/analysis/warp_addresses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// A load or store, of which neighbours along x are `stride` bytes apart, if that is a constant.
struct SharedAccess {
  llvm::Instruction *instruction;
  const llvm::Value *object;
  const llvm::SCEV *address; ///< of WarpAddresses
  std::optional<int64_t> stride;

  bool isLoad() const { return llvm::isa<llvm::LoadInst>(instruction); }
  const llvm::BasicBlock &block() const { return *instruction->getParent(); }
  /// Returns whether threads that are near each other have different places there.
  bool isOwnPlace() const { return stride.value_or(0) != 0; }
};

/// Returns whether it is a load or store of shared memory.
bool accessesShared(const llvm::Instruction &i);
llvm::SmallVector<SharedAccess, 0> sharedAccesses(llvm::Function &f,
                                                  const WarpAddresses &addresses);

/// The accesses and blocks that a thread may reach from an instruction without a barrier. Each of `places` counts as one.
struct Followers {
  explicit Followers(const llvm::Instruction &i, llvm::ArrayRef<llvm::Instruction *> places = {});

  llvm::SmallPtrSet<const llvm::Instruction *, 16> accesses; ///< loads and stores
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks;    ///< by their beginnings
  bool meets = false;                                        ///< it may reach a barrier
};

} // namespace heddle::simt
