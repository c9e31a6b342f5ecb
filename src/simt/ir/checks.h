// The operands of simt.check.index, and what it tests.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// On a pointer parameter of a kernel, decimal: the number of the parameter that tells what lies before it. The next one tells
/// what lies from it on.
inline constexpr const char *boundsAttribute = "heddle.bounds";

inline bool isCheck(const llvm::Value &v) {
  std::optional<Op> op = calledOp(&v);
  return op && info(*op).has(Check);
}

/// Operands of simt.check.index: the indices from `first` to `last` are in [low, high).
struct IndexCheck {
  enum Operand : unsigned { Site, First, Last, Step, Low, High };

  llvm::Value *site, *first, *last, *step, *low, *high;

  static IndexCheck of(const llvm::CallBase &call);
  bool isOfOneIndex() const { return first == last; }
};

/// At the builder's position, an i1, or one for each lane of a vector: whether an index is not in [low, high).
llvm::Value *isOutside(llvm::IRBuilderBase &b, llvm::Value *index, llvm::Value *low,
                       llvm::Value *high);
/// Whether an index of the check's is.
llvm::Value *fails(llvm::IRBuilderBase &b, const IndexCheck &check);
/// The first index that is not in [low, high), of a check that fails.
llvm::Value *firstOutside(llvm::IRBuilderBase &b, const IndexCheck &check);

} // namespace heddle::simt
