#pragma once

#include "llvm/IR/PassInstrumentation.h"

namespace heddle {

/// Keeps LLVM's InstCombine from moving masked loads past stores. LLVM 22.1 combines
///
///       %x = masked.load(%p, %mask, poison)
///       store %w, %q                              ; may alias %p
///       %y = select %mask, %x, %v
///
/// into a masked load with passthrough %v at the position of the select, after the store (InstCombineSelect.cpp).
/// InstCombine does this only if the select is the only use of the load. Therefore every masked load gets a second use
/// while InstCombine runs: a call of llvm.fake.use, which generates no code.
void keepMaskedLoadsInPlace(llvm::PassInstrumentationCallbacks &callbacks);

} // namespace heddle
