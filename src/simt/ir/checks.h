// The operands of simt.check.index, and code that evaluates the check.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// Attribute of a kernel's pointer parameter: the index, in decimal, of the parameter with the lower bound of the
/// pointer's memory, relative to the pointer (at most 0). The next parameter holds the upper bound.
inline constexpr const char *boundsAttribute = "heddle.bounds";

/// The value of boundsAttribute; nullopt for a pointer without bounds.
std::optional<unsigned> boundsParameterOf(const llvm::Argument &pointer);

inline bool isCheck(const llvm::Value &v) {
  std::optional<Op> op = calledOp(&v);
  return op && info(*op).has(Check);
}

/// True for simt.wrap, which converts an index that may count from the end to one that counts from the start.
inline bool isWrap(const llvm::Value &v) { return calledOp(&v) == Op::Wrap; }

/// Operands of simt.check.index: the indices from `first` to `last` by `step` must be in [low, high). The range is
/// empty if `last` comes before `first`, or if last + step == first (modulo 2^64); it has one index if `step` is 0.
struct IndexCheck {
  enum Operand : unsigned { Site, First, Last, Step, Low, High };

  llvm::Value *site, *first, *last, *step, *low, *high;

  static IndexCheck of(const llvm::CallBase &call);
  bool isSingleIndex() const { return first == last; }
};

/// Emits a simt.check.index that fails if `failed`, an i1, is true.
void emitCheck(llvm::IRBuilderBase &b, unsigned site, llvm::Value *failed);

/// Emits a test of index not in [low, high): an i1, or a vector with one element per lane.
llvm::Value *emitOutOfBoundsTest(llvm::IRBuilderBase &b, llvm::Value *index, llvm::Value *low,
                                 llvm::Value *high);
/// Emits a test for an empty range from `first` to `last`. Works on scalars and vectors.
llvm::Value *emitEmptyRangeTest(llvm::IRBuilderBase &b, llvm::Value *first, llvm::Value *last,
                                llvm::Value *step);
/// Emits an exact test: true if an index of the check is out of bounds.
llvm::Value *emitFailureTest(llvm::IRBuilderBase &b, const IndexCheck &check);
/// Maps each index to the minimum of the extents that it is checked against, so that one comparison covers all checks
/// of the index.
template <class Index> class MinimumExtents {
public:
  void add(llvm::IRBuilderBase &b, Index index, llvm::Value *extent) {
    llvm::Value *&minimum = extents_[index];
    minimum = minimum ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, minimum, extent) : extent;
  }
  auto begin() { return extents_.begin(); }
  auto end() { return extents_.end(); }

private:
  llvm::MapVector<Index, llvm::Value *> extents_;
};

/// Emits a cheap test that is false only if all checks pass. Sets `isExact` if it is false whenever all checks pass;
/// otherwise it may be true for an empty range or a valid index that counts from the end.
llvm::Value *emitMayFailTest(llvm::IRBuilderBase &b, llvm::ArrayRef<IndexCheck> checks,
                             bool &isExact);
/// Emits code that computes the first index outside [low, high). Only for places where the check is known to fail.
llvm::Value *emitFirstOutOfBounds(llvm::IRBuilderBase &b, const IndexCheck &check);

} // namespace heddle::simt
