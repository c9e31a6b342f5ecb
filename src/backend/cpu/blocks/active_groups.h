// Finds regions in which only a block's first threads have work, as in `if (tid.x < s)`. The other groups need not run.
#pragma once

#include "backend/cpu/blocks/regions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::cpu {

/// In a region, groups whose first thread has tid.x + base >= bound have no effect that the first group lacks.
/// The compared integers have the same type; `base` is null for 0.
struct ActiveGroups {
  llvm::BasicBlock *branch; ///< skips the work of inactive groups, or leads to the block that does
  llvm::Value *base, *bound;
  bool isSigned;
  bool inclusive;      ///< the condition is tid.x + base > bound
  uint64_t minThreads; ///< threads that always run: the code past the branch may serve only these
};

/// For a region without an early return; nullopt if all groups have work. isInFrame: values that threads keep for later
/// regions.
std::optional<ActiveGroups>
findActiveGroups(const Region &region, const Regions &regions, llvm::Function &kernel,
                 llvm::function_ref<bool(const llvm::Instruction &)> isInFrame);

/// Emits the number of active threads along x, at most `count`, as an i32. `known` maps values to those at the
/// builder's position.
llvm::Value *emitActiveThreadCount(llvm::IRBuilderBase &b, const ActiveGroups &groups,
                                   llvm::ValueToValueMapTy &known, llvm::Value *count);

} // namespace heddle::cpu
