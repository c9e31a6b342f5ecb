// The locks that a guarded run holds.
//
// The linker turns every call of pthread_mutex_lock and its kin that this program contains into one that notes the lock
// (held_locks.cpp; heddle_link in src/CMakeLists.txt), LLVM's and Clang's calls among them.
#pragma once

#include <cstddef>

namespace heddle::os {

class HeldLocks {
public:
  enum Kind { Mutex, ReadWriteLock, StaticGuard };

  bool empty() const { return count_ == 0; }
  void add(Kind kind, void *lock);
  /// Forgets that the lock was taken, once; whether it was known.
  bool remove(void *lock);
  /// Unlocks them all. A static whose making was interrupted is made by the next thread that comes to it.
  void giveBack();

private:
  struct Held {
    Kind kind;
    void *lock;
  };
  static constexpr size_t most = 32; // LLVM holds two at a time
  Held held_[most];
  size_t count_ = 0;
};

} // namespace heddle::os
