#include "runtime/cpu/blocks/warp.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#pragma GCC diagnostic error "-Wswitch" // for simt::WarpOp

namespace heddle::cpu {

namespace {

/// Calls `f` for each lane in `lanes`, in order.
template <typename F> void forEachLane(LaneMask lanes, F f) {
  for (; lanes; lanes &= lanes - 1)
    f(unsigned(std::countr_zero(lanes)));
}

bool isSameOperation(const WarpArrival &a, const WarpArrival &b) {
  return a.operation == b.operation && a.mask == b.mask && a.bits == b.bits;
}

} // namespace

std::string formatMask(LaneMask mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

bool Warp::arriveAndCheckMask(unsigned lane, const WarpArrival &arrival, uint32_t site) {
  live_ |= bit(lane);
  sites_[lane] = site;
  arrivals_[lane] = arrival;
  if (!simt::info(arrival.operation).has(simt::Warp))
    return true;
  atOperation_ |= bit(lane);
  return arrival.operation == simt::Op::WarpActive || (arrival.mask & bit(lane));
}

LaneMask Warp::completeOperations() {
  LaneMask ready = completeSetsOfLanes();
  if (!ready)
    ready = completeActiveMaskQueries();
  atOperation_ &= ~ready;
  return ready;
}

LaneMask Warp::lanesAtSameOperation(unsigned lane) const {
  LaneMask together = 0;
  forEachLane(atOperation_, [&](unsigned other) {
    if (isSameOperation(arrivals_[lane], arrivals_[other]))
      together |= bit(other);
  });
  return together;
}

LaneMask Warp::lanesAt(uint32_t site) const {
  LaneMask found = 0;
  for (LaneMask lanes = live_; lanes; lanes &= lanes - 1)
    if (unsigned lane = unsigned(std::countr_zero(lanes)); sites_[lane] == site)
      found |= bit(lane);
  return found;
}

LaneMask Warp::lanesAtNamedBarriers() const {
  LaneMask found = 0;
  forEachLane(live_, [&](unsigned lane) {
    if (simt::isNamedBarrier(arrivals_[lane].operation))
      found |= bit(lane);
  });
  return found;
}

LaneMask Warp::lanesThatWaitElsewhere(unsigned lane) const {
  const WarpArrival &mine = arrivals_[lane];
  LaneMask found = 0;
  forEachLane(live_, [&](unsigned other) {
    const WarpArrival &its = arrivals_[other];
    if (its.operation != mine.operation || its.lane != mine.lane || its.width != mine.width)
      found |= bit(other);
  });
  return found;
}

const WarpArrival *Warp::arrivalAtNamedBarrier() const {
  if (!live_)
    return nullptr;
  unsigned lane = firstLane(live_);
  bool isTogether =
      simt::isNamedBarrier(arrivals_[lane].operation) && !lanesThatWaitElsewhere(lane);
  return isTogether ? &arrivals_[lane] : nullptr;
}

uint32_t Warp::countTrueLanes() const {
  uint32_t count = 0;
  forEachLane(live_, [&](unsigned lane) { count += uint32_t(arrivals_[lane].value); });
  return count;
}

LaneMask Warp::lanesThatDidNotArrive(unsigned lane) const {
  return arrivals_[lane].mask & live_ & ~lanesAtSameOperation(lane);
}

LaneMask Warp::completeSetsOfLanes() {
  LaneMask ready = 0;
  forEachCompleteSet([&](LaneMask together) {
    computeResults(together);
    ready |= together;
  });
  return ready;
}

LaneMask Warp::completeWithoutMissingLanes(unsigned lane) {
  LaneMask together = lanesAtSameOperation(lane);
  computeResults(together);
  atOperation_ &= ~together;
  return together;
}

LaneMask Warp::completeActiveMaskQueries() {
  LaneMask lanes = 0;
  uint32_t place = UINT32_MAX;
  forEachLane(atOperation_, [&](unsigned lane) {
    if (arrivals_[lane].operation != simt::Op::WarpActive || sites_[lane] > place)
      return;
    lanes = bit(lane) | (sites_[lane] == place ? lanes : 0);
    place = sites_[lane];
  });
  setResults(lanes, lanes);
  return lanes;
}

void Warp::computeResults(LaneMask together) {
  using enum simt::WarpOp;
  using Signed = int64_t; // values are sign-extended, so one comparison serves both sizes
  switch (simt::toWarpOp(arrivals_[firstLane(together)].operation)) {
  case WarpBarrier:
  case WarpActive:
    return;
  case WarpBallot:
    return vote(together, [](LaneMask yes, LaneMask) { return yes; });
  case WarpAll:
    return vote(together, [](LaneMask yes, LaneMask all) { return LaneMask(yes == all); });
  case WarpAny:
    return vote(together, [](LaneMask yes, LaneMask) { return LaneMask(yes != 0); });
  case WarpEqual:
    return vote(together,
                [](LaneMask yes, LaneMask all) { return LaneMask(yes == all || yes == 0); });
  case WarpMatchAny:
    return matchAny(together);
  case WarpMatchAll:
    return matchAll(together);
  case ShuffleIndex:
  case ShuffleUp:
  case ShuffleDown:
  case ShuffleXor:
    return shuffle(together);
  case WarpAdd:
    return reduce(together, [](uint64_t a, uint64_t b) { return a + b; });
  case WarpMin:
    return reduce(together, [](uint64_t a, uint64_t b) { return Signed(a) < Signed(b) ? a : b; });
  case WarpMax:
    return reduce(together, [](uint64_t a, uint64_t b) { return Signed(a) > Signed(b) ? a : b; });
  case WarpUMin:
    return reduce(together, [](uint64_t a, uint64_t b) { return std::min(a, b); });
  case WarpUMax:
    return reduce(together, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  case WarpAnd:
    return reduce(together, [](uint64_t a, uint64_t b) { return a & b; });
  case WarpOr:
    return reduce(together, [](uint64_t a, uint64_t b) { return a | b; });
  case WarpXor:
    return reduce(together, [](uint64_t a, uint64_t b) { return a ^ b; });
  }
}

void Warp::vote(LaneMask together, LaneMask (*count)(LaneMask yes, LaneMask all)) {
  LaneMask yes = 0;
  forEachLane(together, [&](unsigned lane) { yes |= LaneMask(arrivals_[lane].value) << lane; });
  setResults(together, count(yes, together));
}

void Warp::matchAny(LaneMask together) {
  for (LaneMask rest = together; rest;) {
    LaneMask same = lanesWithValueOfFirst(rest);
    setResults(same, same);
    rest &= ~same;
  }
}

void Warp::matchAll(LaneMask together) {
  setResults(together, lanesWithValueOfFirst(together) == together ? together : 0);
}

LaneMask Warp::lanesWithValueOfFirst(LaneMask lanes) const {
  uint64_t value = arrivals_[firstLane(lanes)].value;
  LaneMask same = 0;
  forEachLane(lanes, [&](unsigned lane) {
    if (arrivals_[lane].value == value)
      same |= bit(lane);
  });
  return same;
}

std::optional<unsigned> Warp::sourceLane(unsigned lane) const {
  // The arithmetic of shfl.sync (PTX ISA 9.0), with operand c as CUDA computes it from the width. The source is the lane
  // itself if it would be outside the lane's segment.
  const WarpArrival &a = arrivals_[lane];
  unsigned pieces = (warpSize - a.width) & 31, operand = a.lane & 31;
  unsigned first = lane & pieces, last = first | (31 & ~pieces);
  switch (a.operation) {
  case simt::Op::ShuffleIndex:
    return first | (operand & (last - first));
  case simt::Op::ShuffleUp:
    return lane >= first + operand ? lane - operand : lane;
  case simt::Op::ShuffleDown:
    return lane + operand <= last ? lane + operand : lane;
  case simt::Op::ShuffleXor:
    return (lane ^ operand) <= last ? lane ^ operand : lane;
  default:
    return std::nullopt;
  }
}

void Warp::shuffle(LaneMask together) {
  forEachLane(together, [&](unsigned lane) {
    unsigned source = *sourceLane(lane);
    // The value from an inactive lane is undefined in CUDA. Programs that add it up are correct if it is 0.
    results_[lane] = together & bit(source) ? arrivals_[source].value : 0;
  });
}

void Warp::reduce(LaneMask together, uint64_t (*combine)(uint64_t, uint64_t)) {
  uint64_t sum = arrivals_[firstLane(together)].value;
  forEachLane(together & (together - 1),
              [&](unsigned lane) { sum = combine(sum, arrivals_[lane].value); });
  setResults(together, sum);
}

void Warp::setResults(LaneMask lanes, uint64_t result) {
  forEachLane(lanes, [&](unsigned lane) { results_[lane] = result; });
}

} // namespace heddle::cpu
