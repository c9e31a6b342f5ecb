// The order of accesses of different threads: barriers, warp barriers, grid barriers, and fences with atomics.
#pragma once

#include "runtime/cpu/check/shadow_memory.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Accesses that happened before a point: those of some blocks before an epoch, and of some threads before a time.
class Knowledge {
public:
  void addBlock(uint32_t block, uint32_t epoch);
  void addThread(uint32_t block, uint32_t thread, uint32_t epoch, uint32_t time);
  void add(const Knowledge &other);
  bool covers(const Stamp &access) const;
  bool empty() const { return blocks_.empty() && threads_.empty(); }

private:
  using Time = std::pair<uint32_t, uint32_t>; ///< epoch and time
  std::unordered_map<uint32_t, uint32_t> blocks_;
  std::unordered_map<uint64_t, Time> threads_; ///< by block and thread
};

/// Knowledge that a block's threads acquired. All its threads have what was acquired before the last barrier.
class BlockKnowledge {
public:
  /// Adds what a thread acquired after it had passed `epoch` barriers; epochs do not decrease.
  void add(uint32_t epoch, const Knowledge &what);
  /// Adds what was acquired before the epoch to `to`.
  void addBefore(uint32_t epoch, Knowledge &to) const;
  bool coversBefore(uint32_t epoch, const Stamp &access) const;

private:
  std::vector<std::pair<uint32_t, Knowledge>> epochs_;
};

/// Decides which accesses of a launch are ordered. A thread releases by a fence and then an atomic, or a store to a flag;
/// another one acquires what was released at the location by an atomic or by a load of the flag, and if the atomic is a
/// compare-and-swap (a lock), by a fence after it.
///
/// Blocks are named by their linear index in the grid, threads by their linear index in the block.
class HappensBefore {
public:
  explicit HappensBefore(uint32_t threadsPerBlock) : threadsPerBlock_(threadsPerBlock) {}

  struct Thread {
    uint32_t epoch = 0;          ///< barriers passed
    uint32_t time = 0;           ///< warp barriers and fences passed
    uint32_t reportedSite = ~0u; ///< site of an index out of bounds whose access follows

  private:
    friend HappensBefore;
    struct Fence {
      uint32_t epoch, time;
      simt::Scope scope;
    };
    std::optional<Fence> fence;                      ///< the last one
    Knowledge known;                                 ///< acquired
    std::unordered_map<uint64_t, Knowledge> atomics; ///< by address: releases that it has acquired
    Knowledge pendingDevice, pendingBlock;           ///< acquired at the next fence
  };

  Thread &thread(uint32_t block, uint32_t thread) { return blockAt(block).threads[thread]; }
  /// Returns true if an earlier access happened before the thread's next one.
  bool isOrdered(const Stamp &earlier, uint32_t block, uint32_t thread) {
    return isOrderedByBarrier(earlier, block, thread) || isOrderedByRelease(earlier, block, thread);
  }
  bool isOrderedByBarrier(const Stamp &earlier, uint32_t block, uint32_t thread);
  bool isOrderedByRelease(const Stamp &earlier, uint32_t block, uint32_t thread);
  /// Returns true if an earlier atomic at the address was a release, and the thread has acquired at the address since.
  bool hasAcquired(const Stamp &atomic, uint32_t block, uint32_t thread, uint64_t address);

  // The thread is about to wait at a barrier, or executes a fence.
  void passBarrier(uint32_t block, uint32_t thread) { ++blockAt(block).threads[thread].epoch; }
  void passGridBarrier(uint32_t block, uint32_t thread);
  /// The waiting threads of a block pass a barrier together, although some have passed fewer barriers before.
  void joinEpochs(uint32_t block);
  void passWarpBarrier(uint32_t block, uint32_t thread, uint32_t mask);
  void fence(uint32_t block, uint32_t thread, simt::Scope scope);
  // The thread executes an atomic, loads a flag or stores to it.
  void acquire(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope,
               bool needsFence);
  void release(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope);

  /// Returns true if threads of a block can acquire an access at the address.
  bool isReleased(const Stamp &access, uint64_t address, uint32_t toBlock) const;

  /// Forgets the threads of all blocks but `block`: they have ended.
  void keepOnly(uint32_t block);

private:
  static constexpr unsigned lanes = 32;
  /// Lanes that wait at a warp barrier with the same mask.
  struct Meeting {
    uint32_t mask, arrived = 0;
  };
  struct Warp {
    /// clocks[a][b]: what lane b did before this time happened before what lane a does next.
    std::array<std::array<uint32_t, lanes>, lanes> clocks{};
    std::vector<Meeting> meetings;
  };
  struct Block {
    explicit Block(uint32_t threads) : threads(threads), warps((threads + lanes - 1) / lanes) {}
    std::vector<Thread> threads;
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<uint32_t> gridBarriers; ///< the epochs that they begin, in order
    std::vector<Thread::Fence> fences;  ///< the last one of each epoch
    BlockKnowledge acquired;
    std::unordered_map<uint64_t, BlockKnowledge> atomics; ///< same, for Thread::atomics
  };
  /// The knowledge that threads released at a location, to the device and to the same block.
  struct Released {
    Knowledge device;
    std::unordered_map<uint32_t, Knowledge> blocks;
    Knowledge atomics; ///< the releases themselves
  };

  Block &blockAt(uint32_t block);
  size_t gridBarriersBefore(uint32_t block, uint32_t epoch);
  void learn(Block &block, Thread &thread, const Knowledge &what);

  const uint32_t threadsPerBlock_;
  std::unordered_map<uint32_t, std::unique_ptr<Block>> blocks_;
  uint32_t lastNumber_ = ~0u;
  Block *last_ = nullptr;
  std::unordered_map<uint64_t, Released> released_; ///< by address
};

} // namespace heddle::cpu
