// In many regions only a block's first threads have something to do: `if (tid.x < s)`. The groups behind them need not run.
#pragma once

#include "backend/cpu/blocks/regions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::cpu {

/// Groups whose first thread has tid.x + base >= bound do nothing in their region that the first group does not do as well.
/// What is compared are integers of one type; `base` is null for 0.
struct ActiveGroups {
  llvm::BasicBlock *branch; ///< which sends the others past the work, or to the block that does
  llvm::Value *base, *bound;
  bool isSigned;
  bool inclusive; ///< tid.x + base > bound
  uint64_t
      fewest; ///< threads that work in any case: what the region does behind the branch is for the first ones
};

/// Of a region without an early return; nothing where all groups work. `inFrame`: what each thread keeps for later regions.
std::optional<ActiveGroups>
activeGroupsIn(const Region &region, const Regions &regions, llvm::Function &kernel,
               llvm::function_ref<bool(const llvm::Instruction &)> inFrame);

/// How many threads along x these groups have, at most `count`: an i32. `known` has the values at the builder's position.
llvm::Value *countOf(llvm::IRBuilderBase &b, const ActiveGroups &groups,
                     llvm::ValueToValueMapTy &known, llvm::Value *count);

} // namespace heddle::cpu
