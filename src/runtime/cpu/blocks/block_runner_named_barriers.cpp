// Runs blocks of kernels with named barriers.

#include "runtime/cpu/blocks/block_runner.h"

namespace heddle::cpu {

namespace {

std::string formatBlockOf(const BlockContext &context) {
  const uint32_t *b = context.block;
  return "block (" + std::to_string(b[0]) + ", " + std::to_string(b[1]) + ", " +
         std::to_string(b[2]) + ")";
}

} // namespace

bool BlockRunner::resumeReleasedWarps() {
  WarpSet released = barriers_.takeReleased();
  if (!released)
    return false;
  if (run_->checked)
    callWithCheckedLaunch([&](CheckedLaunch &checked) { checked.passNamedBarrier(context_); });
  waiting_.clear();
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    Warp &w = warps_[warp];
    if (released >> warp & 1) {
      w.setBarrierResult(barriers_.result(unsigned(warp)));
      resumeLanes(warp, w.live());
    }
    resumeWarpUntilBarrier(warp);
  }
  return true;
}

bool BlockRunner::arriveAtNamedBarrier(size_t warp) {
  Warp &w = warps_[warp];
  if (!w.live()) {
    barriers_.leave(unsigned(warp));
    return false;
  }
  const WarpArrival *arrival = w.arrivalAtNamedBarrier();
  if (!arrival || barriers_.isWaiting(unsigned(warp)))
    return false;
  leaveIfStopped();
  misuse_ = barriers_.arrive(unsigned(warp), *arrival, w.countTrueLanes());
  if (misuse_ != BarrierMisuse::None) {
    stoppedWarp_ = warp;
    jumpOutOfBlock(Stop::NamedBarrierMisuse);
  }
  return arrival->operation == simt::Op::NamedBarrierArrive;
}

std::optional<size_t> BlockRunner::findWarpAtNamedBarrier() const {
  std::optional<size_t> found;
  for (size_t warp = 0; hasNamedBarriers_ && warp < warps_.size(); ++warp) {
    if (!warps_[warp].lanesAtNamedBarriers())
      continue;
    if (!barriers_.isWaiting(unsigned(warp)))
      return warp; // its lanes wait at different places, which may be why the others wait
    found = found.value_or(warp);
  }
  return found;
}

std::string BlockRunner::describeWaitElsewhere(const KernelRun &run, uint32_t number) const {
  for (size_t warp = 0; warp < warps_.size(); ++warp) {
    bool isHere =
        barriers_.isWaiting(unsigned(warp)) && barriers_.numberAt(unsigned(warp)) == number;
    if (warps_[warp].live() && !isHere)
      return "others wait at " + describeLaneWait(run, warp, firstLane(warps_[warp].live()));
  }
  return "all others have returned";
}

std::shared_ptr<const KernelError> BlockRunner::makeNamedBarrierError(const KernelRun &run) const {
  const Warp &warp = warps_[stoppedWarp_];
  LaneMask here = warp.lanesAtNamedBarriers();
  unsigned lane = firstLane(here);
  std::string place = describeLaneWait(run, stoppedWarp_, lane);
  if (!barriers_.isWaiting(unsigned(stoppedWarp_))) {
    LaneMask elsewhere = warp.lanesThatWaitElsewhere(lane);
    unsigned other = firstLane(elsewhere);
    return makeWarpError(run, lane,
                         place + " is not reached by every thread of warp " +
                             std::to_string(stoppedWarp_) + " of " + formatBlockOf(context_) +
                             ": lane " + std::to_string(lane) + " waits there while lane " +
                             std::to_string(other) + " waits at " +
                             describeLaneWait(run, stoppedWarp_, other));
  }
  uint32_t number = barriers_.numberAt(unsigned(stoppedWarp_));
  return makeWarpError(run, lane,
                       place + " waits for " + std::to_string(barriers_.threadsExpectedAt(number)) +
                           " threads of " + formatBlockOf(context_) + ", but only " +
                           std::to_string(barriers_.threadsArrivedAt(number)) +
                           " have arrived, and " + describeWaitElsewhere(run, number));
}

std::string BlockRunner::describeMisuse(const WarpArrival &arrival) const {
  std::string threads = arrival.width ? " is for " + std::to_string(arrival.width) + " threads"
                                      : " is for all threads of the block";
  switch (misuse_) {
  case BarrierMisuse::Number:
    return " does not exist: a block has barriers 0 to " + std::to_string(simt::namedBarriers - 1);
  case BarrierMisuse::Threads:
    return threads + ", which is not a multiple of 32";
  case BarrierMisuse::NoThreads:
    return ": an arrival needs a number of threads that is not 0";
  case BarrierMisuse::OtherThreads:
    return threads + ", but other warps have arrived there for " +
           std::to_string(barriers_.threadsExpectedAt(arrival.lane));
  case BarrierMisuse::OtherKind:
    return " meets one of another kind: either all warps or none must pass a predicate";
  case BarrierMisuse::None:
    break;
  }
  return "";
}

std::shared_ptr<const KernelError>
BlockRunner::makeNamedBarrierMisuseError(const KernelRun &run) const {
  const Warp &warp = warps_[stoppedWarp_];
  unsigned lane = firstLane(warp.live());
  return makeWarpError(
      run, lane, describeLaneWait(run, stoppedWarp_, lane) + describeMisuse(warp.arrival(lane)));
}

} // namespace heddle::cpu
