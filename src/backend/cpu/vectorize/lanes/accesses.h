#pragma once

#include "backend/cpu/vectorize/lanes/masks.h"
#include "backend/cpu/vectorize/lanes/strides.h"

namespace heddle::cpu {

/// Accesses to memory for a group of lanes. Consecutive elements become one vector, those with a spacing several, others a
/// gather or a scatter; one place is read or written once.
struct LaneAccesses {
  LaneValues &values;
  const LaneShapes &shapes;
  LaneMasks &masks;
  LaneStrides &strides;
  llvm::IRBuilderBase &b;

  /// The vector of what the lanes of `mask` load (null: all); null where the scalar load does it for all.
  llvm::Value *load(llvm::LoadInst &load, llvm::Value *mask);
  /// Whether it has made stores in the place of `store`, which else does it for all.
  bool store(llvm::StoreInst &store, llvm::Value *mask);

private:
  bool isConsecutive(const llvm::Value &pointer, llvm::Type *type,
                     const llvm::DataLayout &layout) const;
  /// The elements of a few lanes, whose numbers are known; null where they are not, or one instruction does for all.
  llvm::Value *loadFew(llvm::LoadInst &load, llvm::Value *mask);
  bool storeFew(llvm::StoreInst &store, llvm::Value &vector, llvm::Value *mask);
  llvm::Value *addressOf(llvm::Value &pointer, unsigned lane);
  llvm::Value *ofLastLane(llvm::Value *vector, llvm::Value *mask);
};

} // namespace heddle::cpu
