// Runs blocks of kernels with warp operations.

#include "runtime/cpu/blocks/block_runner.h"

namespace heddle::cpu {

namespace {

std::string formatIndices(const uint32_t (&i)[3]) {
  return "(" + std::to_string(i[0]) + ", " + std::to_string(i[1]) + ", " + std::to_string(i[2]) +
         ")";
}

} // namespace

void BlockRunner::startWarps(const KernelRun &run) {
  const uint32_t *dim = context_.blockDim;
  uint32_t threads = dim[0] * dim[1] * dim[2];
  warps_.resize((threads + warpSize - 1) / warpSize);
  for (Warp &warp : warps_)
    warp.reset();
  barriers_.reset(threads, run.checked != nullptr);
  frames_.assign(warps_.size() * warpSize, nullptr);
  context_.warp.operation = simt::Op::Barrier;
  uint32_t thread = 0;
  for (uint32_t z = 0; z < dim[2]; ++z)
    for (uint32_t y = 0; y < dim[1]; ++y)
      for (uint32_t x = 0; x < dim[0]; ++x) {
        size_t warp = thread / warpSize;
        frames_[thread] = run.entry.thread(&context_, run.arguments, x, y, z);
        recordLaneStop(warp, thread % warpSize);
        if (++thread % warpSize == 0 || thread == threads)
          resumeWarpUntilBarrier(warp);
      }
}

void BlockRunner::resumeWarps() {
  waiting_.clear();
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    resumeLanes(warp, warps_[warp].live());
    resumeWarpUntilBarrier(warp);
  }
}

void BlockRunner::resumeLanesAt(uint32_t site) {
  waiting_.clear();
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    resumeLanes(warp, warps_[warp].lanesAt(site));
    resumeWarpUntilBarrier(warp);
  }
}

void BlockRunner::resumeWarpUntilBarrier(size_t warp) {
  Warp &w = warps_[warp];
  completeWarpOperations(warp);
  while (arriveAtNamedBarrier(warp)) {
    resumeLanes(warp, w.live());
    completeWarpOperations(warp);
  }
  for (LaneMask lanes = w.live(); lanes; lanes &= lanes - 1) {
    unsigned lane = firstLane(lanes);
    size_t thread = warp * warpSize + lane;
    waiting_.push_back({frames_[thread], w.site(lane), uint32_t(thread)});
  }
}

void BlockRunner::completeWarpOperations(size_t warp) {
  Warp &w = warps_[warp];
  while (w.atOperation()) {
    if (run_->checked)
      callWithCheckedLaunch(
          [&](CheckedLaunch &checked) { checked.checkMasksAtWarpOperations(context_, warp, w); });
    LaneMask ready = w.completeOperations();
    if (!ready) {
      if (w.lanesAt(yieldSite)) // yielding lanes reach the operation later
        break;
      ready = completeWithoutMissingLanes(warp);
    }
    resumeLanes(warp, ready);
  }
}

LaneMask BlockRunner::completeWithoutMissingLanes(size_t warp) {
  // A loop may wait for a vote of lanes that do not come.
  constexpr uint32_t most = 10000;
  if (run_->checked && ++operationsWithoutOthers_ < most)
    return warps_[warp].completeWithoutMissingLanes(
        callWithCheckedLaunch([&](CheckedLaunch &checked) {
          return checked.reportMissingLanes(context_, warp, warps_[warp]);
        }));
  stoppedWarp_ = warp;
  jumpOutOfBlock(Stop::WarpDivergence);
}

void BlockRunner::resumeLanes(size_t warp, LaneMask lanes) {
  // After a mistake in a checked run, warps pass barriers that are not complete.
  if (lanes && barriers_.isWaiting(unsigned(warp))) {
    barriers_.release(unsigned(warp));
    warps_[warp].setBarrierResult(barriers_.result(unsigned(warp)));
  }
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = firstLane(lanes);
    context_.warpResult = warps_[warp].result(lane);
    void *frame = frames_[warp * warpSize + lane];
    resumeFunctionOf(frame)(frame);
    recordLaneStop(warp, lane);
  }
}

