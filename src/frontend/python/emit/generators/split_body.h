// Splits a generator's body at its yields: the function returns at each yield, and the next call resumes after that
// yield.
//
//     store x, call @heddle.suspend       store x, place = 1, ret Yielded
//     use(v)                              1: v from the frame, use(v)
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <map>

namespace heddle::python {

/// Marks the resume point after a yield, for splitting.
void emitYieldMark(llvm::IRBuilder<> &b);

/// The part of the frame after the arguments.
struct ValuesInFrame {
  /// The former stack slots, in bytes from the owner.
  std::map<const llvm::AllocaInst *, uint64_t> offsets;
  uint64_t end;
};

/// Splits `body`, whose first parameter is the frame, at the marks. Moves all stack slots, and values that are used
/// after a yield, to the frame, starting at `firstFree`. Needs: an entry block that ends with a jump.
ValuesInFrame splitAtYields(llvm::Function &body, uint64_t firstFree);

} // namespace heddle::python
