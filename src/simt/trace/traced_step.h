// The description of a step in a site of kind "step", shared by the pass that emits it and the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simt {

/// A step: consecutive instructions of a basic block with the same source line. Basic blocks are numbered from 1 in
/// the order in which the lanes of a warp execute them. The site has the step's position in the source. A site without a line only marks the header of
/// a loop.
struct TracedStep {
  uint32_t block = 0;          ///< number of its basic block
  uint32_t index = 0;          ///< among the block's steps
  std::vector<uint32_t> loops; ///< headers of the loops that contain the block, outermost first

  bool isLoopStart() const { return index == 0 && !loops.empty() && loops.back() == block; }

  std::string encode() const;
  static TracedStep decode(std::string_view text);
};

} // namespace heddle::simt
