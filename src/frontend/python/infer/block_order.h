// The order in which type inference visits a function's blocks.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// A block comes after all that lead to it but for loops, so that a merge sees the type of every path before a use of it
/// does, and the blocks of a loop stand together, before what follows the loop.
class BlockOrder {
public:
  explicit BlockOrder(const TypedFunction &f);

  size_t size() const { return blocks_.size(); }
  Block &operator[](size_t place) const { return *blocks_[place]; }
  /// Where the loop ends that begins at that place; 0 when none begins there.
  size_t loopEnd(size_t place) const { return loopEnds_[place]; }

private:
  std::vector<Block *> blocks_;
  std::vector<size_t> loopEnds_;
};

} // namespace heddle::python
