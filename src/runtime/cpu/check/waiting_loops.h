// Loops in which the threads of a block wait for memory to be written: locks, flags, counters.
#pragma once

#include "backend/cpu/abi/block_context.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::cpu {

/// Detects that the waiting threads of a block repeat the same iterations. An iteration is the same if it accesses the
/// same memory and finds the same values there. If every iteration of every thread is the same, nothing in the block
/// changes. Many iterations must be the same, because a thread may also change its registers.
class WaitingLoops {
public:
  explicit WaitingLoops(uint32_t threads) : threads_(threads) {}

  struct Access {
    uint32_t site;
    uint64_t address, value;
    bool isPolled; ///< a read or an atomic of memory that other threads may write
    bool isShared;
  };
  void addAccess(uint32_t thread, const Access &access);
  /// waiting: all threads of the block that have not ended. Those in loops have completed an iteration.
  void endIteration(std::span<const Waiting> waiting);

  /// The number of iterations since the last change.
  uint64_t unchangedIterations() const { return unchanged_; }
  bool isStuck() const { return unchanged_ >= minUnchanged; }
  /// The global memory that the threads read in the last iteration, one address each.
  std::span<const uint64_t> polledGlobals() const { return polledGlobals_; }
  /// The site at which a thread of the last iteration waits: its barrier, or its last read in a loop.
  uint32_t siteOf(const Waiting &waiting) const {
    return waiting.site == yieldSite ? threads_[waiting.thread].site : waiting.site;
  }
  std::span<const Waiting> waiting() const { return waiting_; }

private:
  static constexpr uint64_t minUnchanged = 4096;

  struct Thread {
    uint64_t last = 0, current = 0; ///< hashes of the accesses of an iteration
    uint32_t site = 0;              ///< of the last polling access
    uint64_t polledGlobal = 0;      ///< the last address; 0: none
  };
  std::vector<Thread> threads_;
  std::vector<Waiting> waiting_;
  std::vector<uint64_t> polledGlobals_;
  uint64_t unchanged_ = 0;
};

} // namespace heddle::cpu
