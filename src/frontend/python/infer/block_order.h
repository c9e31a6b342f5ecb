// The order in which type inference visits the blocks of a function.
#pragma once

#include "frontend/python/ssa/ir.h"

namespace heddle::python {

/// Topological order, except for back edges: a merge sees the types of all incoming paths before its uses are visited.
/// The blocks of a loop are contiguous and precede the code after the loop.
class BlockOrder {
public:
  explicit BlockOrder(const TypedFunction &f);

  size_t size() const { return blocks_.size(); }
  Block &operator[](size_t place) const { return *blocks_[place]; }
  /// The end of the loop that starts at `place`; 0 if none starts there.
  size_t loopEnd(size_t place) const { return loopEnds_[place]; }

private:
  std::vector<Block *> blocks_;
  std::vector<size_t> loopEnds_;
};

} // namespace heddle::python
