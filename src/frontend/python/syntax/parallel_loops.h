// Outlines prange loops into functions that run a range of iterations.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// Moves the body of each outermost prange loop in `f` to a function:
///
///     for i in prange(n):            Parallel        total := the sum of the results of the `rounds` calls,
///         x = a[i]                                   whose ranges together cover 0 to n
///         total += x                 rounds(.first, .last, total, a):
///                                        for i in prange(n), iterations .first to .last only:
///                                            x = a[i]
///                                            total += x
///                                        return total,
///
/// A variable is a reduction if every assignment in the body adds to it, multiplies it, and so on. Any other assigned
/// variable is private to the iteration and undefined after the loop. Three kinds of loops are left unchanged:
///
/// - loops that a break or return leaves;
/// - loops with an else;
/// - loops that add to an initially empty list, dict or set of the function, whose type these items determine.
///
/// Throws CompileError (Typing) if an iteration depends on a variable that another iteration assigns.
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
