// What is made once a process, by Python code.
#pragma once

#include <atomic>

namespace heddle {

/// What `make()` returned to the first who came to an end with it; never freed. In place of a static with an initializer:
/// a thread in an initializer that imports a module gives up the interpreter's lock, another takes it and waits for
/// the static, and neither goes on. Here both make one, and the second is dropped.
template <class T, class Make> T &madeOnce(std::atomic<T *> &place, Make make) {
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
