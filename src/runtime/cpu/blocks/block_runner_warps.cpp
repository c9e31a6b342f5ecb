// Blocks of kernels with warp operations.

#include "runtime/cpu/blocks/block_runner.h"

#include <bit>
#include <cstdio>

namespace heddle::cpu {

namespace {

unsigned firstOf(LaneMask lanes) { return unsigned(std::countr_zero(lanes)); }

std::string hex(LaneMask mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string indices(const uint32_t (&i)[3]) {
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
  frames_.assign(warps_.size() * warpSize, nullptr);
  context_.warp.operation = simt::Op::Barrier;
  uint32_t thread = 0;
  for (uint32_t z = 0; z < dim[2]; ++z)
    for (uint32_t y = 0; y < dim[1]; ++y)
      for (uint32_t x = 0; x < dim[0]; ++x) {
        size_t warp = thread / warpSize;
        frames_[thread] = run.entry.thread(&context_, run.arguments, x, y, z);
        noteLane(warp, thread % warpSize);
        if (++thread % warpSize == 0 || thread == threads)
          settle(warp);
      }
}

void BlockRunner::resumeWarps() {
  waiting_.clear();
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    resumeLanes(warp, warps_[warp].live());
    settle(warp);
  }
}

void BlockRunner::resumeYieldingLanes() {
  waiting_.clear();
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    resumeLanes(warp, warps_[warp].at(yieldSite));
    settle(warp);
  }
}

void BlockRunner::settle(size_t warp) {
  Warp &w = warps_[warp];
  while (w.atOperation()) {
    LaneMask ready = w.meet();
    if (!ready) {
      if (w.at(yieldSite)) // and comes to the operation later
        break;
      stoppedWarp_ = warp;
      leave(Stop::WarpDivergence);
    }
    resumeLanes(warp, ready);
  }
  for (LaneMask lanes = w.live(); lanes; lanes &= lanes - 1) {
    unsigned lane = firstOf(lanes);
    size_t thread = warp * warpSize + lane;
    waiting_.push_back({frames_[thread], w.site(lane), uint32_t(thread)});
  }
}

void BlockRunner::resumeLanes(size_t warp, LaneMask lanes) {
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = firstOf(lanes);
    context_.warpResult = warps_[warp].result(lane);
    void *frame = frames_[warp * warpSize + lane];
    resumeOf(frame)(frame);
    noteLane(warp, lane);
  }
}

void BlockRunner::noteLane(size_t warp, unsigned lane) {
  void *frame = frames_[warp * warpSize + lane];
  if (!frame || !resumeOf(frame))
    return warps_[warp].leave(lane);
  bool inMask = warps_[warp].arrive(lane, context_.warp, context_.barrierSite);
  context_.warp.operation = simt::Op::Barrier;
  if (inMask)
    return;
  stoppedWarp_ = warp;
  stoppedLane_ = lane;
  leave(Stop::NotInMask);
}

std::string BlockRunner::whereLaneWaits(const KernelRun &run, unsigned lane) const {
  const Warp &warp = warps_[stoppedWarp_];
  simt::SiteInfo site = siteAt(run.kernel, warp.site(lane));
  std::string line = " at line " + std::to_string(site.line);
  const WarpArrival &arrival = warp.arrival(lane);
  if (arrival.operation == simt::Op::Barrier)
    return "the barrier" + line;
  return site.message + line + " with mask " + hex(arrival.mask);
}

std::shared_ptr<const KernelError> BlockRunner::warpError(const KernelRun &run, unsigned lane,
                                                          const std::string &message) const {
  simt::SiteInfo site = siteAt(run.kernel, warps_[stoppedWarp_].site(lane));
  site.kind = "KernelRuntimeError";
  return errorAt(run, uint32_t(stoppedWarp_ * warpSize + lane), site, message);
}

std::shared_ptr<const KernelError> BlockRunner::describeWarpDivergence(const KernelRun &run) const {
  const Warp &warp = warps_[stoppedWarp_];
  unsigned lane = firstOf(warp.atOperation());
  unsigned other = firstOf(warp.missing(lane));
  return warpError(run, lane,
                   whereLaneWaits(run, lane) +
                       " is not reached by every lane of the mask in warp " +
                       std::to_string(stoppedWarp_) + " of block " + indices(context_.block) +
                       ": lane " + std::to_string(lane) + " waits there while lane " +
                       std::to_string(other) + " waits at " + whereLaneWaits(run, other));
}

std::shared_ptr<const KernelError> BlockRunner::describeLaneNotInMask(const KernelRun &run) const {
  return warpError(run, stoppedLane_,
                   "lane " + std::to_string(stoppedLane_) + " is not in its own mask: it calls " +
                       whereLaneWaits(run, stoppedLane_));
}

} // namespace heddle::cpu
