// A point in a thread's execution: a basic block, in certain iterations of the loops around it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace heddle::cpu {

/// Points are ordered as a thread reaches them: by the number of the outermost loop's header, its iteration, and so on,
/// then by the number of the basic block.
struct PointOfExecution {
  /// The number of nested loops whose iterations distinguish points; deeper loops are ignored.
  static constexpr size_t maxDepth = 4;
  std::array<uint32_t, 2 * maxDepth + 1> path{};

  auto operator<=>(const PointOfExecution &) const = default;

  struct Hash {
    size_t operator()(const PointOfExecution &point) const {
      uint64_t hash = 0;
      for (uint32_t part : point.path)
        hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
      return hash;
    }
  };
};

} // namespace heddle::cpu
