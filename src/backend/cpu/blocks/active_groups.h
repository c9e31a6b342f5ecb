// Finds regions in which only the first threads of a block have work, as in `if (tid.x < s)`. Groups of other threads
// need not run.
#pragma once

#include "backend/cpu/blocks/regions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::cpu {

/// In a region, groups whose first thread has tid.x + base >= bound need not run, because they have no effects. The
/// compared integers have the same type; `base` is null for 0.
struct ActiveGroups {
  llvm::BasicBlock *branch; ///< skips the work of inactive groups, or leads to the block that does
  llvm::Value *base, *bound;
  bool isSigned;
  bool inclusive;      ///< the condition is tid.x + base > bound
  uint64_t minThreads; ///< threads that must run anyway, for effects after the branch
};

/// Returns nullopt if all groups have work. The region must have no early return. isInFrame: returns true for values
/// that threads keep for later regions.
std::optional<ActiveGroups>
findActiveGroups(const Region &region, const Regions &regions, llvm::Function &kernel,
                 llvm::function_ref<bool(const llvm::Instruction &)> isInFrame);

/// Emits the number of active threads along x, at most `count`, as an i32. `known` maps values of the region to values
/// at the builder's position.
llvm::Value *emitActiveThreadCount(llvm::IRBuilderBase &b, const ActiveGroups &groups,
                                   llvm::ValueToValueMapTy &known, llvm::Value *count);

} // namespace heddle::cpu
