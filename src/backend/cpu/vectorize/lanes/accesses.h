#pragma once

#include "backend/cpu/vectorize/lanes/masks.h"
#include "backend/cpu/vectorize/lanes/strides.h"

namespace heddle::cpu {

/// Memory accesses of a group's lanes. Consecutive elements become one vector access, evenly spaced elements several, a
/// uniform address a scalar access, and the rest a gather or scatter.
struct LaneAccesses {
  LaneValues &values;
  const LaneShapes &shapes;
  LaneMasks &masks;
  LaneStrides &strides;
  llvm::IRBuilderBase &b;

  /// Emits the lanes' loads under `mask` (null: all lanes). Returns null if the scalar load suffices.
  llvm::Value *load(llvm::LoadInst &load, llvm::Value *mask);
  /// Emits the lanes' stores. Returns false if the scalar `store` suffices.
  bool store(llvm::StoreInst &store, llvm::Value *mask);

private:
  bool isConsecutive(const llvm::Value &pointer, llvm::Type *type,
                     const llvm::DataLayout &layout) const;
  /// Loads elements individually if only a few lanes, known at compile time, are active. Returns null if this does not
  /// apply or one instruction suffices.
  llvm::Value *loadKnownLanes(llvm::LoadInst &load, llvm::Value *mask);
  bool storeKnownLanes(llvm::StoreInst &store, llvm::Value &vector, llvm::Value *mask);
  llvm::Value *addressOf(llvm::Value &pointer, unsigned lane);
  llvm::Value *extractLastActiveLane(llvm::Value *vector, llvm::Value *mask);
};

} // namespace heddle::cpu
