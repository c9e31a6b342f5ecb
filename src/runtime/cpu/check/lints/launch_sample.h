// A sample of a launch: the basic blocks and accesses that the threads of a few blocks execute.
#pragma once

#include "runtime/cpu/check/lints/point_of_execution.h"
#include "runtime/device.h"
#include "simt/check/checked_access.h"
#include "simt/check/lints/sampled_block.h"
#include "simt/ir/sites.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace heddle::cpu {

/// Records the execution of the threads of some blocks. Here, threads run one after another, but a GPU executes the
/// lanes of a warp together. Lanes count as executing an instruction together if they reach it at the same point: in
/// the same iterations of the loops around it, after the same number of barriers and warp operations.
class LaunchSample {
public:
  enum class Mode {
    Alone, ///< the run only serves the sample: it ends soon, and its writes are undone
    Within ///< the sample is a part of the launch's run
  };
  /// sites: those of the kernel's exact form; they must outlive the sample.
  LaunchSample(Mode mode, const std::vector<simt::SiteInfo> &sites, const LaunchShape &shape);

  Mode mode() const { return mode_; }
  /// The sampled blocks, in increasing order.
  const std::vector<uint64_t> &blocks() const { return blocks_; }

  /// Records that a thread executes the basic block of a site. Returns false if the thread should end.
  bool addExecutedBlock(uint32_t block, uint32_t thread, uint32_t site);
  /// base: the start of the array. Addresses in shared memory are offsets from its start.
  void addAccess(uint32_t block, uint32_t thread, uint32_t site, uint64_t address, uint64_t base,
                 uint64_t bytes, simt::CheckedAccess access, bool isShared);
  /// Saves memory that the launch is about to write. Returns false if too much has been saved: the write must be
  /// skipped.
  bool saveMemory(uint64_t address, uint64_t bytes);
  /// Restores the saved memory.
  void restoreMemory();

  /// A moment in the execution of a thread. Threads of a block at the same moment may execute together.
  struct Moment {
    uint32_t block; ///< position in blocks()
    uint32_t visit; ///< how often the thread has been suspended before
    uint32_t point; ///< ID of a PointOfExecution
    auto operator<=>(const Moment &) const = default;
  };
  struct SampledAccess {
    Moment moment;
    uint32_t site;
    uint64_t address, base;
    uint16_t thread, bytes;
    simt::AccessKind kind;
    bool isShared;
  };
  struct Execution { ///< of a basic block by a thread
    Moment moment;
    uint32_t site;
    uint16_t thread;
  };
  /// Returns the accesses, sorted by warp, moment, site, kind and thread.
  std::vector<SampledAccess> takeAccesses();
  /// Returns the executions, sorted by moment and thread. Omits those after the point at which the sample stopped
  /// following a thread of the block.
  std::vector<Execution> takeExecutions();
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }
  /// The basic block of a site of kind "block".
  const simt::SampledBlock &sampledBlock(uint32_t site) const { return descriptions_[site]; }

private:
  /// The part of a thread between two suspensions.
  struct Visit {
    uint32_t block = ~0u, thread = 0;
    Moment moment{};
    uint64_t events = 0;     ///< number of recorded events
    bool isCut = false;      ///< the thread is no longer followed
    uint32_t lastSite = ~0u; ///< site of the last basic block
  };

  bool isSampled(uint32_t block) const;
  void enterThread(uint32_t block, uint32_t thread);
  void recordPointReached(uint32_t site);
  /// Stops following the thread in its current visit.
  void stopFollowingThread();
  bool countEventIfRoom();

  const Mode mode_;
  const std::vector<simt::SiteInfo> &sites_;
  std::vector<simt::SampledBlock> descriptions_; ///< by site
  std::vector<uint64_t> blocks_;
  uint64_t maxVisitEvents_;
  std::vector<uint32_t>
      iterations_; ///< of the loops around the current point, by the header's number
  std::unordered_map<uint64_t, uint32_t> visits_; ///< by block and thread
  Visit visit_;
  bool isFull_ = false;
  std::unordered_map<PointOfExecution, uint32_t, PointOfExecution::Hash> pointNumbers_;
  std::vector<PointOfExecution> points_;
  /// The earliest point at which a thread was cut, by block and visit.
  std::map<std::pair<uint32_t, uint32_t>, PointOfExecution> cuts_;
  std::vector<SampledAccess> accesses_;
  std::vector<Execution> executions_;

  struct Saved {
    uint64_t address, bytes, offset;
  };
  std::vector<Saved> saved_;
  std::vector<char> savedBytes_;
};

} // namespace heddle::cpu