void BlockRunner::recordLaneStop(size_t warp, unsigned lane) {
  void *frame = frames_[warp * warpSize + lane];
  if (!frame || !resumeFunctionOf(frame))
    return warps_[warp].leave(lane);
  bool inMask = warps_[warp].arriveAndCheckMask(lane, context_.warp, context_.barrierSite);
  hasNamedBarriers_ |= simt::isNamedBarrier(context_.warp.operation);
  context_.warp.operation = simt::Op::Barrier;
  if (inMask)
    return;
  if (run_->checked) {
    callWithCheckedLaunch([&](CheckedLaunch &checked) {
      checked.reportLaneNotInMask(context_, warp, warps_[warp], lane);
    });
    return warps_[warp].completeAlone(lane);
  }
  stoppedWarp_ = warp;
  stoppedLane_ = lane;
  jumpOutOfBlock(Stop::NotInMask);
}

namespace {

std::string describeOperationAtSite(const simt::SiteInfo &site, bool isBarrier) {
  return (isBarrier ? "the barrier" : site.message) + " at line " + std::to_string(site.line);
}

std::string appendMaskToPlace(std::string place, LaneMask mask) {
  return place + " with mask " + formatMask(mask);
}

std::string notReachedMessage(const std::string &place, size_t warp, const std::string &block,
                              unsigned lane, unsigned other, const std::string &elsewhere) {
  return place + " is not reached by every lane of the mask in warp " + std::to_string(warp) +
         " of block " + block + ": lane " + std::to_string(lane) + " waits there while lane " +
         std::to_string(other) + " waits at " + elsewhere;
}

std::string notInMaskMessage(unsigned lane, const std::string &place) {
  return "lane " + std::to_string(lane) + " is not in the mask of its operation: it calls " + place;
}

} // namespace

std::string BlockRunner::describeLaneWait(const KernelRun &run, size_t ofWarp,
                                          unsigned lane) const {
  const Warp &warp = warps_[ofWarp];
  simt::SiteInfo site = siteAt(run.kernel, warp.site(lane));
  const WarpArrival &arrival = warp.arrival(lane);
  bool isBarrier = !simt::info(arrival.operation).has(simt::Warp);
  if (simt::isNamedBarrier(arrival.operation))
    return "barrier " + std::to_string(arrival.lane) + " at line " + std::to_string(site.line);
  std::string place = describeOperationAtSite(site, isBarrier);
  return isBarrier ? place : appendMaskToPlace(place, arrival.mask);
}

std::shared_ptr<const KernelError> BlockRunner::makeWarpError(const KernelRun &run, unsigned lane,
                                                              const std::string &message) const {
  simt::SiteInfo site = siteAt(run.kernel, warps_[stoppedWarp_].site(lane));
  site.kind = "KernelRuntimeError";
  return makeErrorAt(run, uint32_t(stoppedWarp_ * warpSize + lane), site, message);
}

std::shared_ptr<const KernelError>
BlockRunner::makeWarpDivergenceError(const KernelRun &run) const {
  const Warp &warp = warps_[stoppedWarp_];
  unsigned lane = firstLane(warp.atOperation());
  unsigned other = firstLane(warp.lanesThatDidNotArrive(lane));
  return makeWarpError(run, lane,
                       notReachedMessage(describeLaneWait(run, stoppedWarp_, lane), stoppedWarp_,
                                         formatIndices(context_.block), lane, other,
                                         describeLaneWait(run, stoppedWarp_, other)));
}

std::shared_ptr<const KernelError> BlockRunner::makeLaneNotInMaskError(const KernelRun &run) const {
  return makeWarpError(
      run, stoppedLane_,
      notInMaskMessage(stoppedLane_, describeLaneWait(run, stoppedWarp_, stoppedLane_)));
}

std::shared_ptr<const KernelError> BlockRunner::makeWarpMaskTrapError(const KernelRun &run) const {
  WarpMaskError stop = WarpMaskError::of(uint64_t(trapIndex_));
  simt::SiteInfo site = siteAt(run.kernel, trapSite_);
  std::string place =
      appendMaskToPlace(describeOperationAtSite(site, /*isBarrier=*/false), LaneMask(trapExtent_));
  const uint32_t *dim = context_.blockDim, *thread = context_.thread;
  size_t warp = ((thread[2] * dim[1] + thread[1]) * dim[0] + thread[0]) / warpSize;
  std::string message =
      stop.other == WarpMaskError::ownMask
          ? notInMaskMessage(stop.lane, place)
          : notReachedMessage(
                place, warp, formatIndices(context_.block), stop.lane, stop.other,
                describeOperationAtSite(siteAt(run.kernel, stop.otherSite), stop.atBarrier));
  site.kind = "KernelRuntimeError";
  return makeErrorAt(run, uint32_t(warp * warpSize + stop.lane), site, message);
}

} // namespace heddle::cpu
