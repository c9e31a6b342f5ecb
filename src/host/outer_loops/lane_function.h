// A round of a loop as a function for groups of rounds.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"

#include <optional>

namespace heddle::host {

/// A value that a loop carries from round to round: it grows by `step` in each.
struct Carried {
  llvm::PHINode *phi;
  llvm::Value *start;
  llvm::ConstantInt *step; ///< of a pointer, in bytes
};

/// A loop, seen as rounds that a function could run.
struct RoundsLoop {
  llvm::Loop *loop;
  llvm::SmallVector<Carried, 2> carried;
  llvm::SmallVector<llvm::BasicBlock *, 4>
      raising; ///< blocks that the loop is left to in order to raise
};

/// Nothing where rounds do something that a group of lanes cannot, or carry what does not grow evenly.
std::optional<RoundsLoop> roundsLoop(llvm::Loop &loop, llvm::ScalarEvolution &evolution,
                                     const llvm::LoopInfo &loops,
                                     const llvm::DominatorTree &dominators);

/// The value that `carried` has in round `number`, an i64 that counts from 0.
llvm::Value *valueInRound(llvm::IRBuilderBase &b, const Carried &carried, llvm::Value *start,
                          llvm::Value *number);

/// `void (i64 first, ptr raises, the values that the loop uses)`: runs `width` rounds from number `first` on. Where one of
/// them would raise, no round has written anything, and the byte at `raises` is not 0.
struct LaneFunction {
  llvm::Function *function;
  llvm::SmallVector<llvm::Value *> used; ///< what it is called with behind `first` and `raises`
};

/// Nothing where vectors are not made of it.
std::optional<LaneFunction> laneFunction(const RoundsLoop &rounds, unsigned width,
                                         llvm::FunctionAnalysisManager &am);

} // namespace heddle::host
