#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/SimplifyCFGOptions.h"

namespace heddle::simt {

/// Inserts warp barriers where a kernel relies on the threads of a warp running in lockstep: a thread reads shared
/// memory that a nearby thread (one of the next 31 along x) writes, without a barrier in between. Old reductions and
/// scans do this in their last warp:
///
///     volatile int *s = sums;
///     s[t] += s[t + 16];
///     s[t] += s[t + 8];
///
/// A barrier of the active lanes goes between these accesses. If the threads of a block run one at a time, a barrier
/// also goes after a load, by all threads, of one address that some of them may write next, so that the whole warp has
/// read it by then:
///
///     int n = count;
///     if (t == 0) count = 0;
///
/// It also goes between other accesses through which lanes exchange values, at a point where the warp is converged:
///
///     if (t < 17) s[t] = f(t);         if (t == 0) s[0] = x;       s[t] = x;
///     <barrier>                        <barrier>                   <barrier>
///     if (t == 0) for (..) y += s[i];  y = s[0];                   y = s[(t + 31) & 31];
///
/// A kernel that has a block barrier on only some of the paths between two such accesses is not changed.
///
/// On a GPU, volatile accesses are left to the hardware; others need the barriers, because LLVM removes stores that the
/// thread itself does not read.
///
/// Volatile accesses mark code that was written for lockstep. If threads run one at a time, they become plain, and barriers
/// keep their order: between any two accesses of such an object that may touch the same element in different lanes, also
/// in branches that only some lanes take, and in loops that some leave early. A barrier in such code is one of the active
/// lanes. It goes where the fewest divergent branches and loops surround it. Barriers are numbered in the order in which
/// lanes meet: those in branches and inner loops come before those that all lanes of a loop reach, so that lanes which skip
/// a branch, or have left it, wait for the lanes in it. If no barrier of a loop is reached by all its lanes, the loop gets
/// one at its end.
///
/// Atomic loads and stores, which are volatile too, do not count: programs that use them do not rely on lockstep.
///
/// Needs: mem2reg and instcombine have run. SimplifyControlFlow replaces SimplifyCFG before this pass.
class InsertWarpBarriers : public llvm::PassInfoMixin<InsertWarpBarriers> {
public:
  explicit InsertWarpBarriers(bool serialThreads) : serialThreads_(serialThreads) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool serialThreads_;
};

/// Runs SimplifyCFG, except in functions with volatile accesses to shared memory. There, lanes must reconverge after a
/// branch, but SimplifyCFG may join the branches of different lanes with different parts of the following code:
///
///     if (t % 2 == 0) s[t] += s[t + 1];
///     if (t % 2 == 1) s[t] += s[t + 1];     odd lanes would jump here at once
///
/// InsertWarpBarriers runs SimplifyCFG in these functions at its end.
class SimplifyControlFlow : public llvm::PassInfoMixin<SimplifyControlFlow> {
public:
  explicit SimplifyControlFlow(llvm::SimplifyCFGOptions options = {}) : options_(options) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  llvm::SimplifyCFGOptions options_;
};

} // namespace heddle::simt
