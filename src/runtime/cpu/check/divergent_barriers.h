// Finds divergent barriers: threads of a block that do not meet at one barrier.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/blocks/named_barriers.h"
#include "simt/check/checked_access.h"
#include "simt/ir/sites.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// Counts the joins (simt::CheckedJoin) of one barrier that a thread has passed, for each level, outermost first.
/// Passing an outer join resets the inner counts. Of two threads, the one with the greater progress is further in the
/// program.
class BarrierProgress {
public:
  void recordPassing(uint32_t level);
  auto operator<=>(const BarrierProgress &) const = default;

private:
  std::vector<uint32_t> joins_;
};

/// A thread that waits at a barrier, and another thread that does not reach it.
struct BarrierDivergence {
  uint32_t site, thread;             ///< of the thread that waits
  std::optional<uint32_t> otherSite; ///< where the other one waits; none: it has ended
  uint32_t otherThread = 0;
  std::string message;
};

/// The threads of a block that may continue after all have met at barriers.
struct BarrierRelease {
  std::optional<uint32_t> onlySite; ///< only those that wait here; none: all
  bool isAbandoned = false; ///< none: the block has passed too many barriers since it diverged
};

/// Decides which threads of a block may pass a barrier. The lanes of a warp must reach the same barriers in the same
/// iterations. Warps may wait at different barriers of the same kind, as producers and consumers do, but no warp may
/// wait at a barrier that another warp has skipped. Threads that have ended are ignored, unless they skipped the
/// barrier first. A barrier with a number in inline PTX only counts arriving warps, regardless of the barriers that
/// they passed before. NamedBarriers decides when those with a number of threads are complete.
class DivergentBarriers {
public:
  explicit DivergentBarriers(const std::vector<simt::SiteInfo> &sites, uint32_t threads)
      : sites_(sites), progress_(threads), isHeldBack_(threads) {}

  void passJoin(uint32_t thread, simt::CheckedJoin join) {
    progress_[thread][join.site].recordPassing(join.level);
  }
  const BarrierProgress &progressOf(uint32_t thread, uint32_t site) const;
  bool isGridBarrier(uint32_t site) const;
  /// True if `thread` has skipped the barrier `site`, at which `other` waits.
  bool hasPassedMoreOften(uint32_t thread, uint32_t other, uint32_t site) const;

  struct Decision {
    std::optional<BarrierDivergence> found;
    BarrierRelease release;
  };
  /// Called when all threads of the block that have not ended wait, at barriers that are not complete or that the whole
  /// block has reached; `waiting` lists them in order. named: null if the block has reached no named barrier. After a divergence,
  /// only the threads at the barrier that comes first in the source continue, so that they can meet the others later.
  Decision findMistakeOrRelease(std::span<const Waiting> waiting, const NamedBarriers *named);
  /// True once threads have passed different numbers of barriers.
  bool hasDiverged() const { return hasDiverged_; }

private:
  /// True if two threads of different warps may wait at different barriers.
  bool canReleaseEachOther(const Waiting &a, const Waiting &b) const;
  bool isNumbered(uint32_t site) const;
  std::string formatLineOfSite(uint32_t site) const;
  /// A wait at a barrier for some of the block's threads, when no thread can continue.
  std::optional<BarrierDivergence> findIncompleteNamedBarrier(std::span<const Waiting> waiting,
                                                              const NamedBarriers &named) const;
  BarrierDivergence describeDivergence(const Waiting &a, const Waiting &b,
                                       std::span<const Waiting> waiting) const;
  std::optional<std::pair<Waiting, Waiting>>
  findDivergentPair(std::span<const Waiting> waiting) const;
  std::optional<BarrierDivergence> findIterationDivergence(std::span<const Waiting> waiting) const;
  std::optional<BarrierDivergence> findThreadsPastBarrier(std::span<const Waiting> waiting) const;

  const std::vector<simt::SiteInfo> &sites_;
  std::vector<std::map<uint32_t, BarrierProgress>> progress_; ///< by thread, then site
  std::vector<bool> isHeldBack_; ///< by thread: keeps waiting after a reported divergence
  bool hasDiverged_ = false;
  uint32_t timesHeldBack_ = 0, meetingsSinceDivergence_ = 0;
};

} // namespace heddle::cpu
