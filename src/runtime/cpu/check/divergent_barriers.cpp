#include "runtime/cpu/check/divergent_barriers.h"

#include <algorithm>

namespace heddle::cpu {

namespace {

/// Then all threads go on: those that are held back may be the ones for which the others wait.
constexpr uint32_t maxTimesHeldBack = 1000;
/// Then the block ends: a loop may wait for something that the diverged threads did not do.
constexpr uint32_t maxMeetingsSinceDivergence = 10000;

std::string formatWaitingThreads(uint64_t count) {
  return std::to_string(count) +
         (count == 1 ? " thread of the block waits at " : " threads of the block wait at ");
}

/// The first thread that waits at each barrier.
std::vector<Waiting> selectFirstThreadOfEachSite(std::span<const Waiting> waiting) {
  std::vector<Waiting> firsts;
  for (const Waiting &w : waiting)
    if (std::ranges::find(firsts, w.site, &Waiting::site) == firsts.end())
      firsts.push_back(w);
  return firsts;
}

} // namespace

void BarrierProgress::recordPassing(uint32_t level) {
  joins_.resize(level + 1);
  ++joins_[level];
}

const BarrierProgress &DivergentBarriers::progressOf(uint32_t thread, uint32_t site) const {
  static const BarrierProgress none;
  auto found = progress_[thread].find(site);
  return found == progress_[thread].end() ? none : found->second;
}

bool DivergentBarriers::hasPassedMoreOften(uint32_t thread, uint32_t other, uint32_t site) const {
  return progressOf(thread, site) > progressOf(other, site);
}

bool DivergentBarriers::isNumbered(uint32_t site) const {
  // The message is the operation, and the number if it is not 0.
  return sites_[site].message.find(' ') != std::string::npos;
}

bool DivergentBarriers::isGridBarrier(uint32_t site) const {
  return sites_[site].message == simt::info(simt::Op::GridBarrier).name;
}

std::string DivergentBarriers::formatLineOfSite(uint32_t site) const {
  return "line " + std::to_string(sites_[site].line);
}

bool DivergentBarriers::canReleaseEachOther(const Waiting &a, const Waiting &b) const {
  const std::string &kind = sites_[a.site].message;
  if (kind.empty() || kind != sites_[b.site].message)
    return false;
  return isNumbered(a.site) || (!hasPassedMoreOften(a.thread, b.thread, b.site) &&
                                !hasPassedMoreOften(b.thread, a.thread, a.site));
}

std::optional<std::pair<Waiting, Waiting>>
DivergentBarriers::findDivergentPair(std::span<const Waiting> waiting) const {
  std::vector<Waiting> firsts = selectFirstThreadOfEachSite(waiting);
  for (size_t i = 1; i < waiting.size(); ++i) {
    const Waiting &w = waiting[i], &before = waiting[i - 1];
    if (before.site != w.site && before.thread / warpSize == w.thread / warpSize)
      return std::pair(before, w);
    for (const Waiting &first : firsts)
      if (first.thread < w.thread && first.site != w.site && !canReleaseEachOther(first, w))
        return std::pair(first, w);
  }
  return std::nullopt;
}

DivergentBarriers::Decision
DivergentBarriers::findMistakeOrRelease(std::span<const Waiting> waiting,
                                        const NamedBarriers *named) {
  if (hasDiverged_ && ++meetingsSinceDivergence_ > maxMeetingsSinceDivergence)
    return {.release = {.isAbandoned = true}};
  if (named && !hasDiverged_)
    if (auto incomplete = findIncompleteNamedBarrier(waiting, *named)) {
      hasDiverged_ = true;
      return {.found = std::move(incomplete)};
    }
  auto diverged = findDivergentPair(waiting);
  if (!diverged) {
    std::fill(isHeldBack_.begin(), isHeldBack_.end(), false);
    Decision decision;
    if (!hasDiverged_) {
      decision.found = findIterationDivergence(waiting);
      if (!decision.found)
        decision.found = findThreadsPastBarrier(waiting);
      hasDiverged_ = decision.found.has_value();
    }
    return decision;
  }

  hasDiverged_ = true;
  Decision decision;
  const auto &[a, b] = *diverged;
  if (!isHeldBack_[a.thread] && !isHeldBack_[b.thread])
    decision.found = describeDivergence(a, b, waiting);
  auto comesBefore = [&](const Waiting &x, const Waiting &y) {
    auto place = [&](uint32_t site) {
      return std::tuple(isGridBarrier(site), sites_[site].line, sites_[site].column);
    };
    return place(x.site) < place(y.site);
  };
  uint32_t first = std::ranges::min_element(waiting, comesBefore)->site;
  if (++timesHeldBack_ > maxTimesHeldBack || isGridBarrier(first))
    return decision;
  for (const Waiting &w : waiting)
    isHeldBack_[w.thread] = w.site != first;
  decision.release.onlySite = first;
  return decision;
}

std::optional<BarrierDivergence>
DivergentBarriers::findIncompleteNamedBarrier(std::span<const Waiting> waiting,
                                              const NamedBarriers &named) const {
  for (const Waiting &first : selectFirstThreadOfEachSite(waiting)) {
    unsigned warp = first.thread / warpSize;
    if (!named.isWaiting(warp) || named.waitsForBlock(warp))
      continue;
    uint32_t number = named.numberAt(warp);
    auto isSame = [&](const Waiting &w) {
      unsigned its = w.thread / warpSize;
      return named.isWaiting(its) && named.numberAt(its) == number;
    };
    BarrierDivergence found{first.site, first.thread, std::nullopt, 0,
                            formatWaitingThreads(uint64_t(std::ranges::count_if(waiting, isSame))) +
                                formatLineOfSite(first.site) + " at a barrier for " +
                                std::to_string(named.threadsExpectedAt(number))};
    if (auto other = std::ranges::find_if_not(waiting, isSame); other != waiting.end()) {
      found.otherSite = other->site;
      found.otherThread = other->thread;
    }
    return found;
  }
  return std::nullopt;
}

BarrierDivergence DivergentBarriers::describeDivergence(const Waiting &a, const Waiting &b,
                                                        std::span<const Waiting> waiting) const {
  bool inOrder = sites_[a.site].line <= sites_[b.site].line;
  const Waiting &first = inOrder ? a : b, &second = inOrder ? b : a;
  auto count = [&](uint32_t site) {
    return uint64_t(std::ranges::count(waiting, site, &Waiting::site));
  };
  uint64_t there = count(second.site);
  return {first.site, first.thread, second.site, second.thread,
          formatWaitingThreads(count(first.site)) + formatLineOfSite(first.site) + " while " +
              std::to_string(there) + (there == 1 ? " waits" : " wait") + " at " +
              formatLineOfSite(second.site)};
}

std::optional<BarrierDivergence>
DivergentBarriers::findIterationDivergence(std::span<const Waiting> waiting) const {
  for (const Waiting &first : selectFirstThreadOfEachSite(waiting))
    for (const Waiting &w : waiting)
      if (w.site == first.site && !isNumbered(w.site) &&
          progressOf(w.thread, w.site) != progressOf(first.thread, w.site))
        return BarrierDivergence{first.site, first.thread, w.site, w.thread,
                                 "threads of the block wait at " + formatLineOfSite(w.site) +
                                     " in different iterations: some have gone past it before"};
  return std::nullopt;
}

std::optional<BarrierDivergence>
DivergentBarriers::findThreadsPastBarrier(std::span<const Waiting> waiting) const {
  for (const Waiting &first : selectFirstThreadOfEachSite(waiting)) {
    std::vector<uint32_t> past;
    auto next = waiting.begin();
    for (uint32_t thread = 0; thread < progress_.size(); ++thread)
      if (next != waiting.end() && next->thread == thread)
        ++next;
      else if (!isNumbered(first.site) && hasPassedMoreOften(thread, first.thread, first.site))
        past.push_back(thread);
    if (!past.empty())
      return BarrierDivergence{
          first.site, first.thread, std::nullopt, past.front(),
          formatWaitingThreads(uint64_t(std::ranges::count(waiting, first.site, &Waiting::site))) +
              formatLineOfSite(first.site) + " while " + std::to_string(past.size()) +
              (past.size() == 1 ? " has" : " have") + " gone past it and ended"};
  }
  return std::nullopt;
}

} // namespace heddle::cpu
