// The asynchronous copies of the threads of a checked launch.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace heddle::cpu {

/// The target of a copy to shared memory.
struct CopyInFlight {
  uint64_t address = 0, bytes = 0;
};

/// The copies that threads have started and not waited for. Each thread waits for its groups of copies, in order.
class CopiesInFlight {
public:
  void start(uint32_t block, uint32_t thread, CopyInFlight copy);
  /// Makes a group of the copies since the thread's last group.
  void commit(uint32_t block, uint32_t thread);
  /// Waits for the thread's groups, except the last `newest`. Returns their copies.
  std::vector<CopyInFlight> takeCompletedByWait(uint32_t block, uint32_t thread, uint32_t newest);
  /// Forgets the threads of all blocks except `block`, because they have ended.
  void keepOnlyBlock(uint32_t block);

private:
  using Group = std::vector<CopyInFlight>;
  struct Thread {
    Group open; ///< copies that are in no group
    std::deque<Group> groups;
  };
  Thread &threadAt(uint32_t block, uint32_t thread) {
    return threads_[uint64_t(block) << 32 | thread];
  }

  std::unordered_map<uint64_t, Thread> threads_; ///< by block and thread
  uint32_t only_ = ~0u;                          ///< see keepOnlyBlock
};

} // namespace heddle::cpu
