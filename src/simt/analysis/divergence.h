// Which values differ between threads that are neighbours.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <functional>

namespace heddle::simt {

/// Neighbours: threads whose indices differ along x only, or threads whose numbers in the block are consecutive.
enum class Neighbours { AlongX, InOrder };

/// Whether a thread finds another value here than its neighbour, whatever the operands are: its index, its lane, what an
/// atomic returns, the address of its stack.
bool isDivergenceSource(const llvm::Value &v, Neighbours neighbours);

/// Whether all threads that run the operation together get the same result: votes and reductions of a block, and those of
/// a warp in which all name the same lanes.
bool isSameTogether(const llvm::Value &operation);

/// Whether all threads that run an operation of a warp together name the same lanes: all, the active ones, or lanes that
/// are computed from what is the same in all threads.
bool hasCommonMask(const llvm::CallInst &operation);

/// What is known of a value, whatever its operands are.
using Uniformity = std::function<llvm::InstructionUniformity(const llvm::Value &)>;

/// Registers every analysis of functions. LLVM's uniformity analysis and the passes that ask it (structurizecfg) find a
/// target that has branch divergence and nothing else of its own.
class DivergenceAnalyses {
public:
  explicit DivergenceAnalyses(Uniformity uniformity);
  /// Between neighbours, in SIMT IR.
  explicit DivergenceAnalyses(Neighbours neighbours);
  ~DivergenceAnalyses();
  llvm::FunctionAnalysisManager &functions();

private:
  struct Managers;
  std::unique_ptr<Managers> managers_;
};

} // namespace heddle::simt
