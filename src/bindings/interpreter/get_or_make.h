// Lazily initialized objects that Python code creates.
#pragma once

#include <atomic>

namespace heddle {

/// Returns the object made by the first `make()` that completed; never freed. Replaces a static with an initializer,
/// which can deadlock: a thread in the initializer imports a module and releases the GIL, and another thread takes the
/// GIL and waits for the static. Here both threads make an object, and the second one is deleted.
template <class T, class Make> T &getOrMake(std::atomic<T *> &place, Make make) {
  T *found = place.load(std::memory_order_acquire);
  if (found)
    return *found;
  T *mine = make();
  if (place.compare_exchange_strong(found, mine, std::memory_order_acq_rel))
    return *mine;
  delete mine;
  return *found;
}

} // namespace heddle
