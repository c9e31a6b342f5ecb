// Outlines prange loops into functions that run a range of iterations.
#pragma once

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// Moves the body of each outermost prange loop in `f` to a function, if `f.parallel` is set:
///
///     for i in prange(n):            Parallel        total := the sum of the results of the `loopFunction` calls,
///         x = a[i]                                   whose ranges together cover 0 to n
///         total += x                 loopFunction(.first, .last, total, a):
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
void outlineParallelLoops(FunctionSource &f);

} // namespace heddle::python
