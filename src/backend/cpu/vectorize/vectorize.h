#pragma once

#include "backend/cpu/abi/plan.h"

#include "simt/analysis/divergence.h"

#include "llvm/IR/PassManager.h"

#include <array>
#include <optional>
#include <string>

namespace heddle::cpu {

/// Vectorizes a function of one thread into a kernel for the plan's groups of threads (see below), and adds the code
/// versions to the plan. Returns the reason if that fails; the function is then unusable. always: vectorize even if it
/// does not pay.
std::optional<std::string> vectorizeFunction(llvm::Function &f, Plan &plan, bool always,
                                             simt::DivergenceAnalyses &analyses,
                                             const llvm::TargetTransformInfo &target);

/// Makes kernels run groups of neighboring threads together, as vectors, with masks for divergent branches.
///
/// A kernel keeps running one thread at a time, with a remark that explains why, if
///   - it is large (unless `always`);
///   - it has warp reductions with masks that differ between lanes, prints, volatile accesses, large local arrays, or
///     calls of functions that were not inlined;
/// - threads may wait for each other outside barriers, or at different barriers.
///
/// Needs: SIMT IR with inlined device functions and promoted memory.
/// Leaves: SIMT IR in which a kernel runs the groups of its plan; its thread index is that of the first lane. Operations
/// of single lanes carry the bundle `laneBundle`.
struct Vectorize : llvm::PassInfoMixin<Vectorize> {
  /// choices: the choices for each thread order (simt::ThreadOrder).
  Vectorize(std::array<GroupChoices, 3> choices, bool always) : choices(choices), always(always) {}
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
  std::array<GroupChoices, 3> choices;
  bool always;
};

} // namespace heddle::cpu
