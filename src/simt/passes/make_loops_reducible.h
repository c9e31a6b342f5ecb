#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Gives every loop one entry: who jumps into a loop goes through a new block that knows where to.
///
///     before                                  after
///       br i1 %c, label %a, label %b            br i1 %c, label %to.a, label %to.b
///     a:                                      dispatch:
///       br label %b                             %target = phi i32 [ 0, %to.a ], [ 1, %to.b ], [ 0, %back ]
///     b:                                        switch i32 %target, label %a [ i32 1, label %b ]
///       br i1 %d, label %a, label %done       a:
///                                               br label %b
///                                             b:
///                                               br i1 %d, label %back, label %done     ; back: br label %dispatch
///
/// Nothing is copied, so that barriers and warp operations stay what they are. Values that no longer dominate their uses
/// go through phis. Loops that are in the loop then may have several entries in turn: they get a dispatch in the next
/// round. A state machine written with goto could need a round for each of its states: after `rounds`, a loop gets one
/// dispatch for all its jumps back, which then has no other loop in it.
///
/// Needs: jumps into loops with several entries are branches and switches. Others are refused with their line.
/// Leaves: no loop that is entered but through its header, which is checked. Functions without one are not touched.
class MakeLoopsReducible : public llvm::PassInfoMixin<MakeLoopsReducible> {
public:
  explicit MakeLoopsReducible(unsigned rounds = 8) : rounds_(rounds) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  unsigned rounds_;
};

} // namespace heddle::simt
