#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Keeps the threads of a warp in step where a kernel counts on it: where a thread reads what a neighbour, one of the next
/// 31 threads along x, writes to shared memory, and no barrier is in between. Old reductions and scans do so in their last
/// warp:
///
///     volatile int *s = sums;
///     s[t] += s[t + 16];
///     s[t] += s[t + 8];
///
/// A barrier of the lanes that are active goes between such accesses. Where the threads of a block run one at a time, it also
/// goes behind a load by all threads of one place that some of them may write to next: a warp has read it by then.
///
///     int n = count;
///     if (t == 0) count = 0;
///
/// And it goes where all lanes of a warp are together, between other accesses by which lanes exchange values:
///
///     if (t < 17) s[t] = f(t);         if (t == 0) s[0] = x;       s[t] = x;
///     <barrier>                        <barrier>                   <barrier>
///     if (t == 0) for (..) y += s[i];  y = s[0];                   y = s[(t + 31) & 31];
///
/// A kernel that has a barrier of the block on some ways between two such accesses is left alone.
///
/// On a GPU, volatile accesses are left to the hardware; others need the barriers, as LLVM drops stores that the thread
/// itself does not read. Where the threads of a block run one at a time, accesses of shared memory are no longer volatile
/// afterwards: what others see between two barriers, or where a thread yields, is in order. They stay volatile where a thread
/// reads again what it has just written to a place that others may write, too: run together, one of them wins.
///
/// Needs: promoted memory and simplified expressions.
class KeepWarpsInStep : public llvm::PassInfoMixin<KeepWarpsInStep> {
public:
  explicit KeepWarpsInStep(bool oneAtATime) : oneAtATime_(oneAtATime) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);

private:
  bool oneAtATime_;
};

} // namespace heddle::simt
