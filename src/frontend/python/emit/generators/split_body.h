// The body of a function with `yield`, as one that returns at each yield and goes on behind it when it is called again.
//
//     store x, call @heddle.suspend       store x, place = 1, ret Yielded
//     use(v)                              1: v from the frame, use(v)
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <map>

namespace heddle::python {

/// Marks the place behind a yield, until the body is split there.
void markYield(llvm::IRBuilder<> &b);

/// What the frame has behind its arguments.
struct ValuesInFrame {
  std::map<const llvm::AllocaInst *, uint64_t>
      offsets; ///< of what were stack slots, in bytes from the owner
  uint64_t end;
};

/// Splits `body`, whose first parameter is the frame, at the marks. All its stack slots move to the frame, from `firstFree`
/// on, and so do values that are used behind a yield. Needs: an entry block that ends by a jump.
ValuesInFrame splitAtYields(llvm::Function &body, uint64_t firstFree);

} // namespace heddle::python
