// Constant folding, which lets shapes, tuple indices and conditions be computed at compile time. Folds only if the
// result cannot differ from the kernel's arithmetic: no integers that overflow, and no float operations except
// comparisons.
#pragma once

#include "frontend/python/types/constant.h"
#include "frontend/python/types/promotion.h"

namespace heddle::python {

std::optional<Constant> foldUnary(UnaryOp op, const Constant &a);
std::optional<Constant> foldBinary(BinaryOp op, const Constant &a, const Constant &b);
std::optional<Constant> foldCompare(CompareOp op, const Constant &a, const Constant &b);
std::optional<Constant> foldCast(const Constant &a, Type to);
/// The truth value of a constant; nothing if it has none in a kernel.
std::optional<bool> truthOf(const Constant &a);

} // namespace heddle::python
