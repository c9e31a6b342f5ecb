#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Whether a group of 32 lanes can do the operation as a warp: all but reductions in which lanes name different lanes.
bool canBeWarpOfGroup(const llvm::CallInst &operation);

/// An operation of a warp on vectors.
///
///     ballot(p)        %taken = and %active, %p          shuffle.down(v, 1)   shufflevector %v, <1, 2, 3 ... 31, 31>
///                      bitcast <32 x i1> %taken to i32
struct WarpOfGroup {
  llvm::IRBuilderBase &b;
  const llvm::CallInst &operation;
  llvm::Value *active; ///< the lanes that run it
  llvm::Value *mask =
      nullptr; ///< the lanes that each lane names, as a vector; null where all name those that run it
  llvm::Value *value = nullptr; ///< operand 2 as a vector
  llvm::Value *lane = nullptr;  ///< operand 3 as a vector
  llvm::Value *width = nullptr; ///< operand 4 as a vector

  /// A scalar where all lanes get the same (simt::hasUniformResult), else a vector. Null for a barrier: lanes run in step.
  llvm::Value *result();

private:
  /// The bits of lanes as each lane sees them: of those that it names.
  llvm::Value *seen(llvm::Value *lanes);
  llvm::Value *bits(llvm::Value *lanes);
  llvm::Value *any(llvm::Value *lanes);
  llvm::Value *matchAny();
  llvm::Value *matchAll();
  llvm::Value *reduce(simt::Op op);
  llvm::Value *shuffle(simt::Op op);
  llvm::Value *sourceOf(simt::Op op);
  llvm::Value *permuted(llvm::Value *source);
};

} // namespace heddle::cpu
