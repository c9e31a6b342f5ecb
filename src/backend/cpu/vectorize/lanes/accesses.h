#pragma once

#include "backend/cpu/vectorize/lanes/masks.h"
#include "backend/cpu/vectorize/lanes/strides.h"

namespace heddle::cpu {

/// Widens memory accesses. Accesses to consecutive elements become one vector access, accesses to evenly spaced
/// elements several, accesses to a uniform address a scalar access, and all others a gather or scatter.
struct LaneAccesses {
  LaneValues &values;
  const LaneShapes &shapes;
  LaneMasks &masks;
  LaneStrides &strides;
  llvm::IRBuilderBase &b;

  /// Emits the lanes' loads under `mask` (null: all lanes). Returns null if the scalar load suffices.
  llvm::Value *widenLoad(llvm::LoadInst &load, llvm::Value *mask);
  /// Emits the lanes' stores. Returns false if the scalar `store` suffices.
  bool widenStore(llvm::StoreInst &store, llvm::Value *mask);

private:
  bool isConsecutiveAccess(const llvm::Value &pointer, llvm::Type *type,
                           const llvm::DataLayout &layout) const;
  /// Loads elements individually if only a few lanes, known at compile time, are active. Returns null if this does not
  /// apply or one instruction suffices.
  llvm::Value *loadKnownLanes(llvm::LoadInst &load, llvm::Value *mask);
  bool storeKnownLanes(llvm::StoreInst &store, llvm::Value &vector, llvm::Value *mask);
  llvm::Value *emitLaneAddress(llvm::Value &pointer, unsigned lane);
  llvm::Value *extractLastActiveLane(llvm::Value *vector, llvm::Value *mask);
};

} // namespace heddle::cpu
