#include "runtime/cpu/check/warp_masks.h"

#include <bit>

namespace heddle::cpu {

namespace {

std::string formatLane(unsigned lane) { return "lane " + std::to_string(lane); }

std::string formatLanesWhichHave(LaneMask lanes) {
  unsigned first = firstLane(lanes);
  LaneMask rest = lanes & (lanes - 1);
  return rest ? std::to_string(std::popcount(lanes)) + " lanes, such as " + formatLane(first) +
                    ", which have"
              : formatLane(first) + ", which has";
}

} // namespace

WrongMask describeLaneNotInMask(const Warp &warp, unsigned lane) {
  return {lane, std::nullopt,
          formatLane(lane) + " calls it with the mask " + formatMask(warp.arrival(lane).mask) +
              ", which does not name the lane itself"};
}

WrongMask describeMissingLanes(const Warp &warp, unsigned lane) {
  unsigned other = firstLane(warp.lanesThatDidNotArrive(lane));
  return {lane, other,
          "its mask " + formatMask(warp.arrival(lane).mask) + " names " + formatLane(other) +
              ", which waits elsewhere"};
}

std::optional<WrongMask> findWrongMask(const Warp &warp, LaneMask together, LaneMask existing,
                                       const std::function<bool(unsigned lane)> &isPast) {
  unsigned lane = firstLane(together);
  const WarpArrival &arrival = warp.arrival(lane);
  std::string itsMask = "its mask " + formatMask(arrival.mask);
  LaneMask ended = arrival.mask & existing & ~together;
  if (arrival.operation == simt::Op::WarpActive)
    return std::nullopt;
  for (LaneMask lanes = ended; lanes; lanes &= lanes - 1)
    if (!isPast(firstLane(lanes)))
      ended &= ~(LaneMask(1) << firstLane(lanes));
  if (ended)
    return WrongMask{lane, std::nullopt,
                     itsMask + " names " + formatLanesWhichHave(ended) + " gone past it and ended"};
  if (arrival.operation == simt::Op::WarpBarrier)
    return std::nullopt;
  std::optional<unsigned> source = warp.sourceLane(lane);
  bool isAlone = !(together & (together - 1));
  if (!source || (isAlone && arrival.operation != simt::Op::ShuffleIndex))
    return std::nullopt;
  for (LaneMask lanes = together; lanes; lanes &= lanes - 1)
    if (together >> *warp.sourceLane(firstLane(lanes)) & 1)
      return std::nullopt;
  std::string why = arrival.mask >> *source & 1
                        ? ", which does not exist"
                        : ", which its mask " + formatMask(arrival.mask) + " does not name";
  return WrongMask{lane, std::nullopt,
                   formatLane(lane) + " reads the value of " + formatLane(*source) + why};
}

} // namespace heddle::cpu
