#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Poisons the incoming values of a phi on edges after which they are not used, so that threads without a value have no
/// work.
///
///     before                                     after
///       br %some, work, join                       br %some, work, join
///     join:                                      join:
///       %v = phi [%w, work], [0, entry]            %v = phi [%w, work], [poison, entry]
///       call void @simt.barrier(i32 1)             call void @simt.barrier(i32 1)
///       br %some, write, end                       br %some, write, end
///     write:                                     write:
///       store %v                                   store %v
///
/// This helps schemes that shrink a triangle in place, in which each step needs fewer threads: groups without work skip
/// the region (blocks/active_groups.h). Option lattices, divided differences and de Casteljau's algorithm run 1.15x to
/// 1.3x faster with AVX-512, and 1.4x to 2.1x faster with AVX2.
///
/// Needs: equal conditions are one value (early-cse has run).
struct PoisonUnusedIncomingValues : llvm::PassInfoMixin<PoisonUnusedIncomingValues> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::cpu
