// Splits a kernel at its barriers. A region is the code from the kernel's start or a barrier to the next barriers or
// the end. If all threads of a block reach the same barriers, the block can run region by region.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Uniformity.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <optional>
#include <string>

namespace heddle::cpu {

struct Region {
  llvm::CallInst *barrier; ///< the barrier that the region follows; null for the kernel's start
  llvm::BasicBlock *entry; ///< without phis
  llvm::SetVector<llvm::BasicBlock *> blocks; ///< `entry` first; regions may share blocks
  /// Values computed before the region and used in or after it: threads keep the values in `liveIn`, and recompute the
  /// values in `recomputed`, which is cheaper.
  llvm::SetVector<llvm::Instruction *> liveIn, recomputed;
};

/// The uniformity of a value among all threads of a block, after operations are lowered. Loads of writable memory are
/// divergent: a thread may load before another one stores.
llvm::InstructionUniformity uniformityInBlock(const llvm::Value &v);

/// The reason why the kernel cannot run region by region; nullopt if it can. `analyses` must use uniformityInBlock,
/// here and below.
std::optional<std::string> whyNoRegions(llvm::Function &kernel,
                                        llvm::FunctionAnalysisManager &analyses);

struct Regions {
  llvm::SmallVector<Region, 8> all; ///< starts with the kernel's start
  bool mayReturnEarly = false;      ///< a thread may return while others reach more barriers
  /// Values that are equal in all threads of a block that reach the definition together.
  llvm::DenseSet<const llvm::Value *> uniform;

  bool isUniform(const llvm::Value &v) const;
  /// The region that follows the barrier.
  unsigned regionIndexAfter(const llvm::CallInst &barrier) const;
};

/// Splits the kernel's blocks after its barriers and finds the regions. Results of barriers are computed at the start
/// of the following regions. Call only if whyNoRegions returns nullopt.
Regions splitIntoRegions(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);

/// Makes a kernel without barriers a single region.
Regions makeSingleRegion(llvm::Function &kernel);

/// The barrier at the end of a block; null if there is none.
llvm::CallInst *barrierAtEnd(llvm::BasicBlock &block);

/// Returns true if a value is cheaper to recompute after a barrier than to keep: computed from parameters and memory
/// that is constant while a block runs (arguments, extents, the address of shared memory).
bool isCheapToRecompute(const llvm::Value &v);

} // namespace heddle::cpu
