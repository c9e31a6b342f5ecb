// In which order a kernel wants the threads of a block to be numbered.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace heddle::simt {

/// The axis along which a block's consecutive threads lie. Code compiled for AlongY is launched with the extents of a
/// block along x and y exchanged and exchanges its indices in turn: the program sees the block that it asked for.
enum class ThreadOrder : uint32_t {
  AlongX, ///< as CUDA numbers them
  AlongY,
  AlongZ
};

/// A device takes at most so many threads along z (CUDA C++ Programming Guide, technical specifications), so a block that
/// has more along x is not turned to z. Code sees which it is: the extent along x that it is launched with is more than
/// this, or not.
inline constexpr uint32_t mostThreadsAlongZ = 64;

/// The block to launch where the program asks for `block` (x, y, z).
inline std::array<uint32_t, 3> launched(std::array<uint32_t, 3> block, ThreadOrder order) {
  if (order == ThreadOrder::AlongY)
    std::swap(block[0], block[1]);
  if (order == ThreadOrder::AlongZ && block[0] <= mostThreadsAlongZ)
    std::swap(block[0], block[2]);
  return block;
}

} // namespace heddle::simt
