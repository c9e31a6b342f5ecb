#include "frontend/python/infer/block_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::python {

BlockOrder::BlockOrder(const TypedFunction &f) {
  struct Step {
    Block *block;
    /// Unvisited successors. The last is visited first, so that a loop's blocks precede the code after the loop.
    size_t left;
  };
  Block *first = f.blocks[0].get();
  std::vector<Step> stack{{first, first->successors.size()}};
  std::set<Block *> seen{first};
  while (!stack.empty()) {
    auto &[block, left] = stack.back();
    if (!left) {
      blocks_.push_back(block);
      stack.pop_back();
    } else if (Block *s = block->successors[--left]; seen.insert(s).second) {
      stack.push_back({s, s->successors.size()});
    }
  }
  std::reverse(blocks_.begin(), blocks_.end());
  std::map<Block *, size_t> places;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    places[blocks_[i]] = i;
    loopEnds_.push_back(0);
    for (Block *s : blocks_[i]->successors)
      if (auto head = places.find(s); head != places.end())
        loopEnds_[head->second] = i + 1;
  }
  // A loop ends where its last inner loop does, or later.
  for (size_t head = blocks_.size(); head-- > 0;)
    for (size_t i = head + 1; i < loopEnds_[head]; ++i)
      loopEnds_[head] = std::max(loopEnds_[head], loopEnds_[i]);
}

} // namespace heddle::python
