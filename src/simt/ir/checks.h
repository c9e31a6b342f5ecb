// The operands of simt.check.index, and what it tests.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// On a pointer parameter of a kernel, decimal: the number of the parameter that tells what lies before it. The next one tells
/// what lies from it on.
inline constexpr const char *boundsAttribute = "heddle.bounds";

/// That number; nothing for a pointer without bounds.
std::optional<unsigned> boundsOf(const llvm::Argument &pointer);

inline bool isCheck(const llvm::Value &v) {
  std::optional<Op> op = calledOp(&v);
  return op && info(*op).has(Check);
}

/// Operands of simt.check.index: the indices from `first` to `last` by `step` are in [low, high). There are none where
/// `last` comes before `first`, or is one step before it as numbers wrap around, and one where `step` is 0.
struct IndexCheck {
  enum Operand : unsigned { Site, First, Last, Step, Low, High };

  llvm::Value *site, *first, *last, *step, *low, *high;

  static IndexCheck of(const llvm::CallBase &call);
  bool isOfOneIndex() const { return first == last; }
};

/// At the builder's position, an i1, or one for each lane of a vector: whether an index is not in [low, high).
llvm::Value *isOutside(llvm::IRBuilderBase &b, llvm::Value *index, llvm::Value *low,
                       llvm::Value *high);
/// Tests for a range from `first` to `last` without any index. Scalars and vectors alike.
llvm::Value *isEmpty(llvm::IRBuilderBase &b, llvm::Value *first, llvm::Value *last,
                     llvm::Value *step);
/// Tests exactly if an index of the check is outside.
llvm::Value *fails(llvm::IRBuilderBase &b, const IndexCheck &check);
/// The least of the extents that each index is checked against: one comparison serves all checks of an index.
template <class Index> class LeastExtents {
public:
  void add(llvm::IRBuilderBase &b, Index index, llvm::Value *extent) {
    llvm::Value *&least = extents_[index];
    least = least ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least, extent) : extent;
  }
  auto begin() { return extents_.begin(); }
  auto end() { return extents_.end(); }

private:
  llvm::MapVector<Index, llvm::Value *> extents_;
};

/// A cheap test that each check passes. isExact: set to whether one fails where the test does; an index that counts from the
/// end may pass.
llvm::Value *mayFail(llvm::IRBuilderBase &b, llvm::ArrayRef<IndexCheck> checks, bool &isExact);
/// The first index that is not in [low, high), of a check that fails.
llvm::Value *firstOutside(llvm::IRBuilderBase &b, const IndexCheck &check);

} // namespace heddle::simt
