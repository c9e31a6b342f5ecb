// What scalar code asks of all lanes of a group, as calls that the vectorizer replaces.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <array>

namespace heddle::cpu {

/// An i1 that is true when its operand is in every lane of the group, and every lane has a thread.
inline constexpr const char *allLanesStandIn = "heddle.lanes.all";
/// An i1 that is true when its operand holds in no lane that runs.
inline constexpr const char *noLaneStandIn = "heddle.lanes.none";

inline constexpr std::array laneStandIns{allLanesStandIn, noLaneStandIn};

/// Calls of them, at the builder's position.
llvm::CallInst *callAllLanes(llvm::IRBuilderBase &b, llvm::Value *condition);
llvm::CallInst *callNoLane(llvm::IRBuilderBase &b, llvm::Value *condition);

bool isAllLanes(const llvm::Value &v);
bool isNoLane(const llvm::Value &v);
inline bool isLaneStandIn(const llvm::Value &v) { return isAllLanes(v) || isNoLane(v); }

/// Whether lanes come to `block` all or not at all, by a branch on `allLanesStandIn`.
bool isForAllLanes(const llvm::BasicBlock &block);

} // namespace heddle::cpu
