#include "runtime/cpu/check/lock_sets.h"

#include <algorithm>

namespace heddle::cpu {

uint32_t LockSets::lockSetNumberOf(uint32_t block, uint32_t thread) const {
  auto found = held_.find({block, thread});
  return found == held_.end() ? 0 : found->second;
}

bool LockSets::holds(uint32_t block, uint32_t thread, uint64_t lock) const {
  auto holder = holders_.find(lock);
  return holder != holders_.end() && holder->second == Thread(block, thread);
}

void LockSets::recordAcquire(uint32_t block, uint32_t thread, uint64_t lock, uint64_t freeValue) {
  removeFromHolder(lock);
  Set set = lockSetOf({block, thread});
  if (set.size() == maxHeld) {
    holders_.erase(set.front().lock);
    set.erase(set.begin());
  }
  set.push_back({lock, freeValue, {}});
  holders_[lock] = {block, thread};
  setLocksOfThread({block, thread}, std::move(set));
}

void LockSets::recordRelease(uint32_t block, uint32_t thread, uint64_t lock) {
  if (holds(block, thread, lock))
    locks_.insert(lock);
  removeFromHolder(lock);
}

void LockSets::removeFromHolder(uint64_t lock) {
  auto holder = holders_.find(lock);
  if (holder == holders_.end())
    return;
  Set set = lockSetOf(holder->second);
  std::erase_if(set, [&](const Held &held) { return held.lock == lock; });
  setLocksOfThread(holder->second, std::move(set));
  holders_.erase(holder);
}

void LockSets::recordFence(uint32_t block, uint32_t thread, simt::Scope scope) {
  Set set = lockSetOf({block, thread});
  for (Held &held : set)
    held.fence = std::max(held.fence, std::optional(scope));
  setLocksOfThread({block, thread}, std::move(set));
}

std::optional<uint64_t> LockSets::findCommonLock(const Stamp &a, const Stamp &b) const {
  for (const Held &held : sets_[a.locks]) {
    const Held *other = findInSet(sets_[b.locks], held.lock);
    if (other && other->freeValue == held.freeValue && locks_.contains(held.lock))
      return held.lock;
  }
  return std::nullopt;
}

bool LockSets::isFenced(const Stamp &access, uint64_t lock, const Stamp &other) const {
  const Held *held = findInSet(sets_[access.locks], lock);
  return held && held->fence && (*held->fence != simt::Scope::Block || access.block == other.block);
}

const LockSets::Set &LockSets::lockSetOf(Thread thread) const {
  return sets_[lockSetNumberOf(thread.first, thread.second)];
}

void LockSets::setLocksOfThread(Thread thread, Set set) {
  if (set.empty()) {
    held_.erase(thread);
    return;
  }
  auto [known, isNew] = numbers_.try_emplace(set, uint32_t(sets_.size()));
  if (isNew)
    sets_.push_back(std::move(set));
  held_[thread] = known->second;
}

const LockSets::Held *LockSets::findInSet(const Set &set, uint64_t lock) {
  auto found = std::ranges::find(set, lock, &Held::lock);
  return found == set.end() ? nullptr : &*found;
}

} // namespace heddle::cpu
