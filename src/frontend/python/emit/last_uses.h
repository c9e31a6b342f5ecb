// Where nobody needs the memory of a value any more.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <map>
#include <set>

namespace heddle::python {

/// Of the values whose memory is not needed to the function's end:
///
///     x = np.sort(a)        inBlock: x -> s
///     v = x[1:]             inBlock: v -> s
///     s = v.sum()
///     y = np.sort(b)
///     while s < 10:
///         s += y.sum()
///     return s              atHead: this block -> y
struct LastUses {
  /// Of those that nobody needs behind a value of their own block: that value.
  std::map<const Value *, const Value *> inBlock;
  /// The others that nobody needs behind a value, or where a block begins.
  std::map<const Value *, std::vector<const Value *>> after;
  std::map<const Block *, std::vector<const Value *>> atHead;
};

/// The expressions in `fused` are emitted where they are used.
LastUses lastUses(const TypedFunction &f, const std::set<const Value *> &fused);

} // namespace heddle::python
