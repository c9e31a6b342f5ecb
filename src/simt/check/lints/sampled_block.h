// The description of a basic block in a site of kind "block". Shared by the pass that emits it and the runtime that
// reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simt {

/// A basic block of a kernel. Blocks are numbered from 1 in reverse post order.
struct SampledBlock {
  uint32_t number = 0;
  uint32_t cost = 0;   ///< estimated number of GPU instructions
  uint32_t branch = 0; ///< number of the block with the divergent branch around this one; 0: none
  std::vector<uint32_t> loops; ///< the headers of the loops that contain it, outermost first

  bool isHeader() const { return !loops.empty() && loops.back() == number; }

  std::string encode() const;
  static SampledBlock decode(std::string_view text);
};

} // namespace heddle::simt
