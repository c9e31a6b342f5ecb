// Polling with increasing pauses while a thread waits for a GPU.
#pragma once

#include <cstdint>

namespace heddle::cuda {

/// Paces a polling loop. The first polls follow each other closely, so that short waits have low latency. Later polls
/// are further apart, so that long waits use little processor time.
class Pace {
public:
  Pace();
  /// Pauses before the next poll. Pauses grow with the time waited.
  void pause();
  /// Pauses, and calls the interrupt check periodically. Throws Interrupted.
  void pauseOrInterrupt();

private:
  uint64_t start_;
  uint64_t now_;
  uint64_t nextCheck_;
};

/// Polls until `over()` returns true. `over` may throw. Throws Interrupted.
template <typename Over> void waitUntil(Over over) {
  if (over())
    return;
  Pace pace;
  do
    pace.pauseOrInterrupt();
  while (!over());
}

} // namespace heddle::cuda
