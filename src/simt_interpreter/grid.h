// All threads of a launch, and what they wait for.
#pragma once

#include "simt_interpreter/thread.h"

#include <deque>

namespace heddle::interpreter {

/// Runs the threads in turns that the seed chooses:
///
///     while threads are ready:
///       one of them runs some instructions
///       if it waits or has returned: lanes and blocks that are complete now become ready
///     a thread that still waits is in a deadlock
///
/// A warp operation is complete when all lanes of its mask wait at it that have not returned, a barrier of the block when
/// all its threads do, a barrier of the grid when all threads of all blocks do.
class Grid {
public:
  Grid(LaunchState &launch, const llvm::Module &module, const llvm::Function &kernel,
       llvm::ArrayRef<Datum> arguments);
  /// Runs to the end, or to the first error.
  std::optional<Error> run();

private:
  struct Warp {
    size_t first; ///< its lane 0 among the threads of the launch
    unsigned lanes;
  };
  struct Block {
    BlockState state;
    size_t first;
    size_t live;
    size_t atBarrier = 0; ///< of the block
  };

  void addBlock(Extents index, const llvm::Module &module, const llvm::Function &kernel,
                llvm::ArrayRef<Datum> arguments);
  void runTurn(size_t position);
  void settle(size_t thread);
  bool completeWarpOperation(const Warp &warp);
  bool completeActive(const Warp &warp);
  void resumeLanes(const Warp &warp, LaneMask together);
  void completeBlockBarrier(Block &block);
  void completeGridBarrier();
  void checkWarpsAgree(size_t first, size_t end) const;
  void resume(size_t thread, const llvm::APInt &result);
  std::string whereThreadWaits(size_t thread) const;
  Error errorOf(const Failure &failure, std::optional<size_t> thread) const;

  LaunchState &launch_;
  size_t blockThreads_;
  std::deque<Block> blocks_; ///< threads refer to them
  std::vector<Thread> threads_;
  std::vector<size_t> ready_;
  size_t live_ = 0, atGridBarrier_ = 0;
  mutable std::optional<size_t> blamed_ = {}; ///< by what finds an error of several threads
};

} // namespace heddle::interpreter
