#include "runtime/cpu/check/copies/copies_in_flight.h"

#include <utility>

namespace heddle::cpu {

void CopiesInFlight::start(uint32_t block, uint32_t thread, CopyInFlight copy) {
  threadAt(block, thread).open.push_back(copy);
}

void CopiesInFlight::commit(uint32_t block, uint32_t thread) {
  Thread &mine = threadAt(block, thread);
  mine.groups.push_back(std::exchange(mine.open, {}));
}

std::vector<CopyInFlight> CopiesInFlight::takeCompletedByWait(uint32_t block, uint32_t thread,
                                                              uint32_t newest) {
  std::vector<CopyInFlight> complete;
  std::deque<Group> &groups = threadAt(block, thread).groups;
  for (; groups.size() > newest; groups.pop_front())
    complete.insert(complete.end(), groups.front().begin(), groups.front().end());
  return complete;
}

void CopiesInFlight::keepOnlyBlock(uint32_t block) {
  if (block != only_)
    threads_.clear();
  only_ = block;
}

} // namespace heddle::cpu
