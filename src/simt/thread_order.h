// The order in which a kernel numbers the threads of a block.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace heddle::simt {

/// The axis along which the consecutive threads of a block are numbered. Code compiled for AlongY is launched with the
/// block's x and y extents exchanged, and exchanges its indices in turn, so the program sees the block that it asked
/// for.
enum class ThreadOrder : uint32_t {
  AlongX, ///< CUDA's order
  AlongY,
  AlongZ
};

/// The maximum number of threads along z (CUDA C++ Programming Guide, technical specifications). A block with more
/// threads along x is not rotated to z. Code detects this by its launched x extent: it exceeds this constant only if
/// the block was not rotated.
inline constexpr uint32_t maxThreadsAlongZ = 64;

/// The extents to launch for a requested block (x, y, z).
inline std::array<uint32_t, 3> launchExtents(std::array<uint32_t, 3> block, ThreadOrder order) {
  if (order == ThreadOrder::AlongY)
    std::swap(block[0], block[1]);
  if (order == ThreadOrder::AlongZ && block[0] <= maxThreadsAlongZ)
    std::swap(block[0], block[2]);
  return block;
}

} // namespace heddle::simt
