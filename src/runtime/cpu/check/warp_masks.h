// Wrong masks of warp operations.
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

/// For a lane that is not in the mask of its operation.
WrongMask describeLaneNotInMask(const Warp &warp, unsigned lane);

/// For an operation at which `lane` waits for lanes of its mask which wait elsewhere.
WrongMask describeMissingLanes(const Warp &warp, unsigned lane);

/// Checks an operation that the lanes `together` complete. The mask must not name lanes that have gone around the
/// operation (`isPast`) and ended. Lanes that returned before may be named: CUDA asks for "all non-exited threads named in
/// mask" (CUDA C++ Programming Guide, "Warp Shuffle Functions"). A shuffle is wrong if no lane reads the value of one that
/// takes part. Single lanes may: many programs ignore the value that the last lanes get.
///
/// existing: the warp's lanes that are in the block. Masks may name others.
std::optional<WrongMask> findWrongMask(const Warp &warp, LaneMask together, LaneMask existing,
                                       const std::function<bool(unsigned lane)> &isPast);

} // namespace heddle::cpu
