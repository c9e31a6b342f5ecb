// Finds the last uses of values, after which their memory can be released.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <map>
#include <set>

namespace heddle::python {

/// The values whose memory can be released before the function ends:
///
///     x = np.sort(a)        inBlock: x -> s
///     v = x[1:]             inBlock: v -> s
///     s = v.sum()
///     y = np.sort(b)
///     while s < 10:
///         s += y.sum()
///     return s              atHead: this block -> y
struct LastUses {
  /// Maps a value to its last use, if both are in the same block.
  std::map<const Value *, const Value *> inBlock;
  /// Values used outside their own block. `after`: the values that are dead after the key. `atHead`: the values that
  /// are dead at the start of the key block.
  std::map<const Value *, std::vector<const Value *>> after;
  std::map<const Block *, std::vector<const Value *>> atHead;
};

/// `fused`: array expressions that are emitted where they are used.
LastUses findLastUses(const TypedFunction &f, const std::set<const Value *> &fused);

} // namespace heddle::python
