#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/kernel_run.h"

#include <algorithm>

namespace heddle::cpu {

DivergentBarriers &CheckedLaunch::barriersOf(uint32_t block) {
  if (!runsBlocksTogether_ && !barriers_.contains(block))
    barriers_.clear();
  return barriers_.try_emplace(block, *sites_, uint32_t(run_->shape.block.count())).first->second;
}

BarrierRelease CheckedLaunch::meetAtBarrier(const BlockContext &context,
                                            std::span<const Waiting> waiting) {
  std::lock_guard lock(mutex_);
  uint32_t block = blockOf(context);
  DivergentBarriers &barriers = barriersOf(block);
  auto [found, release] = barriers.meet(waiting);
  if (found) {
    std::optional<Place> other;
    if (found->otherSite)
      other = {FoundOp::Wait, *found->otherSite, found->otherThread};
    reportAt(FindingKind::Barrier, block, std::move(found->message),
             {FoundOp::Wait, found->site, found->thread}, other);
  }
  if (!release.onlySite && barriers.hasDiverged())
    order_->joinEpochs(block);
  return release;
}

void CheckedLaunch::meetAtOperations(const BlockContext &context, size_t warp, const Warp &lanes) {
  std::lock_guard lock(mutex_);
  uint32_t block = blockOf(context), first = uint32_t(warp) * warpSize;
  uint32_t count = std::min<uint32_t>(warpSize, uint32_t(run_->shape.block.count()) - first);
  LaneMask existing = LaneMask((uint64_t(1) << count) - 1);
  lanes.forEachCompleteSet([&](LaneMask together) {
    unsigned lane = firstLane(together);
    auto isPast = [&](unsigned other) {
      return barriersOf(block).isPast(first + other, first + lane, lanes.site(lane));
    };
    if (std::optional<WrongMask> wrong = findWrongMask(lanes, together, existing, isPast))
      reportMask(block, warp, lanes, std::move(*wrong));
  });
}

unsigned CheckedLaunch::meetWithoutOthers(const BlockContext &context, size_t warp,
                                          const Warp &lanes) {
  std::lock_guard lock(mutex_);
  unsigned first = firstLane(lanes.atOperation());
  for (LaneMask rest = lanes.atOperation(); rest; rest &= rest - 1)
    if (unsigned lane = firstLane(rest);
        (*sites_)[lanes.site(lane)].line < (*sites_)[lanes.site(first)].line)
      first = lane;
  reportMask(blockOf(context), warp, lanes, describeMissingLanes(lanes, first));
  return first;
}

void CheckedLaunch::reportLaneNotInMask(const BlockContext &context, size_t warp, const Warp &lanes,
                                        unsigned lane) {
  std::lock_guard lock(mutex_);
  reportMask(blockOf(context), warp, lanes, describeLaneNotInMask(lanes, lane));
}

void CheckedLaunch::reportMask(uint32_t block, size_t warp, const Warp &lanes, WrongMask wrong) {
  auto placeOf = [&](unsigned lane) {
    bool waits = lanes.arrival(lane).operation == simt::Op::Barrier;
    return Place{waits ? FoundOp::Wait : FoundOp::Call, lanes.site(lane),
                 uint32_t(warp * warpSize + lane)};
  };
  std::optional<Place> other;
  if (wrong.otherLane)
    other = placeOf(*wrong.otherLane);
  reportAt(FindingKind::Warp, block,
           (*sites_)[lanes.site(wrong.lane)].message + ": " + wrong.message, placeOf(wrong.lane),
           other);
}

} // namespace heddle::cpu
