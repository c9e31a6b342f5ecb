// The decision how a kernel's threads run.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_groups.h"

#include "llvm/IR/Function.h"

#include <optional>
#include <string>

namespace heddle::cpu {

/// How a kernel's threads run: in groups, as vectors, or one at a time.
struct Plan {
  Grouped grouped = Grouped::No; ///< the blocks for which these groups are right
  ThreadGroups groups;
  char axis = 'x';        ///< along which the threads of a group lie
  bool walksRows = false; ///< its loops walk through rows of memory with adjacent threads
  /// Each thread does little besides loading and storing memory once. The largest registers gain nothing then, and their
  /// accesses may cross cache lines.
  bool isMemoryBound = false;
  /// The reason, with the line, why threads run one at a time although their blocks have groups.
  std::optional<std::string> whySingle;

  bool isVectorized() const { return !whySingle && groups.width > 1; }
  /// The plan as a remark: "runs 16 threads along x at a time, as vectors".
  std::string describe() const;
};

/// Plans a kernel whose group choices are for its thread order, along `axis`. always: groups even if they do not pay.
/// fixedBlock: the code is for blocks of one shape.
Plan planKernel(llvm::Function &kernel, const GroupChoices &choices, char axis, bool always,
                bool fixedBlock);

} // namespace heddle::cpu
