#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Returns true if a group of 32 lanes can execute the operation as a warp: all except reductions with masks that
/// differ between lanes.
bool canWidenWarpOperation(const llvm::CallInst &operation);

/// A warp operation on vectors.
///
///     ballot(p)        %taken = and %active, %p          shuffle.down(v, 1)   shufflevector %v, <1, 2, 3 ... 31, 31>
///                      bitcast <32 x i1> %taken to i32
struct VectorWarpOperation {
  llvm::IRBuilderBase &b;
  const llvm::CallInst &operation;
  llvm::Value *active;          ///< active lanes
  llvm::Value *mask = nullptr;  ///< each lane's mask as a vector; null if all name the active lanes
  llvm::Value *value = nullptr; ///< operand 2 as a vector
  llvm::Value *lane = nullptr;  ///< operand 3 as a vector
  llvm::Value *width = nullptr; ///< operand 4 as a vector

  /// Emits the result: a scalar if uniform (simt::hasUniformResult), else a vector. Null for a barrier, because lanes
  /// run in lockstep.
  llvm::Value *result();

private:
  /// The bits of `lanes` restricted to each lane's mask.
  llvm::Value *visibleLanes(llvm::Value *lanes);
  llvm::Value *bits(llvm::Value *lanes);
  llvm::Value *any(llvm::Value *lanes);
  llvm::Value *matchAny();
  llvm::Value *matchAll();
  llvm::Value *reduce(simt::Op op);
  llvm::Value *shuffle(simt::Op op);
  llvm::Value *shuffleSource(simt::Op op);
  llvm::Value *permute(llvm::Value *source);
};

} // namespace heddle::cpu
