#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/kernel_run.h"
#include "runtime/cpu/buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::cpu {

DivergentBarriers &CheckedLaunch::barriersOf(uint32_t block) {
  if (!runsBlocksTogether_ && !barriers_.contains(block))
    barriers_.clear();
  return barriers_.try_emplace(block, *sites_, uint32_t(run_->shape.block.count())).first->second;
}

BarrierRelease CheckedLaunch::checkBarrierAndDecideRelease(const BlockContext &context,
                                                           std::span<const Waiting> waiting,
                                                           const NamedBarriers *named) {
  std::lock_guard lock(mutex_);
  uint32_t block = linearBlockIndexOf(context);
  DivergentBarriers &barriers = barriersOf(block);
  auto [found, release] = barriers.findMistakeOrRelease(waiting, named);
  if (found) {
    std::optional<Place> other;
    if (found->otherSite)
      other = {FoundOp::Wait, *found->otherSite, found->otherThread, block};
    reportOrCountAgain(FindingKind::Barrier, std::move(found->message),
                       {FoundOp::Wait, found->site, found->thread, block}, other);
  }
  haveBlocksDiverged_ |= barriers.hasDiverged();
  if (!release.onlySite && (barriers.hasDiverged() || named))
    order_->advanceThreadsToNewestEpoch(block);
  if (!release.onlySite && barriers.isGridBarrier(waiting.front().site))
    gridWaits_.emplace(block, waiting.front());
  return release;
}

void CheckedLaunch::passNamedBarrier(const BlockContext &context) {
  std::lock_guard lock(mutex_);
  order_->advanceThreadsToNewestEpoch(linearBlockIndexOf(context));
}

void CheckedLaunch::checkBlocksMeetAtGridBarrier() {
  std::lock_guard lock(mutex_);
  std::map<uint32_t, Waiting> waits = std::exchange(gridWaits_, {});
  if (haveBlocksDiverged_ || waits.empty())
    return;
  auto isPast = [&](const auto &one, const auto &other) {
    uint32_t site = other.second.site;
    return barriersOf(one.first).progressOf(one.second.thread, site) >
           barriersOf(other.first).progressOf(other.second.thread, site);
  };
  auto placeOf = [](const auto &wait) {
    return Place{FoundOp::Wait, wait.second.site, wait.second.thread, wait.first};
  };
  const auto &first = *waits.begin();
  for (const auto &other : waits) {
    bool isBehind = isPast(other, first);
    if (!isBehind && !isPast(first, other))
      continue;
    haveBlocksDiverged_ = true;
    const auto &behind = isBehind ? first : other, &ahead = isBehind ? other : first;
    std::string line = lineAt(behind.second.site);
    bool isSame = behind.second.site == ahead.second.site;
    return reportOrCountAgain(FindingKind::Barrier,
                              isSame ? "blocks wait at " + line +
                                           " in different iterations: some have gone past it before"
                                     : "a block waits at " + line + " while another one waits at " +
                                           lineAt(ahead.second.site),
                              placeOf(behind), placeOf(ahead));
  }
  uint64_t blocks = run_->shape.grid.count();
  if (waits.size() == blocks)
    return;
  haveBlocksDiverged_ = true;
  uint32_t ended = 0;
  while (waits.contains(ended))
    ++ended;
  Index3 at = unravel(ended, run_->shape.grid);
  std::string who = blocks - waits.size() == 1
                        ? "block (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
                              std::to_string(at[2]) + ") has"
                        : std::to_string(blocks - waits.size()) + " blocks have";
  reportOrCountAgain(FindingKind::Barrier,
                     std::to_string(waits.size()) +
                         (waits.size() == 1 ? " block waits at " : " blocks wait at ") +
                         lineAt(first.second.site) + " while " + who + " ended",
                     placeOf(first));
}

WaitingLoops &CheckedLaunch::waitingLoopsOf(uint32_t block) {
  return loops_.try_emplace(block, uint32_t(run_->shape.block.count())).first->second;
}

void CheckedLaunch::addAccessToIteration(const Current &current) {
  const Stamp &stamp = current.stamp;
  uint64_t value = current.value;
  bool isWrite = current.access.kind == simt::AccessKind::Write;
  if (!isWrite)
    std::memcpy(&value, reinterpret_cast<const void *>(current.address),
                std::min<size_t>(current.bytes, sizeof value));
  if (current.access.kind == simt::AccessKind::Atomic) {
    AtomicMemory &memory = atomics_.try_emplace(current.address, value).first->second;
    memory.hasChanged |= memory.first != value;
  }
  waitingLoopsOf(stamp.block)
      .addAccess(stamp.thread, {.site = stamp.site,
                                .address = current.address,
                                .value = value,
                                .isPolled = !isWrite && !current.access.isLocal,
                                .isShared = current.isShared});
}

bool CheckedLaunch::endIterationAndReportDeadlock(const BlockContext &context,
                                                  std::span<const Waiting> waiting) {
  std::lock_guard lock(mutex_);
  uint32_t block = linearBlockIndexOf(context);
  WaitingLoops &loops = waitingLoopsOf(block);
  loops.endIteration(waiting);
  if (!loops.isStuck() || !loops.polledGlobals().empty())
    return false;
  reportWaitingThreads(block, {&block, 1}, "deadlock", "the block");
  loops_.erase(block);
  return true;
}

