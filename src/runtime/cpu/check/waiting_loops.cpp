#include "runtime/cpu/check/waiting_loops.h"

#include "llvm/ADT/Hashing.h"

#include <algorithm>
#include <utility>

namespace heddle::cpu {

void WaitingLoops::addAccess(uint32_t thread, const Access &access) {
  Thread &mine = threads_[thread];
  mine.current = llvm::hash_combine(mine.current, access.site, access.address, access.value);
  if (!access.isPolled)
    return;
  mine.site = access.site;
  if (!access.isShared)
    mine.polledGlobal = access.address;
}

void WaitingLoops::endIteration(std::span<const Waiting> waiting) {
  bool isSame = std::ranges::equal(waiting, waiting_, [](const Waiting &a, const Waiting &b) {
    return a.thread == b.thread && a.site == b.site;
  });
  polledGlobals_.clear();
  for (const Waiting &one : waiting) {
    if (one.site != yieldSite)
      continue;
    Thread &thread = threads_[one.thread];
    isSame &= thread.last == thread.current;
    thread.last = std::exchange(thread.current, 0);
    if (uint64_t polled = std::exchange(thread.polledGlobal, 0))
      polledGlobals_.push_back(polled);
  }
  waiting_.assign(waiting.begin(), waiting.end());
  unchanged_ = isSame ? unchanged_ + 1 : 0;
}

} // namespace heddle::cpu
