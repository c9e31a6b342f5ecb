#pragma once

#include "llvm/IR/PassInstrumentation.h"

namespace heddle {

/// Keeps LLVM's InstCombine from moving masked loads past what writes to memory. LLVM 22.1 makes of
///
///       %x = masked.load(%p, %mask, poison)
///       store %w, %q                              ; perhaps to %p
///       %y = select %mask, %x, %v
///
/// a masked load with %v for the other lanes where the select is, behind the store (InstCombineSelect.cpp, if the load
/// has one use). So while InstCombine runs, every masked load has a second one, a call of llvm.fake.use, which is code
/// for nothing.
void keepMaskedLoads(llvm::PassInstrumentationCallbacks &callbacks);

} // namespace heddle
