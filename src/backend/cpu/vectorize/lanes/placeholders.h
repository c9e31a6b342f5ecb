// Placeholder calls through which scalar code queries all lanes of a group; the vectorizer replaces them.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <array>

namespace heddle::cpu {

/// An i1: true if the group is full and the operand holds in every lane.
inline constexpr const char *allLanesPlaceholder = "heddle.lanes.all";
/// An i1: true if the operand holds in no active lane.
inline constexpr const char *noLanePlaceholder = "heddle.lanes.none";

inline constexpr std::array lanePlaceholders{allLanesPlaceholder, noLanePlaceholder};

/// Emit calls of allLanesPlaceholder and noLanePlaceholder at the builder's position.
llvm::CallInst *emitAllLanesQuery(llvm::IRBuilderBase &b, llvm::Value *condition);
llvm::CallInst *emitNoLaneQuery(llvm::IRBuilderBase &b, llvm::Value *condition);

bool isAllLanesQuery(const llvm::Value &v);
bool isNoLaneQuery(const llvm::Value &v);
inline bool isLanePlaceholder(const llvm::Value &v) {
  return isAllLanesQuery(v) || isNoLaneQuery(v);
}

/// Returns true if a branch on `allLanesPlaceholder` guards `block`, so that either all lanes or none reach it.
bool isGuardedByAllLanes(const llvm::BasicBlock &block);

} // namespace heddle::cpu
