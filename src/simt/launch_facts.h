// Facts about the launches for which a kernel is compiled.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::simt {

/// Properties that are the same in all launches of a filter form. Proofs about the kernel may rely on them.
struct LaunchFacts {
  std::array<uint32_t, 3> block{};  ///< threads
  std::array<bool, 3> gridIsFlat{}; ///< the grid has one block along the axis
  bool hasSmallIndices = false;     ///< the grid has less than 2^31 threads along each axis
  /// Proofs may depend on conditions that hold in most launches, and are tested in each one (simt::ProofConditions).
  bool allowsConditions = true;

  /// Bit i is set if the launch must track writes to argument i, because some of its bytes are undefined.
  uint64_t trackedArguments = 0;

  static constexpr unsigned maxTrackedArguments = 64;
  bool tracksWrites(unsigned argument) const {
    return argument < maxTrackedArguments && (trackedArguments >> argument & 1);
  }
  bool operator==(const LaunchFacts &) const = default;
  auto operator<=>(const LaunchFacts &) const = default;
};

} // namespace heddle::simt
