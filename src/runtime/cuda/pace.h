// How a thread waits for a GPU: by asking.
#pragma once

#include <cstdint>

namespace heddle::cuda {

/// Paces a loop that asks the driver whether something is over. The first questions follow each other closely, so that
/// a short wait costs no latency; later ones are spread, so that a long one costs no processor.
class Pace {
public:
  Pace();
  /// Waits a little before the next question: longer, the longer it has been.
  void pause();
  /// The same, and now and then asks the embedder whether to give up: throws Interrupted then.
  void pauseOrGiveUp();

private:
  uint64_t start_;
  uint64_t now_;
  uint64_t nextCheck_;
};

/// Asks until `over()`, which may throw, says yes. Throws Interrupted.
template <typename Over> void waitUntil(Over over) {
  if (over())
    return;
  Pace pace;
  do
    pace.pauseOrGiveUp();
  while (!over());
}

} // namespace heddle::cuda
