#include "runtime/cpu/blocks/cooperative_run.h"

#include "runtime/cpu/blocks/block_runner.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

namespace heddle::cpu {

namespace {

using Runners = std::vector<std::unique_ptr<BlockRunner>>;

/// Limit on a worker's suspended blocks, about the number of blocks that a large GPU runs at once.
constexpr size_t maxSuspended = 4096;
/// The number of unsuccessful rounds before a worker pauses between rounds.
constexpr unsigned pollsBeforePause = 1000;
constexpr std::chrono::microseconds pause(50);

std::shared_ptr<const KernelError> makeOutOfMemoryError(const KernelRun &run, size_t blocks) {
  simt::SiteInfo site{.kind = "MemoryError", .function = run.kernel.name()};
  const uint32_t nobody[3] = {};
  return std::make_shared<KernelError>(
      run.kernel.name(), site,
      "no memory for a launch of " + std::to_string(run.shape.grid.count()) +
          " blocks that wait for each other: there was enough for " + std::to_string(blocks),
      nobody, nobody);
}

/// Calls `check` with the checked launch, if there is one, and returns its result. Stops the run if memory runs out.
template <class Check> bool callCheckedLaunch(KernelRun &run, Check check) noexcept {
  if (!run.checked)
    return false;
  try {
    return check(*run.checked);
  } catch (const std::bad_alloc &) {
    run.fail(outOfMemoryError());
    return false;
  }
}

/// True if a checked run reports that its threads wait for each other. live: blocks that have not ended.
bool reportIfDeadlocked(KernelRun &run, uint64_t live) noexcept {
  return callCheckedLaunch(
      run, [&](CheckedLaunch &checked) { return checked.reportIfBlocksDeadlocked(live); });
}

} // namespace

void runCooperative(KernelRun &run) noexcept {
  Runners waiting;
  uint64_t blocks = run.shape.grid.count();
  try {
    waiting.reserve(blocks);
    for (uint64_t block = 0; block < blocks && !run.stop; ++block) {
      auto runner = std::make_unique<BlockRunner>();
      if (runner->startUntilWaitingForBlocks(run, block))
        waiting.push_back(std::move(runner));
    }
  } catch (const std::bad_alloc &) {
    run.failWith([&] { return makeOutOfMemoryError(run, waiting.size()); });
  }
  while (!waiting.empty() && !run.stop) {
    bool together = std::all_of(waiting.begin(), waiting.end(),
                                [](const auto &runner) { return runner->waitsForGrid(); });
    if (!together && reportIfDeadlocked(run, waiting.size()))
      return;
    if (together)
      callCheckedLaunch(run, [](CheckedLaunch &checked) {
        checked.checkBlocksMeetAtGridBarrier();
        return true;
      });
    std::erase_if(waiting, [&](const auto &runner) {
      return run.stop ||
             ((together || !runner->waitsForGrid()) && !runner->resumeUntilWaitingForBlocks(run));
    });
  }
}

void runInterleaved(KernelRun &run, std::atomic<uint64_t> &next) noexcept {
  Runners waiting, free;
  uint64_t blocks = run.shape.grid.count();
  unsigned fruitless = 0;
  while (!run.stop) {
    size_t begun = 0;
    try {
      // Start as many blocks as are suspended, so that suspended blocks are resumed rarely.
      for (size_t most = waiting.size() + 1; begun < most && waiting.size() < maxSuspended;
           ++begun) {
        uint64_t block = next.load() < blocks ? next++ : blocks;
        if (block >= blocks || run.stop)
          break;
        if (free.empty())
          free.push_back(std::make_unique<BlockRunner>());
        if (free.back()->startUntilWaitingForBlocks(run, block)) {
          waiting.push_back(std::move(free.back()));
          free.pop_back();
        }
      }
    } catch (const std::bad_alloc &) {
      run.failWith([&] { return makeOutOfMemoryError(run, waiting.size()); });
    }
    if (waiting.empty() && begun == 0)
      return;
    size_t ended = std::erase_if(waiting, [&](const auto &runner) {
      return run.stop || !runner->resumeUntilWaitingForBlocks(run);
    });
    fruitless = begun || ended ? 0 : fruitless + 1;
    if (fruitless && next.load() >= blocks && reportIfDeadlocked(run, waiting.size()))
      return;
    if (fruitless > pollsBeforePause)
      std::this_thread::sleep_for(pause);
  }
}

} // namespace heddle::cpu
