// Orders the accesses of different threads: by barriers of blocks, warps and the grid, and by fences with atomics.
#pragma once

#include "runtime/cpu/check/shadow_memory.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// A set of accesses that happened before some point: for some blocks, all accesses before an epoch; for some threads,
/// all accesses before a time.
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

/// The knowledge that a block's threads have acquired. At a barrier, each thread gets the knowledge of all others.
class BlockKnowledge {
public:
  /// Adds the knowledge that a thread acquired after it had passed `epoch` barriers. Epochs must not decrease.
  void add(uint32_t epoch, const Knowledge &what);
  /// Adds to `to` the knowledge that was acquired before the epoch.
  void mergeEarlierInto(uint32_t epoch, Knowledge &to) const;
  bool coversBefore(uint32_t epoch, const Stamp &access) const;

private:
  std::vector<std::pair<uint32_t, Knowledge>> epochs_;
};

/// Decides which accesses of a launch are ordered. A thread releases with a fence followed by an atomic or by a store
/// to a flag. Another thread acquires with an atomic at the same location or with a load of the flag. A
/// compare-and-swap (a lock) acquires only if a fence follows it.
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

  // Called when the thread is about to wait at a barrier, or executes a fence.
  void passBarrier(uint32_t block, uint32_t thread) { ++blockAt(block).threads[thread].epoch; }
  void passGridBarrier(uint32_t block, uint32_t thread);
  /// Called when the waiting threads of a block pass a barrier together although some have passed fewer barriers
  /// before.
  void advanceThreadsToNewestEpoch(uint32_t block);
  void passWarpBarrier(uint32_t block, uint32_t thread, uint32_t mask);
  void recordFence(uint32_t block, uint32_t thread, simt::Scope scope);
  // Called when the thread executes an atomic, loads a flag or stores to it.
  void acquire(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope,
               bool needsFence);
  void release(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope);

  /// Returns true if threads of block `toBlock` can acquire the access at the address.
  bool isReleased(const Stamp &access, uint64_t address, uint32_t toBlock) const;

  /// Forgets the threads of all blocks except `block`, because they have ended.
  void keepOnlyBlock(uint32_t block);

private:
  static constexpr unsigned lanes = 32;
  /// Lanes that wait at a warp barrier with the same mask.
  struct Meeting {
    uint32_t mask, arrived = 0;
  };
  struct Warp {
    /// clocks[a][b]: the accesses of lane b before this time happened before the next accesses of lane a.
    std::array<std::array<uint32_t, lanes>, lanes> clocks{};
    std::vector<Meeting> meetings;
  };
  struct Block {
    explicit Block(uint32_t threads) : threads(threads), warps((threads + lanes - 1) / lanes) {}
    std::vector<Thread> threads;
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<uint32_t> gridBarriers; ///< epochs that begin at a grid barrier, in order
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
  size_t countGridBarriersBefore(uint32_t block, uint32_t epoch);
  void addKnowledge(Block &block, Thread &thread, const Knowledge &what);

  const uint32_t threadsPerBlock_;
  std::unordered_map<uint32_t, std::unique_ptr<Block>> blocks_;
  uint32_t lastNumber_ = ~0u;
  Block *last_ = nullptr;
  std::unordered_map<uint64_t, Released> released_; ///< by address
};

} // namespace heddle::cpu
