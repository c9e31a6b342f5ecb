// The locks that a guarded run holds.
//
// The linker redirects all calls of pthread_mutex_lock and related functions in this program, including LLVM's, to
// wrappers that record the lock (held_locks.cpp; heddle_link in src/CMakeLists.txt).
#pragma once

#include <cstddef>

namespace heddle::os {

class HeldLocks {
public:
  enum Kind { Mutex, ReadWriteLock, StaticGuard };

  bool empty() const { return count_ == 0; }
  void add(Kind kind, void *lock);
  /// Removes one acquisition of the lock. Returns false if it was not recorded.
  bool remove(void *lock);
  /// Unlocks all locks. A static whose initialization was interrupted is initialized by the next thread that uses it.
  void unlockAll();

private:
  struct Held {
    Kind kind;
    void *lock;
  };
  static constexpr size_t most = 32; // LLVM holds at most two at a time
  Held held_[most];
  size_t count_ = 0;
};

} // namespace heddle::os
