// Loops over prange, as functions that run some of their rounds.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// Makes a function of the body of each outermost loop over prange in `f`, once:
///
///     for i in prange(n):            Parallel        total := the sum of what the calls of `rounds` return,
///         x = a[i]                                   for parts of the range that together are all of it
///         total += x                 rounds(.first, .last, total, a):
///                                        for i in prange(n), rounds .first to .last alone:
///                                            x = a[i]
///                                            total += x
///                                        return total,
///
/// A variable that every assignment of the body adds to, multiplies, and so on, is a reduction; any other that the body
/// assigns is each round's own, and has no value after the loop. A loop that a break or a return leaves stays as it is, as
/// does one with an else, and one that puts items into an empty list, dict or set of the function, whose type they tell. Throws CompileError (Typing) where a round would need what another one assigns.
void outlineParallelLoops(FunctionSource &f);

} // namespace heddle::python
