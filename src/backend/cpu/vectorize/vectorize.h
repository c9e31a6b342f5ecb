#pragma once

#include "backend/cpu/blocks/thread_groups.h"

#include "simt/analysis/divergence.h"

#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace heddle::cpu {

/// Rewrites a function for one thread as one for a group of them, as a kernel (below). Returns why not; nothing when it
/// has been done. Then or else the function is no longer for one thread. `always`: also where nothing is gained.
std::optional<std::string> makeWide(llvm::Function &f, const ThreadGroups &groups, bool always,
                                    simt::DivergenceAnalyses &analyses,
                                    const llvm::TargetTransformInfo &target);

/// Makes kernels run groups of neighbouring threads together, as vectors, with masks for divergent branches.
///
/// A kernel's threads go on running one at a time, and a remark says why, if
///   - it is large (unless `always`);
///   - it has warp operations with a mask of its own, prints, volatile accesses, large local arrays, functions that were not copied into it;
///   - threads may wait for one another outside of barriers, or at different barriers.
///
/// Needs: SIMT IR whose device functions have been inlined and whose memory has been promoted.
/// Leaves: SIMT IR in which a kernel with `widthAttribute` runs that many threads; its thread index is that of the first
/// lane (`linearAttribute`). Operations of single lanes carry the bundle `laneBundle`. `groupedAttribute` is on a kernel
/// that would have another form for blocks of other shapes.
struct Vectorize : llvm::PassInfoMixin<Vectorize> {
  /// choices: for kernels whose threads are in each order (simt::ThreadOrder). fixedBlock: the code is for blocks of one
  /// shape.
  Vectorize(std::array<GroupChoices, 3> choices, bool always, bool fixedBlock = false)
      : choices(choices), always(always), fixedBlock(fixedBlock) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  std::array<GroupChoices, 3> choices;
  bool always, fixedBlock;
};

} // namespace heddle::cpu
