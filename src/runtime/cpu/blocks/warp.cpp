#include "runtime/cpu/blocks/warp.h"

#include <algorithm>
#include <bit>

namespace heddle::cpu {

namespace {

/// Calls `f` for each lane in `lanes`, in order.
template <typename F> void forEach(LaneMask lanes, F f) {
  for (; lanes; lanes &= lanes - 1)
    f(unsigned(std::countr_zero(lanes)));
}

/// The source lane of a shuffle; `lane` itself if the source is outside the lane's segment. Follows the arithmetic of
/// shfl.sync (PTX ISA 9.0), with operand c as CUDA computes it from the width.
unsigned sourceOf(unsigned lane, const WarpArrival &a) {
  unsigned pieces = (warpSize - a.width) & 31;
  unsigned first = lane & pieces;
  unsigned last = first | (31 & ~pieces);
  unsigned operand = a.lane & 31;
  switch (a.operation) {
  case simt::Op::ShuffleUp:
    return lane >= first + operand ? lane - operand : lane;
  case simt::Op::ShuffleDown:
    return lane + operand <= last ? lane + operand : lane;
  case simt::Op::ShuffleXor:
    return (lane ^ operand) <= last ? lane ^ operand : lane;
  default:
    return first | (operand & ~pieces);
  }
}

/// Values are sign-extended, so one comparison serves both sizes.
uint64_t combine(simt::Op operation, uint64_t a, uint64_t b) {
  switch (operation) {
  case simt::Op::WarpMin:
    return uint64_t(std::min(int64_t(a), int64_t(b)));
  case simt::Op::WarpMax:
    return uint64_t(std::max(int64_t(a), int64_t(b)));
  case simt::Op::WarpUMin:
    return std::min(a, b);
  case simt::Op::WarpUMax:
    return std::max(a, b);
  case simt::Op::WarpAnd:
    return a & b;
  case simt::Op::WarpOr:
    return a | b;
  case simt::Op::WarpXor:
    return a ^ b;
  default:
    return a + b;
  }
}

bool sameWait(const WarpArrival &a, const WarpArrival &b) {
  return a.operation == b.operation && a.mask == b.mask && a.bits == b.bits;
}

} // namespace

bool Warp::arrive(unsigned lane, const WarpArrival &arrival, uint32_t site) {
  live_ |= bit(lane);
  sites_[lane] = site;
  arrivals_[lane] = arrival;
  if (arrival.operation == simt::Op::Barrier)
    return true;
  atOperation_ |= bit(lane);
  return arrival.operation == simt::Op::WarpActive || (arrival.mask & bit(lane));
}

LaneMask Warp::completeOperations() {
  LaneMask ready = completeSets();
  if (!ready)
    ready = completeActiveMask();
  atOperation_ &= ~ready;
  return ready;
}

LaneMask Warp::companions(unsigned lane) const {
  LaneMask together = 0;
  forEach(atOperation_, [&](unsigned other) {
    if (sameWait(arrivals_[lane], arrivals_[other]))
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

LaneMask Warp::missingLanes(unsigned lane) const {
  return arrivals_[lane].mask & live_ & ~companions(lane);
}

LaneMask Warp::completeSets() {
  LaneMask ready = 0;
  for (LaneMask rest = atOperation_; rest;) {
    unsigned lane = firstLane(rest);
    LaneMask together = companions(lane);
    rest &= ~together;
    const WarpArrival &arrival = arrivals_[lane];
    if (arrival.operation == simt::Op::WarpActive || (arrival.mask & live_ & ~together))
      continue;
    exchange(together);
    ready |= together;
  }
  return ready;
}

LaneMask Warp::completeActiveMask() {
  LaneMask lanes = 0;
  uint32_t place = UINT32_MAX;
  forEach(atOperation_, [&](unsigned lane) {
    if (arrivals_[lane].operation != simt::Op::WarpActive || sites_[lane] > place)
      return;
    lanes = bit(lane) | (sites_[lane] == place ? lanes : 0);
    place = sites_[lane];
  });
  setResults(lanes, lanes);
  return lanes;
}

void Warp::exchange(LaneMask together) {
  switch (arrivals_[firstLane(together)].operation) {
  case simt::Op::WarpBarrier:
  case simt::Op::WarpActive:
    return;
  case simt::Op::WarpBallot:
  case simt::Op::WarpAll:
  case simt::Op::WarpAny:
  case simt::Op::WarpEqual:
    return vote(together);
  case simt::Op::WarpMatchAny:
  case simt::Op::WarpMatchAll:
    return match(together);
  case simt::Op::ShuffleIndex:
  case simt::Op::ShuffleUp:
  case simt::Op::ShuffleDown:
  case simt::Op::ShuffleXor:
    return shuffle(together);
  default:
    return reduce(together);
  }
}

void Warp::vote(LaneMask together) {
  LaneMask yes = 0;
  forEach(together, [&](unsigned lane) { yes |= LaneMask(arrivals_[lane].value) << lane; });
  switch (arrivals_[firstLane(together)].operation) {
  case simt::Op::WarpAll:
    return setResults(together, yes == together);
  case simt::Op::WarpAny:
    return setResults(together, yes != 0);
  case simt::Op::WarpEqual:
    return setResults(together, yes == together || yes == 0);
  default:
    return setResults(together, yes);
  }
}

void Warp::match(LaneMask together) {
  bool all = arrivals_[firstLane(together)].operation == simt::Op::WarpMatchAll;
  for (LaneMask rest = together; rest;) {
    uint64_t value = arrivals_[firstLane(rest)].value;
    LaneMask same = 0;
    forEach(rest, [&](unsigned lane) {
      if (arrivals_[lane].value == value)
        same |= bit(lane);
    });
    if (all)
      return setResults(together, same == together ? together : 0);
    setResults(same, same);
    rest &= ~same;
  }
}

void Warp::shuffle(LaneMask together) {
  forEach(together, [&](unsigned lane) {
    unsigned source = sourceOf(lane, arrivals_[lane]);
    // The value from an inactive lane is undefined in CUDA. Programs that add it up are correct if it is 0.
    results_[lane] = together & bit(source) ? arrivals_[source].value : 0;
  });
}

void Warp::reduce(LaneMask together) {
  unsigned first = firstLane(together);
  uint64_t sum = arrivals_[first].value;
  forEach(together & (together - 1), [&](unsigned lane) {
    sum = combine(arrivals_[first].operation, sum, arrivals_[lane].value);
  });
  setResults(together, sum);
}

void Warp::setResults(LaneMask lanes, uint64_t result) {
  forEach(lanes, [&](unsigned lane) { results_[lane] = result; });
}

} // namespace heddle::cpu
