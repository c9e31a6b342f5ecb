#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Returns true if a group of 32 lanes can execute the operation as a warp: all except reductions with masks that
/// differ between lanes.
bool canWidenWarpOperation(const llvm::CallInst &operation);

/// Emits a warp operation on vectors.
///
///     ballot(p)        %taken = and %active, %p          shuffle.down(v, 1)   shufflevector %v, <1, 2, 3 ... 31, 31>
///                      bitcast <32 x i1> %taken to i32
struct VectorWarpOperation {
  llvm::IRBuilderBase &b;
  const llvm::CallInst &operation;
  llvm::Value *active;          ///< active lanes
  llvm::Value *mask = nullptr;  ///< each lane's mask as a vector; null if all are `active`
  llvm::Value *value = nullptr; ///< operand 2 as a vector
  llvm::Value *lane = nullptr;  ///< operand 3 as a vector
  llvm::Value *width = nullptr; ///< operand 4 as a vector

  /// Emits the result: a scalar if uniform (simt::hasUniformResult), else a vector. Null for a barrier, because lanes
  /// run in lockstep.
  llvm::Value *emitResult();

private:
  /// The bits of `lanes` restricted to each lane's mask.
  llvm::Value *restrictToLaneMasks(llvm::Value *lanes);
  llvm::Value *packLanesToBits(llvm::Value *lanes);
  llvm::Value *emitAnyLaneOfMask(llvm::Value *lanes);
  llvm::Value *emitMatchAny();
  llvm::Value *emitMatchAll();
  llvm::Value *emitReduction(llvm::Intrinsic::ID combine, const llvm::APInt &neutral);
  llvm::Value *emitShuffle(llvm::Value *source);

  /// Each lane, the first and last lane of its segment, the bits that differ between them, and operand 3 modulo 32: the
  /// terms of PTX's arithmetic (PTX ISA 9.0, shfl.sync) on the operand c that CUDA derives from the width.
  struct Segments {
    llvm::Value *self, *first, *last, *inSegment, *operand;
  };
  Segments emitSubWarpSegments();
  // Each lane's source; the lane itself if the source would be outside its segment.
  llvm::Value *sourceLaneByIndex();
  llvm::Value *sourceLaneBelow();
  llvm::Value *sourceLaneAbove();
  llvm::Value *sourceLaneXor();
  llvm::Value *permuteLanes(llvm::Value *source);
};

} // namespace heddle::cpu
