// Outlines a loop body into a function that runs a group of iterations as lanes.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"

#include <optional>

namespace heddle::host {

/// An induction variable: `step` is added to it in each iteration.
struct Carried {
  llvm::PHINode *phi;
  llvm::Value *start;
  llvm::ConstantInt *step; ///< in bytes for a pointer
};

/// A loop whose iterations can be outlined.
struct OutlinableLoop {
  llvm::Loop *loop;
  llvm::SmallVector<Carried, 2> carried;
  llvm::SmallVector<llvm::BasicBlock *, 4> raising; ///< exit blocks that raise
};

/// Returns nullopt if the loop has operations that lanes do not support, or carries values other than induction
/// variables with a constant step.
std::optional<OutlinableLoop> matchOutlinableLoop(llvm::Loop &loop,
                                                  llvm::ScalarEvolution &evolution,
                                                  const llvm::LoopInfo &loops,
                                                  const llvm::DominatorTree &dominators);

/// The value of `carried` in iteration `number` (an i64 from 0), if it is `start` in iteration 0.
llvm::Value *emitValueInIteration(llvm::IRBuilderBase &b, const Carried &carried,
                                  llvm::Value *start, llvm::Value *number);

/// `void (i64 first, ptr raises, the values that the loop uses)`: runs `width` iterations starting at `first`. If one
/// of them would raise, sets the byte at `raises`, and no iteration writes anything.
struct LaneFunction {
  llvm::Function *function;
  llvm::SmallVector<llvm::Value *> used; ///< arguments after `first` and `raises`
};

/// Returns nullopt if the function does not vectorize.
std::optional<LaneFunction> makeLaneFunction(const OutlinableLoop &outlined, unsigned width,
                                             llvm::FunctionAnalysisManager &am);

} // namespace heddle::host
