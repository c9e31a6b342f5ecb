#include "runtime/cpu/trace/launch_trace.h"

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/buffer.h"

#include <algorithm>
#include <ranges>

namespace heddle::cpu {

namespace {

constexpr uint64_t requestBytes = 16;     ///< of a lane, at most
constexpr uint64_t maxCopiedBytes = 1024; ///< of a copy by one thread
constexpr uint64_t allocationBytes = 256; ///< the alignment of allocations on GPUs

bool isInLoop(const simt::TracedStep &step, uint32_t header) {
  return std::ranges::find(step.loops, header) != step.loops.end();
}

/// True for an access to memory that other threads may access too. Reads of arrays that no thread writes count as local
/// in checks.
bool isVisibleToOtherThreads(simt::CheckedAccess access, const simt::SiteInfo &site) {
  bool isOfParameter = !site.message.empty() && site.arguments.empty();
  return !access.isHeap && (!access.isLocal || isOfParameter);
}

/// Moves an address in a host array to the place that it has on a GPU, relative to aligned memory.
uint64_t toGpuAlignedAddress(uint64_t address, uint64_t base, const simt::SiteInfo &site) {
  bool isOfParameter = !site.message.empty() && site.arguments.empty();
  const CpuAllocations *buffers = CpuAllocations::ofProcess();
  if (!isOfParameter || (buffers && buffers->contains(reinterpret_cast<const void *>(base))))
    return address;
  return address - base % allocationBytes;
}

} // namespace

void LaunchTrace::begin(const std::vector<simt::SiteInfo> &sites, const LaunchShape &shape) {
  sites_ = sites;
  descriptions_.assign(sites.size(), {});
  uint32_t lastBlock = 0;
  for (size_t site = 0; site < sites.size(); ++site)
    if (sites[site].kind == "step") {
      descriptions_[site] = simt::TracedStep::decode(sites[site].arguments);
      lastBlock = std::max(lastBlock, descriptions_[site].block);
    }
  Thread start;
  start.iterations.resize(lastBlock + 1);
  threads_.assign(shape.block.count(), start);
}

void LaunchTrace::addStep(uint64_t block, uint32_t thread, uint32_t site) {
  if (block != block_)
    return;
  Thread &mine = threads_[thread];
  if (mine.isCut)
    return;
  recordPointReached(mine, site);
  if (!sites_[site].line)
    return;
  auto point = points_.try_emplace(pointOfThread(mine, descriptions_[site]), site).first;
  if (mine.steps.size() < maxSteps_) {
    mine.steps.push_back(&*point);
    return;
  }
  mine.isCut = true;
  if (!cut_ || point->first < *cut_)
    cut_ = &point->first;
}

void LaunchTrace::recordPointReached(Thread &thread, uint32_t site) {
  const simt::TracedStep &next = descriptions_[site];
  if (next.isLoopStart()) {
    bool isNextIteration =
        thread.lastSite != ~0u && isInLoop(descriptions_[thread.lastSite], next.block);
    uint32_t &iteration = thread.iterations[next.block];
    iteration = isNextIteration ? iteration + 1 : 0;
  }
  thread.lastSite = site;
}

LaunchTrace::Point LaunchTrace::pointOfThread(const Thread &thread,
                                              const simt::TracedStep &step) const {
  Point point;
  point.reserve(2 * step.loops.size() + 2);
  for (uint32_t header : step.loops) {
    point.push_back(header);
    point.push_back(thread.iterations[header]);
  }
  point.push_back(step.block);
  point.push_back(step.index);
  return point;
}

void LaunchTrace::addAccess(uint64_t block, uint32_t thread, uint32_t site, uint64_t address,
                            uint64_t base, uint64_t bytes, simt::CheckedAccess access,
                            bool isShared) {
  if (block != block_ || !isVisibleToOtherThreads(access, sites_[site]))
    return;
  Thread &mine = threads_[thread];
  if (mine.isCut || mine.steps.empty())
    return;
  if (!isShared)
    address = toGpuAlignedAddress(address, base, sites_[site]);
  for (uint64_t offset = 0; offset < std::min(bytes, maxCopiedBytes); offset += requestBytes) {
    Access made{.step = uint32_t(mine.steps.size() - 1),
                .site = site,
                .address = address + offset,
                .bytes = uint32_t(std::min(bytes - offset, requestBytes)),
                .alignment = access.alignment,
                .kind = access.kind,
                .isShared = isShared};
    if (!extendVectorAccess(mine, made))
      mine.accesses.push_back(made);
  }
}

bool LaunchTrace::extendVectorAccess(Thread &thread, const Access &part) {
  for (Access &earlier : std::views::reverse(thread.accesses)) {
    if (earlier.step != part.step)
      return false;
    uint64_t bytes = earlier.bytes + part.bytes;
    if (earlier.kind == part.kind && earlier.isShared == part.isShared &&
        earlier.address + earlier.bytes == part.address && bytes <= requestBytes &&
        bytes <= earlier.alignment) {
      earlier.bytes = uint32_t(bytes);
      return true;
    }
  }
  return false;
}

std::vector<std::vector<TracedWarpStep>> LaunchTrace::takeWarpSteps() {
  std::vector<std::vector<TracedWarpStep>> warps;
  for (size_t first = 0; first < threads_.size(); first += warpSize) {
    std::map<Point, TracedWarpStep> steps;
    size_t lanes = std::min<size_t>(warpSize, threads_.size() - first);
    for (unsigned lane = 0; lane < lanes; ++lane)
      addThreadStepsToWarp(steps, threads_[first + lane], lane);
    std::vector<TracedWarpStep> &warp = warps.emplace_back();
    for (auto &[point, step] : steps)
      warp.push_back(std::move(step));
  }
  threads_.clear();
  return warps;
}

void LaunchTrace::addThreadStepsToWarp(std::map<Point, TracedWarpStep> &steps, const Thread &thread,
                                       unsigned lane) const {
  LaneMask bit = LaneMask(1) << lane;
  for (size_t n = 0, access = 0; n < thread.steps.size(); ++n) {
    const auto &[point, site] = *thread.steps[n];
    if (cut_ && !(point < *cut_))
      return;
    TracedWarpStep &step = steps[point];
    step.site = site;
    step.lanes |= bit;
    std::map<std::pair<uint32_t, simt::AccessKind>, uint32_t> repetitions;
    for (; access < thread.accesses.size() && thread.accesses[access].step == n; ++access) {
      const Access &made = thread.accesses[access];
      uint32_t repetition = repetitions[{made.site, made.kind}]++;
      auto request = std::ranges::find_if(step.requests, [&](const TracedRequest &r) {
        return r.site == made.site && r.kind == made.kind && r.repetition == repetition &&
               r.isShared == made.isShared && r.bytes == made.bytes;
      });
      if (request == step.requests.end())
        request = step.requests.insert(
            request, {made.site, made.kind, made.isShared, made.bytes, 0, {}, repetition});
      request->lanes |= bit;
      request->addresses.push_back(made.address);
    }
  }
}

} // namespace heddle::cpu
