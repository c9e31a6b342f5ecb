#pragma once

#include "simt/analysis/disjoint_accesses.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// Plans the race filter of the module's kernel (simt/check/filter/filter_plan.h), adds its parameters, and marks the
/// accesses at which threads may race.
///
///     before                                  after
///       void @k(ptr addrspace(1) %a, i64 %i)    void @k(ptr addrspace(1) %a, i64 %i, i64 %filter, ptr %writes, ptr %reads)
///         store float %v, ptr %p                  call void @simt.filter.access(ptr %p, ptr %a, i64 4, i32 <write>, i32 0)
///                                                 store float %v, ptr %p
///
/// Accesses whose alignment is not proven get a simt.check.index that stops the kernel at a misaligned address.
/// expand-race-filter replaces the marks.
///
/// Needs: SIMT IR from a front end with one kernel, device functions inlined. No pass may have added barriers or
/// removed accesses. Leaves SIMT IR.
struct InsertRaceFilter : llvm::PassInfoMixin<InsertRaceFilter> {
  explicit InsertRaceFilter(LaunchFacts facts) : facts(facts) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  static bool isRequired() { return true; }

  LaunchFacts facts; ///< of all launches of the code
};

} // namespace heddle::simt
