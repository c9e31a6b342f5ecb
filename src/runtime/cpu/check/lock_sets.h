// Tracks the locks that threads hold. Critical sections of one lock exclude each other, and either may come first.
#pragma once

#include "runtime/cpu/check/shadow_memory.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// A set of locks for each thread. A thread takes a lock with an atomic (simt::CheckedAccess::takesLock) and holds it
/// until the next atomic changes the lock. An address that no holder changes is a flag or a claimed element, not a
/// lock.
///
/// Two threads that take a lock from the same value could have done so in the other order. So each needs a fence after
/// it takes the lock and one before it releases it, although the order in this run needs only two of these fences.
class LockSets {
public:
  /// The ID of the set of locks that a thread holds; 0 for the empty set.
  uint32_t lockSetNumberOf(uint32_t block, uint32_t thread) const;
  /// Returns true if the thread holds the lock.
  bool holds(uint32_t block, uint32_t thread, uint64_t lock) const;
  /// Records that a thread takes a lock. freeValue: the lock's value before.
  void recordAcquire(uint32_t block, uint32_t thread, uint64_t lock, uint64_t freeValue);
  /// Records that a thread, not necessarily the holder, has changed the lock's value.
  void recordRelease(uint32_t block, uint32_t thread, uint64_t lock);
  void recordFence(uint32_t block, uint32_t thread, simt::Scope scope);

  /// The outermost lock that is held during both accesses; nullopt if there is none.
  std::optional<uint64_t> findCommonLock(const Stamp &a, const Stamp &b) const;
  /// Returns true if the thread of `access` executed a fence after it took the lock and before the access, with a scope
  /// that includes the thread of `other`.
  bool isFenced(const Stamp &access, uint64_t lock, const Stamp &other) const;

private:
  static constexpr size_t maxHeld = 4; ///< threads that claim elements never release them
  struct Held {
    uint64_t lock, freeValue;
    std::optional<simt::Scope> fence; ///< the widest one since the thread took the lock
    auto operator<=>(const Held &) const = default;
  };
  using Set = std::vector<Held>;                ///< the outermost lock first
  using Thread = std::pair<uint32_t, uint32_t>; ///< block and thread

  const Set &lockSetOf(Thread thread) const;
  void setLocksOfThread(Thread thread, Set set);
  void removeFromHolder(uint64_t lock);
  static const Held *findInSet(const Set &set, uint64_t lock);

  std::vector<Set> sets_{{}};
  std::map<Set, uint32_t> numbers_{{{}, 0}};
  std::map<Thread, uint32_t> held_; ///< of threads that hold locks
  std::unordered_map<uint64_t, Thread> holders_;
  std::unordered_set<uint64_t> locks_; ///< addresses that a holder has changed
};

} // namespace heddle::cpu