bool CheckedLaunch::reportIfBlocksDeadlocked(uint64_t live) {
  // The host may be about to enqueue other work.
  constexpr std::chrono::seconds patience(2);
  std::lock_guard lock(mutex_);
  std::vector<uint32_t> stuck;
  for (const auto &[block, loops] : loops_)
    if (loops.isStuck())
      stuck.push_back(block);
  if (stuck.empty() || stuck.size() + gridWaits_.size() != live) {
    stuckSince_.reset();
    return false;
  }
  auto now = std::chrono::steady_clock::now();
  if (!stuckSince_)
    stuckSince_ = now;
  if (now - *stuckSince_ < patience || !isAwaitedAlone_() ||
      std::ranges::any_of(
          stuck, [&](uint32_t block) { return mayWaitForHost(waitingLoopsOf(block)); }))
    return false;
  reportWaitingThreads(stuck.front(), stuck, "deadlock", "the launch");
  return true;
}

bool CheckedLaunch::mayWaitForHost(const WaitingLoops &loops) {
  CpuAllocations *device = CpuAllocations::ofProcess();
  return std::ranges::any_of(loops.polledGlobals(), [&](uint64_t address) {
    // The launch itself changes locks and counters.
    auto atomic = atomics_.find(address);
    bool isChanged = atomic != atomics_.end() && atomic->second.hasChanged;
    global_.forEach(address, 1, [&](const Cell &cell) { isChanged |= cell.write.exists(); });
    return !isChanged || (device && device->isHostMemory(address));
  });
}

void CheckedLaunch::reportLoopsWaitingAtInterrupt() {
  constexpr uint64_t minUnchanged = 100;
  auto waits = [](const auto &entry) { return entry.second.unchangedIterations() >= minUnchanged; };
  if (auto waiting = std::ranges::find_if(loops_, waits); waiting != loops_.end())
    reportWaitingThreads(waiting->first, {&waiting->first, 1}, "the launch was interrupted",
                         "the block");
}

void CheckedLaunch::reportWaitingThreads(uint32_t block, std::span<const uint32_t> blocks,
                                         const std::string &why, const std::string &others) {
  haveBlocksDiverged_ = true;
  std::span<const Waiting> waiting = waitingLoopsOf(block).waiting();
  const Waiting &first = *std::ranges::find(waiting, yieldSite, &Waiting::site);
  uint32_t site = waitingLoopsOf(block).siteOf(first);
  std::optional<Place> other;
  for (uint32_t one : blocks)
    for (const Waiting &w : waitingLoopsOf(one).waiting())
      if (uint32_t elsewhere = waitingLoopsOf(one).siteOf(w); !other && elsewhere != site)
        other = {FoundOp::Wait, elsewhere, w.thread, one};
  auto count = std::ranges::count_if(
      waiting, [&](const Waiting &w) { return waitingLoopsOf(block).siteOf(w) == site; });
  reportOrCountAgain(
      FindingKind::Barrier,
      why + ": " + std::to_string(count) +
          (count == 1 ? " thread of the block waits at " : " threads of the block wait at ") +
          lineAt(site) + " for other threads, but all threads of " + others + " wait or have ended",
      {FoundOp::Wait, site, first.thread, block}, other);
}

void CheckedLaunch::checkMasksAtWarpOperations(const BlockContext &context, size_t warp,
                                               const Warp &lanes) {
  std::lock_guard lock(mutex_);
  uint32_t block = linearBlockIndexOf(context), first = uint32_t(warp) * warpSize;
  uint32_t count = std::min<uint32_t>(warpSize, uint32_t(run_->shape.block.count()) - first);
  LaneMask existing = LaneMask((uint64_t(1) << count) - 1);
  lanes.forEachCompleteSet([&](LaneMask together) {
    unsigned lane = firstLane(together);
    auto isPast = [&](unsigned other) {
      return barriersOf(block).hasPassedMoreOften(first + other, first + lane, lanes.site(lane));
    };
    if (std::optional<WrongMask> wrong = findWrongMask(lanes, together, existing, isPast))
      reportWrongMask(block, warp, lanes, std::move(*wrong));
  });
}

unsigned CheckedLaunch::reportMissingLanes(const BlockContext &context, size_t warp,
                                           const Warp &lanes) {
  std::lock_guard lock(mutex_);
  unsigned first = firstLane(lanes.atOperation());
  for (LaneMask rest = lanes.atOperation(); rest; rest &= rest - 1)
    if (unsigned lane = firstLane(rest);
        (*sites_)[lanes.site(lane)].line < (*sites_)[lanes.site(first)].line)
      first = lane;
  reportWrongMask(linearBlockIndexOf(context), warp, lanes, describeMissingLanes(lanes, first));
  return first;
}

void CheckedLaunch::reportLaneNotInMask(const BlockContext &context, size_t warp, const Warp &lanes,
                                        unsigned lane) {
  std::lock_guard lock(mutex_);
  reportWrongMask(linearBlockIndexOf(context), warp, lanes, describeLaneNotInMask(lanes, lane));
}

void CheckedLaunch::reportWrongMask(uint32_t block, size_t warp, const Warp &lanes,
                                    WrongMask wrong) {
  auto placeOf = [&](unsigned lane) {
    bool waits = !simt::info(lanes.arrival(lane).operation).has(simt::Warp);
    return Place{waits ? FoundOp::Wait : FoundOp::Call, lanes.site(lane),
                 uint32_t(warp * warpSize + lane), block};
  };
  std::optional<Place> other;
  if (wrong.otherLane)
    other = placeOf(*wrong.otherLane);
  reportOrCountAgain(FindingKind::Warp,
                     (*sites_)[lanes.site(wrong.lane)].message + ": " + wrong.message,
                     placeOf(wrong.lane), other);
}

} // namespace heddle::cpu
