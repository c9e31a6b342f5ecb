#include "runtime/cpu/check/undefined_uses.h"

namespace heddle::cpu {

void UndefinedUses::add(const UndefinedUse &use) {
  if (pending_.size() == maxPending)
    mergePendingIntoReports();
  byAddress_.emplace(use.load.address, pending_.size());
  pending_.push_back(use);
}

void UndefinedUses::dropUsesOfRacedMemory(uint64_t address, uint64_t bytes) {
  for (uint64_t end = address + bytes; address < end && !byAddress_.empty(); ++address) {
    auto [first, last] = byAddress_.equal_range(address);
    for (auto it = first; it != last; ++it)
      pending_[it->second].count = 0;
    byAddress_.erase(first, last);
  }
}

void UndefinedUses::mergePendingIntoReports() {
  for (const UndefinedUse &use : pending_) {
    if (!use.count)
      continue;
    auto [at, isNew] = bySites_.try_emplace({use.stamp.site, use.load.site}, kept_.size());
    if (isNew)
      kept_.push_back(use);
    else
      kept_[at->second].count += use.count;
  }
  pending_.clear();
  byAddress_.clear();
}

std::vector<UndefinedUse> UndefinedUses::takeReports() {
  mergePendingIntoReports();
  bySites_.clear();
  return std::exchange(kept_, {});
}

} // namespace heddle::cpu
