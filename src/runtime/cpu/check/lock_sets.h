// The locks that threads hold. Critical sections of one lock exclude each other, and either may come first.
#pragma once

#include "runtime/cpu/check/shadow_memory.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Tracks locks. A thread takes a lock by an atomic (simt::CheckedAccess::takesLock), and holds it until the next atomic
/// changes it. An address at which no holder does that is a flag or a claimed element, and no lock.
///
/// Two threads that take a lock from the same value could have done so in the other order. So both need a fence after
/// they take it and one before they release it, although the order of this run shows only half of them.
class LockSets {
public:
  /// The number of the set of locks that a thread holds; 0 if it holds none.
  uint32_t heldBy(uint32_t block, uint32_t thread) const;
  /// Returns true if the thread holds the lock.
  bool holds(uint32_t block, uint32_t thread, uint64_t lock) const;
  /// freeValue: of the lock before the thread took it.
  void take(uint32_t block, uint32_t thread, uint64_t lock, uint64_t freeValue);
  /// A thread, not necessarily the holder, has changed the lock's value.
  void release(uint32_t block, uint32_t thread, uint64_t lock);
  void fence(uint32_t block, uint32_t thread, simt::Scope scope);

  /// The outermost lock under which both accesses are; none if there is none.
  std::optional<uint64_t> commonLock(const Stamp &a, const Stamp &b) const;
  /// Returns true if a fence whose scope includes the other thread comes before an access, after its thread took the lock.
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

  const Set &setOf(Thread thread) const;
  void assign(Thread thread, Set set);
  void drop(uint64_t lock);
  static const Held *find(const Set &set, uint64_t lock);

  std::vector<Set> sets_{{}};
  std::map<Set, uint32_t> numbers_{{{}, 0}};
  std::map<Thread, uint32_t> held_; ///< of threads that hold locks
  std::unordered_map<uint64_t, Thread> holders_;
  std::unordered_set<uint64_t> locks_; ///< addresses that a holder has changed
};

} // namespace heddle::cpu
