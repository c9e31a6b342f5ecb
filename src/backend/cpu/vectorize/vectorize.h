#pragma once

#include "backend/cpu/abi/thread_groups.h"

#include "simt/analysis/divergence.h"

#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace heddle::cpu {

/// Vectorizes a function of one thread into a kernel for a group of threads (see below). Returns the reason if that
/// fails; the function is then unusable as well. always: vectorize even if it does not pay.
std::optional<std::string> vectorizeFunction(llvm::Function &f, const ThreadGroups &groups,
                                             bool always, simt::DivergenceAnalyses &analyses,
                                             const llvm::TargetTransformInfo &target);

/// Makes kernels run groups of neighboring threads together, as vectors, with masks for divergent branches.
///
/// A kernel keeps running one thread at a time, with a remark that explains why, if
///   - it is large (unless `always`);
///   - it has warp reductions with masks that differ between lanes, prints, volatile accesses, large local arrays, or
///     calls of functions that were not inlined;
///   - threads may wait for each other outside of barriers, or at different barriers.
///
/// Needs: SIMT IR with inlined device functions and promoted memory.
/// Leaves: SIMT IR in which a kernel with `widthAttribute` runs that many threads; its thread index is that of the
/// first lane (`linearAttribute`). Operations of single lanes carry the bundle `laneBundle`. `groupedAttribute` marks
/// kernels that have other variants for other block shapes.
struct Vectorize : llvm::PassInfoMixin<Vectorize> {
  /// choices: per thread order (simt::ThreadOrder) of a kernel. fixedBlock: the code is for blocks of one shape.
  Vectorize(std::array<GroupChoices, 3> choices, bool always, bool fixedBlock = false)
      : choices(choices), always(always), fixedBlock(fixedBlock) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  std::array<GroupChoices, 3> choices;
  bool always, fixedBlock;
};

} // namespace heddle::cpu
