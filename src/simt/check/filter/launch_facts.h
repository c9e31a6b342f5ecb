// The facts about launches for which a filter form is compiled.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::simt {

/// Properties of all launches that a proof covers.
struct LaunchFacts {
  std::array<uint32_t, 3> block{};  ///< threads
  std::array<bool, 3> gridIsFlat{}; ///< the grid has one block along the axis
  bool hasSmallIndices = false;     ///< threads along each axis of the grid: less than 2^31

  /// Arguments by index whose writes the launch must learn of, because they are not wholly defined before.
  uint64_t trackedArguments = 0;

  static constexpr unsigned maxTrackedArguments = 64;
  bool tracksWrites(unsigned argument) const {
    return argument < maxTrackedArguments && (trackedArguments >> argument & 1);
  }
  bool operator==(const LaunchFacts &) const = default;
  auto operator<=>(const LaunchFacts &) const = default;
};

} // namespace heddle::simt
