// All threads of a launch, their scheduling and synchronization.
#pragma once

#include "simt_interpreter/thread.h"

#include <array>
#include <deque>
#include <set>

namespace heddle::interpreter {

/// Interleaves the threads at random, as determined by the seed:
///
///     while threads are ready:
///       run some instructions of one of them
///       if it waits or returns: the threads of operations that this completes become ready
///     any thread that still waits is deadlocked
///
/// A warp operation is complete when all lanes of its mask that have not returned wait at it. A block barrier is
/// complete when all threads of the block wait, a grid barrier when all threads of all blocks do. A named barrier is
/// complete when enough warps have arrived; in modules with named barriers, the barriers of the block are such barriers.
class Grid {
public:
  Grid(LaunchState &launch, const llvm::Module &module, const llvm::Function &kernel,
       llvm::ArrayRef<Datum> arguments);
  /// Runs to the end, or to the first error.
  std::optional<Error> run();

private:
  struct Warp {
    size_t first; ///< index of lane 0 in the launch's threads
    unsigned lanes;
  };
  struct NamedBarrier {
    uint32_t threads = 0;
    size_t arrivals = 0;             ///< in threads, 32 for each warp
    size_t live = 0, predicates = 0; ///< threads that arrived, and those with a true predicate
    std::set<size_t> arrived;
    std::vector<size_t> waiting;
    bool counts = false;     ///< is one with a predicate
    bool isForBlock = false; ///< does not wait for threads that have returned
  };
  struct Block {
    BlockState state;
    size_t first;
    size_t live;
    size_t atBarrier = 0; ///< threads at a block barrier
    std::array<NamedBarrier, simt::namedBarriers> named{};
  };

  void addBlock(Extents index, const llvm::Module &module, const llvm::Function &kernel,
                llvm::ArrayRef<Datum> arguments);
  void runTurnOfThread(size_t position);
  void completeWaitsAfterStep(size_t thread);
  bool tryCompleteWarpOperation(const Warp &warp);
  bool tryCompleteActiveMask(const Warp &warp);
  void resumeLanes(const Warp &warp, LaneMask together);
  void completeBlockBarrier(Block &block);
  /// The operands of a barrier as those of a named one; nullopt if the thread does not wait at a barrier.
  std::optional<WarpRequest> namedRequestOf(const Thread &thread) const;
  std::optional<WarpRequest> findCommonNamedRequest(const Warp &warp) const;
  void completeNamedBarriers(Block &block, const Warp &warp);
  void arriveAtNamedBarrier(Block &block, const Warp &warp, const WarpRequest &request);
  bool isComplete(const Block &block, const NamedBarrier &barrier) const;
  void completeGridBarrier();
  void requireSameBarrier(size_t first, size_t end) const;
  void resume(size_t thread, const llvm::APInt &result);
  std::string describeWait(size_t thread) const;
  Error makeError(const Failure &failure, std::optional<size_t> thread) const;

  LaunchState &launch_;
  size_t blockThreads_;
  std::deque<Block> blocks_; ///< a deque, because threads refer to its elements
  std::vector<Thread> threads_;
  std::vector<size_t> ready_;
  size_t live_ = 0, atGridBarrier_ = 0;
  bool hasNamedBarriers_ = false;
  mutable std::optional<size_t> blamed_ =
      {}; ///< the thread to report for an error of several threads
};

} // namespace heddle::interpreter
