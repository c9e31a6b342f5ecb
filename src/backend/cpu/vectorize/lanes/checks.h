#pragma once

#include "backend/cpu/vectorize/lanes/values.h"

namespace heddle::cpu {

/// Index checks of a group's lanes. During widening, a placeholder stands for the checks. replacePlaceholders()
/// compares the indices of the first and last lane if they have a stride, else vectors:
///
///       %out = (lane 0's index or lane 15's is not in [low, high))      ; inactive lanes also count
///       br %out, lanes, in_bounds
///     lanes:                                                            ; the runtime checks each lane of the mask
///       call void @heddle.lanes.stop(...)
///       br in_bounds                                                    ; RemoveCodeAfterTraps may remove it
///
/// Vector comparisons identify the failing lanes, and trap with the first one:
///
///       call void @simt.trap.index(...) [ "heddle.lane"(%lane) ]
///
/// Consecutive checks with no access in between share one branch.
class LaneChecks {
public:
  LaneChecks(llvm::Function &f, unsigned width) : f(f), width(width) {}

  /// Adds a check at the builder's position. mask: active lanes; null for all.
  void emitPlaceholderCheck(llvm::IRBuilderBase &b, const llvm::CallInst &check,
                            const LaneShapes &shapes, LaneValues &values, llvm::Value *mask);
  void replacePlaceholders();

private:
  struct Group {
    llvm::CallInst *placeholder;
    int64_t firstStride, lastStride;
    bool masked;
  };
  /// A check during expansion: lane 0's values with their strides, or vectors.
  struct Operands;
  Operands operandsOf(const Group &group) const;
  /// Emits a test that is false only if all checks pass. Tests the first and the last lane, or vectors if there is no
  /// stride. For each check, appends the result of emitFailingLanes to `lanes`, or null if no vectors are tested.
  llvm::Value *emitMayFailTest(llvm::IRBuilderBase &b, llvm::ArrayRef<Operands> checks,
                               llvm::SmallVectorImpl<llvm::Value *> &lanes) const;
  /// Emits the lanes whose index is out of bounds, as a bit mask.
  llvm::Value *emitFailingLanes(llvm::IRBuilderBase &b, const Operands &check) const;
  /// Emits a runtime call that checks each lane, after emitMayFailTest.
  llvm::CallInst *emitCheckLanesCall(llvm::IRBuilderBase &b, const Operands &check) const;
  void emitTrap(llvm::IRBuilderBase &b, const Operands &check, llvm::Value *lanes) const;
  void replacePlaceholders(llvm::ArrayRef<Group> adjacent);

  llvm::Function &f;
  unsigned width;
  llvm::SmallVector<Group> groups_;
};

} // namespace heddle::cpu
