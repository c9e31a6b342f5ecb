#include "runtime/cpu/blocks/named_barriers.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace heddle::cpu {

namespace {

WarpSet bitOf(unsigned warp) { return WarpSet(1) << warp; }

template <class Visit> void forEachWarp(WarpSet warps, Visit visit) {
  for (; warps; warps &= warps - 1)
    visit(unsigned(std::countr_zero(warps)));
}

} // namespace

void NamedBarriers::reset(uint32_t threads, bool isChecked) {
  std::fill(std::begin(barriers_), std::end(barriers_), Barrier());
  uint32_t warps = (threads + warpSize - 1) / warpSize;
  blockThreads_ = warps * warpSize;
  live_ = ~WarpSet(0) >> (32 - warps);
  waiting_ = released_ = 0;
  isChecked_ = isChecked;
}

BarrierMisuse NamedBarriers::arrive(unsigned warp, const WarpArrival &arrival, uint32_t yes) {
  bool waits = arrival.operation != simt::Op::NamedBarrierArrive;
  uint32_t number = arrival.lane, threads = arrival.width ? arrival.width : blockThreads_;
  if (number >= simt::namedBarriers)
    return BarrierMisuse::Number;
  if (threads % warpSize)
    return BarrierMisuse::Threads;
  if (!arrival.width && !waits)
    return BarrierMisuse::NoThreads;
  Barrier &barrier = barriers_[number];
  if (barrier.arrivals && barrier.threads != threads)
    return BarrierMisuse::OtherThreads;
  bool counts = arrival.operation == simt::Op::NamedBarrierCount;
  if (barrier.arrivals && barrier.counts != counts)
    return BarrierMisuse::OtherKind;
  barrier.threads = threads;
  barrier.counts = counts;
  barrier.isForBlock |= !arrival.width;
  barrier.arrived |= bitOf(warp);
  ++barrier.arrivals;
  barrier.yes += yes;
  if (waits) {
    barrier.waiting |= bitOf(warp);
    waiting_ |= bitOf(warp);
    numbers_[warp] = number;
  }
  completeIfPossible(barrier);
  return BarrierMisuse::None;
}

void NamedBarriers::leave(unsigned warp) {
  if (!(live_ & bitOf(warp)))
    return;
  live_ &= ~bitOf(warp);
  for (Barrier &barrier : barriers_)
    if (barrier.isForBlock)
      completeIfPossible(barrier);
}

void NamedBarriers::completeIfPossible(Barrier &barrier) {
  bool isComplete = barrier.arrivals * warpSize >= barrier.threads ||
                    (barrier.isForBlock && !(live_ & ~barrier.arrived));
  if (!isComplete || (isChecked_ && barrier.isForBlock && barrier.waiting == live_))
    return;
  forEachWarp(barrier.waiting, [&](unsigned warp) { results_[warp] = barrier.yes; });
  waiting_ &= ~barrier.waiting;
  released_ |= barrier.waiting;
  barrier = {};
}

WarpSet NamedBarriers::takeReleased() { return std::exchange(released_, 0); }

void NamedBarriers::release(unsigned warp) {
  Barrier &barrier = barriers_[numbers_[warp]];
  results_[warp] = barrier.yes;
  waiting_ &= ~bitOf(warp);
  barrier.waiting &= ~bitOf(warp);
  barrier.arrived &= ~bitOf(warp);
  --barrier.arrivals;
  if (!barrier.waiting)
    barrier = {};
}

} // namespace heddle::cpu
