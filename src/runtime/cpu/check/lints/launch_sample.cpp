#include "runtime/cpu/check/lints/launch_sample.h"

#include "backend/cpu/abi/block_context.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace heddle::cpu {

namespace {

/// Basic blocks and accesses that are recorded. They take about 20 ms.
constexpr uint64_t maxEvents = uint64_t(1) << 17;
/// Those of a thread between two barriers, at least.
constexpr uint64_t minVisitEvents = 64;
/// Bytes that are saved.
constexpr uint64_t maxSavedBytes = uint64_t(64) << 20;

bool isBlockInLoop(const simt::SampledBlock &block, uint32_t loop) {
  return std::ranges::find(block.loops, loop) != block.loops.end();
}

} // namespace

LaunchSample::LaunchSample(Mode mode, const std::vector<simt::SiteInfo> &sites,
                           const LaunchShape &shape)
    : mode_(mode), sites_(sites), descriptions_(sites.size()) {
  uint32_t lastNumber = 0;
  for (size_t site = 0; site < sites.size(); ++site)
    if (sites[site].kind == "block") {
      descriptions_[site] = simt::SampledBlock::decode(sites[site].arguments);
      lastNumber = std::max(lastNumber, descriptions_[site].number);
    }
  iterations_.resize(lastNumber + 1);
  uint64_t count = shape.grid.count();
  for (uint64_t block : {uint64_t(0), count / 2, count - 1})
    if (blocks_.empty() || blocks_.back() != block)
      blocks_.push_back(block);
  maxVisitEvents_ = std::max(minVisitEvents, maxEvents / (blocks_.size() * shape.block.count()));
}

bool LaunchSample::isSampled(uint32_t block) const {
  return std::ranges::find(blocks_, block) != blocks_.end();
}

void LaunchSample::enterThread(uint32_t block, uint32_t thread) {
  if (block == visit_.block && thread == visit_.thread)
    return;
  uint32_t &visits = visits_[uint64_t(block) << 32 | thread];
  auto position = uint32_t(std::ranges::find(blocks_, block) - blocks_.begin());
  visit_ = {.block = block, .thread = thread, .moment = {position, visits++, 0}};
  std::ranges::fill(iterations_, 0);
}

bool LaunchSample::addExecutedBlock(uint32_t block, uint32_t thread, uint32_t site) {
  if (!isSampled(block))
    return true;
  enterThread(block, thread);
  recordPointReached(site);
  if (descriptions_[site].isHeader() && visit_.events >= maxVisitEvents_)
    stopFollowingThread();
  if (countEventIfRoom())
    executions_.push_back({visit_.moment, site, uint16_t(thread)});
  return mode_ == Mode::Within || !(visit_.isCut || isFull_);
}

void LaunchSample::addAccess(uint32_t block, uint32_t thread, uint32_t site, uint64_t address,
                             uint64_t base, uint64_t bytes, simt::CheckedAccess access,
                             bool isShared) {
  constexpr uint64_t maxBytes = 16; // of one instruction
  if (!isSampled(block))
    return;
  enterThread(block, thread);
  if (!bytes || bytes > maxBytes || access.isLocal || access.isHeap || access.isIndirect)
    return;
  if (countEventIfRoom())
    accesses_.push_back({visit_.moment, site, address, base, uint16_t(thread), uint16_t(bytes),
                         access.kind, isShared});
}

void LaunchSample::recordPointReached(uint32_t site) {
  const simt::SampledBlock &next = descriptions_[site];
  if (next.isHeader()) {
    bool isInLoop =
        visit_.lastSite == ~0u || isBlockInLoop(descriptions_[visit_.lastSite], next.number);
    iterations_[next.number] = isInLoop ? iterations_[next.number] + 1 : 0;
  }
  visit_.lastSite = site;
  PointOfExecution point;
  size_t depth = std::min(next.loops.size(), PointOfExecution::maxDepth);
  for (size_t level = 0; level < depth; ++level) {
    point.path[2 * level] = next.loops[level];
    point.path[2 * level + 1] = iterations_[next.loops[level]];
  }
  point.path[2 * depth] = next.number;
  auto [known, isNew] = pointNumbers_.try_emplace(point, uint32_t(points_.size()));
  if (isNew)
    points_.push_back(point);
  visit_.moment.point = known->second;
}

void LaunchSample::stopFollowingThread() {
  if (visit_.isCut)
    return;
  visit_.isCut = true;
  const PointOfExecution &point = points_[visit_.moment.point];
  auto [earliest, isNew] = cuts_.try_emplace({visit_.moment.block, visit_.moment.visit}, point);
  if (!isNew)
    earliest->second = std::min(earliest->second, point);
}

bool LaunchSample::countEventIfRoom() {
  if (isFull_ || visit_.isCut)
    return false;
  ++visit_.events;
  isFull_ = accesses_.size() + executions_.size() >= maxEvents;
  if (isFull_) // the next threads of the block have not come as far as this one
    std::erase_if(executions_, [&](const Execution &e) {
      return e.moment.block == visit_.moment.block && e.moment.visit >= visit_.moment.visit;
    });
  return !isFull_;
}

bool LaunchSample::saveMemory(uint64_t address, uint64_t bytes) {
  if (savedBytes_.size() + bytes > maxSavedBytes)
    return false;
  saved_.push_back({address, bytes, savedBytes_.size()});
  const auto *memory = reinterpret_cast<const char *>(address);
  savedBytes_.insert(savedBytes_.end(), memory, memory + bytes);
  return true;
}

void LaunchSample::restoreMemory() {
  for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved)
    std::memcpy(reinterpret_cast<char *>(saved->address), savedBytes_.data() + saved->offset,
                saved->bytes);
  saved_.clear();
  savedBytes_.clear();
}

std::vector<LaunchSample::SampledAccess> LaunchSample::takeAccesses() {
  std::ranges::sort(accesses_, {}, [](const SampledAccess &a) {
    return std::tuple(a.thread / warpSize, a.moment, a.site, a.kind, a.thread);
  });
  return std::move(accesses_);
}

std::vector<LaunchSample::Execution> LaunchSample::takeExecutions() {
  auto isIncomplete = [&](const Execution &e) {
    const auto &[block, visit, point] = e.moment;
    auto later = cuts_.lower_bound({block, 0});
    if (mode_ == Mode::Alone && later != cuts_.end() && later->first < std::pair(block, visit))
      return true; // the cut thread has ended
    auto same = cuts_.find({block, visit});
    return same != cuts_.end() && points_[point] >= same->second;
  };
  std::erase_if(executions_, isIncomplete);
  std::ranges::sort(executions_, {},
                    [](const Execution &e) { return std::pair(e.moment, e.thread); });
  return std::move(executions_);
}

} // namespace heddle::cpu
