// Divergence: values that differ between neighboring threads.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <functional>

namespace heddle::simt {

/// Neighbors are either threads whose indices differ only along x, or threads with consecutive linear indices in the
/// block.
enum class Neighbors { AlongX, InOrder };

/// Returns true if `v` differs between neighbors regardless of its operands: thread and lane indices, results of
/// atomics, stack addresses.
bool isDivergenceSource(const llvm::Value &v, Neighbors neighbors);

/// Returns true if all threads that execute the operation together get the same result: block-wide votes and
/// reductions, and warp votes and reductions whose mask is uniform (hasUniformMask).
bool hasUniformResult(const llvm::Value &operation);

/// Returns true if all threads that execute a warp operation together pass the same mask: all lanes, the active lanes,
/// or a mask computed from uniform values.
bool hasUniformMask(const llvm::CallInst &operation);

/// The uniformity of a value, independent of its operands.
using Uniformity = std::function<llvm::InstructionUniformity(const llvm::Value &)>;
/// Uniformity in a block: unlike with Neighbors::InOrder, results of warp operations may differ between warps.
Uniformity makeBlockUniformity();

/// Owns an analysis manager with all function analyses, for a generic target with branch divergence. LLVM's uniformity
/// analysis and its users, such as StructurizeCFG, need such a target.
class DivergenceAnalyses {
public:
  explicit DivergenceAnalyses(Uniformity uniformity);
  /// Uses the divergence between neighbors in SIMT IR (isDivergenceSource).
  explicit DivergenceAnalyses(Neighbors neighbors);
  ~DivergenceAnalyses();
  llvm::FunctionAnalysisManager &functionAnalyses();

private:
  struct Managers;
  std::unique_ptr<Managers> managers_;
};

} // namespace heddle::simt
