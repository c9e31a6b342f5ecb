#pragma once

#include "backend/cpu/vectorize/lanes/values.h"

namespace heddle::cpu {

/// The checks of indices that a group of lanes makes. While a function is widened such a check is a stand-in; expand() turns it
/// into one comparison of the first and of the last lane's index where indices have a stride, else of vectors:
///
///       %out = (lane 0's index or lane 15's is not in [low, high))      ; lanes outside of the mask count, too
///       br %out, lanes, in_bounds
///     lanes:                                                            ; the runtime looks at each lane of the mask
///       call void @heddle.lanes.stop(...)
///       br in_bounds                                                    ; until end_at_traps, where one must fail
///
/// Vectors tell whether a lane's index is out of bounds, and trap with the first one's:
///
///       call void @simt.trap.index(...) [ "heddle.lane"(%lane) ]
///
/// Checks that follow each other, with no access in between, have one branch.
class LaneChecks {
public:
  LaneChecks(llvm::Function &f, unsigned width) : f(f), width(width) {}

  /// At the builder's position. mask: the lanes that make it; null for all.
  void add(llvm::IRBuilderBase &b, const llvm::CallInst &check, const LaneShapes &shapes,
           LaneValues &values, llvm::Value *mask);
  void expand();

private:
  struct Group {
    llvm::CallInst *standIn;
    int64_t firstStride, lastStride;
    bool masked;
  };
  /// A group's check while it is expanded: numbers of lane 0 with their strides, or vectors.
  struct Operands;
  Operands operandsOf(const Group &group) const;
  /// A test that each of the checks passes: by the first and the last lane; by vectors where there is no stride. `lanes` gets
  /// failing() of these, and null for the others.
  llvm::Value *emitMayFailTest(llvm::IRBuilderBase &b, llvm::ArrayRef<Operands> checks,
                               llvm::SmallVectorImpl<llvm::Value *> &lanes) const;
  /// The lanes whose index is not, as bits.
  llvm::Value *failing(llvm::IRBuilderBase &b, const Operands &check) const;
  /// Looks at all lanes of a check that emitMayFailTest() tells of, in the runtime.
  llvm::CallInst *checkLanes(llvm::IRBuilderBase &b, const Operands &check) const;
  void trap(llvm::IRBuilderBase &b, const Operands &check, llvm::Value *lanes) const;
  void expand(llvm::ArrayRef<Group> together);

  llvm::Function &f;
  unsigned width;
  llvm::SmallVector<Group> groups_;
};

} // namespace heddle::cpu
