// The plan: how a kernel runs on the CPU. Passes carry it out; a kernel's attribute holds it, so that IR tests show it.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_groups.h"

#include "llvm/IR/Function.h"

#include <array>
#include <optional>
#include <string>

namespace heddle::cpu {

/// How a block's threads pass barriers. A "thread" may be a group of threads that run as vectors.
enum class BarrierForm : uint32_t {
  None,       ///< the kernel has none: one loop over the block's threads
  Regions,    ///< one loop over the threads per region between barriers
  Coroutines, ///< each thread is a coroutine that suspends at barriers
};

/// The number of copies, by kind, of code without masks or gathers.
struct CodeVersions {
  unsigned earlyExits = 0;      ///< the rest of the kernel, for lanes that leave before a barrier
  unsigned clampedAccesses = 0; ///< accesses of groups in which no index is clamped or wraps around
  unsigned unmaskedBranches = 0; ///< branches of groups in which all lanes take them
  unsigned unmaskedLoops = 0;    ///< iterations that all lanes of a group run

  bool operator==(const CodeVersions &) const = default;
};

/// How a kernel runs. The plan is made in three steps, each when the code that it depends on exists:
///
///   - `planGroups`, before vectorization: the groups of threads.
///   - `Vectorize`: the code versions, which depend on the lanes' values in structured code, and the reason if the
///     structured code has no vector form. The kernel then runs one thread at a time.
///   - `PlanBlocks`, after all operations except barriers are lowered: barriers and runs of blocks. They depend on the
///     branches and memory accesses that vectorization and lowering leave.
///
/// Decisions about single loops stay in their passes, which see these loops only after optimization: prefetched lines,
/// jammed and unrolled loops, regions in which only the first threads work. compile.cpp decides how much to optimize a
/// module by its size after lowering.
struct Plan {
  // Groups
  Grouped grouped = Grouped::No; ///< the blocks for which these groups are right
  ThreadGroups groups;           ///< a group's x is that of its first thread
  char axis = 'x';               ///< along which the threads of a group lie
  /// The kernel's loops read rows of memory, with adjacent elements in adjacent threads, as in a matrix product.
  /// Threads with equal x read the same data, so the loop over threads along y is nested inside the loop along x.
  bool walksRows = false;
  /// Each thread of a row accesses a different cache line. If rows of several blocks ran together, the lines would be
  /// evicted before the next row uses them.
  bool accessesColumns = false;
  /// Each thread does little besides loading and storing memory once. The widest vector registers then bring no gain,
  /// and their accesses may cross cache lines.
  bool isMemoryBound = false;
  /// The reason, with the line, why threads run one at a time although their blocks have groups.
  std::optional<std::string> whySingle;

  CodeVersions versions;

  // Blocks
  std::optional<std::array<uint32_t, 3>>
      block; ///< the launched extents, if the code is for blocks of one shape
  BarrierForm barriers = BarrierForm::None;
  std::optional<std::string> whyCoroutines; ///< the reason, with the line
  bool waitsForWarp = false; ///< coroutines also meet at warp operations or named barriers
  bool waitsForGrid = false; ///< coroutines also meet at grid barriers
  bool yields = false;       ///< coroutines may spin on memory
  BlockRuns runs = BlockRuns::No;

  // Memory
  uint64_t localBytes = 0;  ///< stack bytes of a thread's local arrays, including callees
  uint64_t sharedBytes = 0; ///< bytes of static shared variables

  bool isVectorized() const { return groups.width > 1; }
  /// Plans to run one thread at a time, for a reason that remarks report.
  void disableGroups(std::string reason);
  /// The groups as a remark: "runs 16 threads along x at a time, as vectors".
  std::string describeGroups() const;
  /// The barriers as a remark: "its threads pass barriers together".
  std::string describeBarriers() const;
};

/// The plan of a kernel, or of a function that contains code of one. Other functions have the default plan.
Plan planOf(const llvm::Function &f);
/// Sets the attribute "cpu.plan", for example to "grouped=rows; width=16; versions.clamped=1; barriers=regions".
void setPlan(llvm::Function &f, const Plan &plan);

} // namespace heddle::cpu
