#include "support/os/held_locks.h"

#include "support/os/run_state.h"

#include <pthread.h>

// With the linker's --wrap, calls of `f` go to `__wrap_f`, and `__real_f` is the original function.
extern "C" {
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __real_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __real_pthread_rwlock_unlock(pthread_rwlock_t *lock);
int __real_pthread_once(pthread_once_t *flag, void (*routine)());
int __real___cxa_guard_acquire(void *guard);
void __real___cxa_guard_release(void *guard);
void __real___cxa_guard_abort(void *guard);
}

namespace heddle::os {

void HeldLocks::add(Kind kind, void *lock) {
  if (count_ < most)
    held_[count_++] = {kind, lock};
}

bool HeldLocks::remove(void *lock) {
  for (size_t i = count_; i-- > 0;)
    if (held_[i].lock == lock) {
      for (--count_; i < count_; ++i)
        held_[i] = held_[i + 1];
      return true;
    }
  return false;
}

void HeldLocks::unlockAll() {
  while (count_ > 0) {
    Held last = held_[--count_];
    switch (last.kind) {
    case Mutex:
      __real_pthread_mutex_unlock(static_cast<pthread_mutex_t *>(last.lock));
      break;
    case ReadWriteLock:
      __real_pthread_rwlock_unlock(static_cast<pthread_rwlock_t *>(last.lock));
      break;
    case StaticGuard:
      __real___cxa_guard_abort(last.lock);
      break;
    }
  }
}

namespace {

int recordLock(int failed, HeldLocks::Kind kind, void *lock) {
  if (!failed && currentRun)
    currentRun->locks.add(kind, lock);
  return failed;
}

/// Removes the lock from the run that acquired it, which may be an enclosing run.
void forgetLock(void *lock) {
  RunState *run = currentRun;
  while (run && !run->locks.remove(lock))
    run = run->outer;
}

/// Reports an interruption to pthread_once as an exception. This leaves the flag unset, and the next thread retries.
void runOnceRoutineOfThread() {
  if (Interruption why = runOnceGuarded(currentRun->onceRoutine))
    throw why;
}

} // namespace
} // namespace heddle::os

using namespace heddle::os;

extern "C" {

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  return recordLock(__real_pthread_mutex_lock(mutex), HeldLocks::Mutex, mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  forgetLock(mutex);
  return __real_pthread_mutex_unlock(mutex);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  return recordLock(__real_pthread_rwlock_rdlock(lock), HeldLocks::ReadWriteLock, lock);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  return recordLock(__real_pthread_rwlock_wrlock(lock), HeldLocks::ReadWriteLock, lock);
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  forgetLock(lock);
  return __real_pthread_rwlock_unlock(lock);
}

int __wrap_pthread_once(pthread_once_t *flag, void (*routine)()) {
  if (!currentRun)
    return __real_pthread_once(flag, routine);
  currentRun->onceRoutine = routine;
  Interruption interruption;
  try {
    return __real_pthread_once(flag, runOnceRoutineOfThread);
  } catch (const Interruption &why) {
    interruption = why;
  }
  jumpOutOfGuardedRun(interruption);
}

int __wrap___cxa_guard_acquire(void *guard) {
  int mine = __real___cxa_guard_acquire(guard);
  if (mine && currentRun)
    currentRun->locks.add(HeldLocks::StaticGuard, guard);
  return mine;
}

void __wrap___cxa_guard_release(void *guard) {
  forgetLock(guard);
  __real___cxa_guard_release(guard);
}

void __wrap___cxa_guard_abort(void *guard) {
  forgetLock(guard);
  __real___cxa_guard_abort(guard);
}

} // extern "C"
