// The steps and accesses of the threads of one block of a launch.
#pragma once

#include "runtime/cpu/blocks/warp.h"
#include "runtime/cpu/check/launch_note.h"
#include "runtime/device.h"
#include "simt/check/checked_access.h"
#include "simt/ir/sites.h"
#include "simt/trace/traced_step.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::cpu {

/// An access that lanes of a warp execute together.
struct TracedRequest {
  uint32_t site = 0; ///< of kind "access" or "atomic"
  simt::AccessKind kind = simt::AccessKind::Read;
  bool isShared = false;
  uint32_t bytes = 0; ///< of each lane
  LaneMask lanes = 0;
  /// By lane. In shared memory, offsets from its start. An array in host memory counts as aligned to 256 bytes, because
  /// a GPU would access a copy.
  std::vector<uint64_t> addresses;
  uint32_t repetition = 0; ///< among the accesses of the site in one step
};

/// A step that lanes of a warp execute together.
struct TracedWarpStep {
  uint32_t site = 0; ///< of kind "step"
  LaneMask lanes = 0;
  std::vector<TracedRequest> requests;
};

/// Records the threads of one block. Threads run one after another, but a GPU executes the lanes of a warp together.
/// Lanes count as executing a step together if they reach it in the same iterations of the loops around it.
class LaunchTrace {
public:
  /// block: the block's linear index in the grid. maxSteps: the maximum number of steps recorded per thread.
  LaunchTrace(uint64_t block, uint32_t maxSteps) : block_(block), maxSteps_(maxSteps) {}

  uint64_t block() const { return block_; }
  /// Starts recording a launch. sites: those of the kernel's traced form.
  void begin(const std::vector<simt::SiteInfo> &sites, const LaunchShape &shape);
  /// Records that a thread of a block executes the step of a site.
  void addStep(uint64_t block, uint32_t thread, uint32_t site);
  /// base: the start of the array.
  void addAccess(uint64_t block, uint32_t thread, uint32_t site, uint64_t address, uint64_t base,
                 uint64_t bytes, simt::CheckedAccess access, bool isShared);

  /// Returns the steps of each warp in the order of their execution, and forgets them. Omits the first step that
  /// exceeds a thread's limit, and all later steps.
  std::vector<std::vector<TracedWarpStep>> takeWarpSteps();
  /// True if a thread has exceeded the limit.
  bool isCut() const { return cut_ != nullptr; }
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }

private:
  /// The position of a step in a thread's execution: for each loop around it, the number of the header and the
  /// iteration, then the number of the basic block and the step's index. Warps reach points in lexicographic order.
  using Point = std::vector<uint32_t>;
  struct Access {
    uint32_t step; ///< index in Thread::steps
    uint32_t site;
    uint64_t address;
    uint32_t bytes;
    uint32_t alignment;
    simt::AccessKind kind;
    bool isShared;
  };
  struct Thread {
    std::vector<uint32_t> iterations; ///< by the number of a loop's header
    uint32_t lastSite = ~0u;
    bool isCut = false;
    std::vector<const std::pair<const Point, uint32_t> *> steps; ///< elements of points_
    std::vector<Access> accesses;
  };

  void recordPointReached(Thread &thread, uint32_t site);
  /// If the access is a part of a vector, adds it to the access of the preceding parts, because a GPU accesses a vector
  /// as a whole. Returns false otherwise.
  static bool extendVectorAccess(Thread &thread, const Access &part);
  Point pointOfThread(const Thread &thread, const simt::TracedStep &step) const;
  void addThreadStepsToWarp(std::map<Point, TracedWarpStep> &steps, const Thread &thread,
                            unsigned lane) const;

  const uint64_t block_;
  const uint32_t maxSteps_;
  std::vector<simt::SiteInfo> sites_;
  std::vector<simt::TracedStep> descriptions_; ///< by site
  std::vector<Thread> threads_;
  std::map<Point, uint32_t> points_; ///< the points reached so far, with their sites
  const Point *cut_ = nullptr;       ///< the earliest point that is left out
};

} // namespace heddle::cpu
