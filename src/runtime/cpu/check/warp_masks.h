// Finds wrong masks of warp operations.
#pragma once

#include "runtime/cpu/blocks/warp.h"

#include <functional>
#include <optional>
#include <string>

namespace heddle::cpu {

/// A lane that calls a warp operation, and the reason why its mask is wrong.
struct WrongMask {
  unsigned lane;
  std::optional<unsigned> otherLane; ///< one that waits elsewhere
  std::string message;
};

/// Describes the mistake of a lane that is not in the mask of its operation.
WrongMask describeLaneNotInMask(const Warp &warp, unsigned lane);

/// Describes an operation at which `lane` waits for lanes in its mask that wait elsewhere.
WrongMask describeMissingLanes(const Warp &warp, unsigned lane);

/// Checks an operation that the lanes `together` complete. The mask must not name lanes that have skipped the operation
/// (`isPast`) and then ended. Lanes that returned earlier may be named: CUDA asks for "all non-exited threads named in
/// mask" (CUDA C++ Programming Guide, "Warp Shuffle Functions"). A shuffle is wrong if no lane reads from a
/// participating lane. Individual lanes may read from other lanes, because many programs ignore the last lanes' values.
///
/// existing: the warp's lanes that are in the block. Masks may also name other lanes.
std::optional<WrongMask> findWrongMask(const Warp &warp, LaneMask together, LaneMask existing,
                                       const std::function<bool(unsigned lane)> &isPast);

} // namespace heddle::cpu
