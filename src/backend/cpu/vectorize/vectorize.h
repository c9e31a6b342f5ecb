#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Gives kernels a second form that runs groups of neighbouring threads together, as vectors: lanes along x, masks for
/// divergent branches. The runtime takes it for blocks whose extent along x is a multiple of the width. The first form,
/// a thread at a time, stays for other blocks.
///
/// A kernel keeps one form alone, and a remark says why, if
///   - it has neither loops nor barriers: LLVM vectorizes the loop over its threads (unless `always`);
///   - it has warp operations, prints, volatile accesses, large local arrays, functions that were not copied into it;
///   - threads may wait for one another outside of barriers, or at different barriers.
///
/// Needs: SIMT IR whose device functions have been inlined and whose memory has been promoted.
/// Leaves: SIMT IR in which a kernel with the attribute `wideFormAttribute` stands beside the one that it names; its
/// thread index is that of its first lane. Operations of single lanes carry the bundle `laneBundle`.
struct Vectorize : llvm::PassInfoMixin<Vectorize> {
  Vectorize(unsigned width, bool always) : width(width), always(always) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  unsigned width;
  bool always;
};

} // namespace heddle::cpu
