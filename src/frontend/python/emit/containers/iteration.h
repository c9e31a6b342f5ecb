// Trip counts and items of for loops.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The trip count of a loop over `iterable`, int64.
llvm::Value *emitTripCount(Emitter &e, Type iterable, const Parts &parts);
/// The item in iteration `iteration`, an int64.
Parts loadItem(Emitter &e, Type iterable, const Parts &parts, llvm::Value *iteration);
/// Emits an IterValue.
Parts emitIterValue(Emitter &e, Value &v);

} // namespace heddle::python
