// Moves loads after an if-else before it, so that the load's latency overlaps with the computation.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::nvptx {

/// Moves loads of global memory from the block after an if or if-else to the block before it, if the sides only compute.
/// The load runs in any case. ptxas does not move loads across branches, so the iterations of an unrolled loop would wait
/// for one load each.
///
///     before                                   after
///       %x0 = load float, ptr %a               %x0 = load float, ptr %a
///       br i1 %c0, label %then, label %end     %x1 = load float, ptr %a.1
///     then:                                    br i1 %c0, label %then, label %end
///       ...                                  then:
///       br label %end                          ...
///     end:                                     br label %end
///       %x1 = load float, ptr %a.1           end:
///
/// Leaves loads whose addresses the sides compute, and those after a store.
struct HoistJoinedLoads : llvm::PassInfoMixin<HoistJoinedLoads> {
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
};

} // namespace heddle::nvptx
