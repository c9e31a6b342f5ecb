// Arithmetic on constants while compiling, so that shapes, tuple indices and conditions may be computed from them.
// Nothing is folded that could differ from the kernel's own arithmetic: integers that would overflow stay, and floats but for
// comparisons.
#pragma once

#include "frontend/python/types/constant.h"
#include "frontend/python/types/promotion.h"

namespace heddle::python {

std::optional<Constant> foldUnary(UnaryOp op, const Constant &a);
std::optional<Constant> foldBinary(BinaryOp op, const Constant &a, const Constant &b);
std::optional<Constant> foldCompare(CompareOp op, const Constant &a, const Constant &b);
std::optional<Constant> foldCast(const Constant &a, Type to);
/// Python's truth of a constant; nothing for what has none in a kernel.
std::optional<bool> truthOf(const Constant &a);

} // namespace heddle::python
