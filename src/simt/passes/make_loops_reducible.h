#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Gives every loop a single entry: jumps into an irreducible loop go through a dispatch block that selects the target.
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
/// No code is duplicated, so barriers and warp operations keep their identity. Values that no longer dominate their
/// uses get phis. Loops inside the rewritten loop may then be irreducible; they get a dispatch in the next iteration.
/// A goto state machine could need one iteration per state, so after `maxRounds` iterations all back edges of a loop go
/// through one dispatch, which leaves no other loop inside.
///
/// Needs: jumps into irreducible loops are branches and switches. Others are rejected with their line.
/// Leaves: reducible control flow, which is verified. Functions without irreducible loops are not changed.
class MakeLoopsReducible : public llvm::PassInfoMixin<MakeLoopsReducible> {
public:
  explicit MakeLoopsReducible(unsigned maxRounds = 8) : maxRounds_(maxRounds) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  unsigned maxRounds_;
};

} // namespace heddle::simt
