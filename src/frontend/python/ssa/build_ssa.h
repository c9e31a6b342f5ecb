// Converts the syntax tree of a function to SSA.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// Builds the blocks and values of `f` from `f.source`; types stay unknown. Each block remembers the last value of each
/// variable. If a loop reads a variable before its value is known, the variable gets a phi, which is completed with the
/// loop's last predecessor. A loop over an iterable becomes a loop over a counter:
///
///     for i in range(n):          count = IterCount range(n)
///         body                    head: k = Phi(0, k+1); Branch(More k count, body, exit)
///                                 body: i = IterValue range(n), k; ...; Jump head
///
/// A loop listed in `f.unrolled` gets one copy of its body per iteration, so that a variable can have a different type
/// in each. A nested function is a Closure of the current values of its captures.
///
/// The body of a try statement has an edge from each value that may raise to the handler:
///
///     try:                       Protect body, handler
///         x = f(x)               body: a = Call f, x;  Protect next, handler   ; x is a from here on
///         g()                    next: Call g; Jump done
///     except Exception: ...      handler: x = Phi(x, a); Caught ...
///
/// Throws CompileError (Unsupported, Typing) at the first construct that kernels do not support.
void buildSsa(TypedFunction &f);

} // namespace heddle::python
