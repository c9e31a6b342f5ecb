// A kernel taken apart at its barriers. A region is what a thread runs from one barrier, or from the kernel's start, to the
// next ones, or to its end. Where all threads of a block come to the same barriers, the block can run region by region.
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
  llvm::CallInst *barrier;                    ///< that it follows; null for the kernel's start
  llvm::BasicBlock *entry;                    ///< has no phis
  llvm::SetVector<llvm::BasicBlock *> blocks; ///< `entry` is the first; regions may share others
  /// Computed before it and used in it or after it: what is kept, and what is cheaper to compute again.
  llvm::SetVector<llvm::Instruction *> liveIn, repeated;
};

/// What is known of a value among all threads of a block, when operations are lowered. Loads of what threads may write
/// are taken to differ: a thread may read before another writes.
llvm::InstructionUniformity uniformityInBlock(const llvm::Value &v);

/// Why the kernel cannot run region by region; nothing when it can. `analyses`: by uniformityInBlock, here and below.
std::optional<std::string> whyNoRegions(llvm::Function &kernel,
                                        llvm::FunctionAnalysisManager &analyses);

struct Regions {
  llvm::SmallVector<Region, 8> all; ///< the first one is the kernel's start
  bool mayEndEarly = false;         ///< a thread may return while others come to more barriers
  /// The same for all threads of a block, each time that they come to it together.
  llvm::DenseSet<const llvm::Value *> uniform;

  bool isUniform(const llvm::Value &v) const;
  /// The region that follows a barrier.
  unsigned after(const llvm::CallInst &barrier) const;
};

/// Splits the kernel's blocks behind its barriers and finds the regions. Results of barriers become what the regions
/// behind them begin with. To be asked when there is no reason against it.
Regions splitIntoRegions(llvm::Function &kernel, llvm::FunctionAnalysisManager &analyses);

/// A kernel without barriers, as one region.
Regions wholeKernel(llvm::Function &kernel);

/// The barrier that a block ends with; null when it ends with none.
llvm::CallInst *barrierAtEnd(llvm::BasicBlock &block);

/// Whether a value is cheaper to compute again behind a barrier than to keep: from parameters and memory that does not
/// change while a block runs (arguments, extents, the address of shared memory).
bool cheapToRepeat(const llvm::Value &v);

} // namespace heddle::cpu
