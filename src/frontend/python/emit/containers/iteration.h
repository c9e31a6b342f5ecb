// Rounds and items of for loops.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// How often a loop over a value of that type and those parts runs, int64.
llvm::Value *rounds(Emitter &e, Type iterable, const Parts &parts);
/// The item of round `round`, an int64.
Parts item(Emitter &e, Type iterable, const Parts &parts, llvm::Value *round);
/// The value of an IterValue.
Parts emitIterValue(Emitter &e, Value &v);

} // namespace heddle::python
