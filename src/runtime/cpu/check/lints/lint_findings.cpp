#include "runtime/cpu/check/lints/lint_findings.h"

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/check/lints/idle_lanes.h"
#include "runtime/cpu/check/lints/request_statistics.h"
#include "runtime/cpu/check/lints/thresholds.h"

#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace heddle::cpu {

namespace {

/// Accesses of a finding.
constexpr size_t maxPlaces = 4;

Finding makeLint(std::string name, std::vector<double> numbers) {
  Finding finding{.kind = FindingKind::Lint};
  finding.lint = std::move(name);
  finding.numbers = std::move(numbers);
  return finding;
}

/// Adds up the requests of a line to an array. The site is the first one's.
std::vector<RequestStatistics> countRequestsByLine(LaunchSample &sample) {
  using Line = std::tuple<std::string, unsigned, bool, uint64_t, simt::AccessKind>;
  std::map<Line, RequestStatistics> lines;
  for (const RequestStatistics &counted : countRequests(sample.takeAccesses())) {
    const simt::SiteInfo &at = sample.sites()[counted.site];
    Line line(at.file, at.line, counted.isShared, counted.base, counted.kind);
    auto [known, isNew] = lines.try_emplace(line, counted);
    if (!isNew)
      known->second.add(counted);
  }
  std::vector<RequestStatistics> sorted;
  for (const auto &[line, counted] : lines)
    sorted.push_back(counted);
  return sorted;
}

/// True if the accesses of a line need many more units than necessary.
bool wastesManySectors(const RequestStatistics &line) {
  auto units = double(line.units), needed = double(line.needed);
  if (line.isShared)
    return units >= lints::minBankRatio * needed;
  return units >= lints::minSectorsPerRequest * double(line.requests) &&
         units >= lints::minSectorRatio * needed;
}

/// Describes the wasteful lines of an array.
Finding makeArrayAccessLint(const std::vector<RequestStatistics> &lines,
                            const RequestStatistics &sum,
                            const std::vector<simt::SiteInfo> &sites) {
  auto requests = double(sum.requests), units = double(sum.units), needed = double(sum.needed);
  Finding finding = sum.isShared ? makeLint("bank-conflict", {units / needed})
                                 : makeLint("uncoalesced", {units / requests, needed / requests});
  finding.space = sum.isShared ? FindingSpace::Shared : FindingSpace::Global;
  finding.array = sites[lines.front().site].message;
  for (const RequestStatistics &line : lines)
    if (finding.accesses.size() < maxPlaces)
      finding.accesses.push_back({toFoundOp(line.kind), sites[line.site], {}, {}});
  return finding;
}

} // namespace

std::vector<Finding> findAccessLints(LaunchSample &sample) {
  uint64_t allSectors = 0, allPasses = 0;
  std::map<std::pair<bool, uint64_t>, std::vector<RequestStatistics>> wastefulLines; // by array
  for (const RequestStatistics &line : countRequestsByLine(sample)) {
    allSectors += line.isShared ? 0 : line.units;
    allPasses += line.isShared ? line.units : line.requests;
    if (wastesManySectors(line))
      wastefulLines[{line.isShared, line.base}].push_back(line);
  }
  std::vector<Finding> findings;
  for (const auto &[array, lines] : wastefulLines) {
    RequestStatistics sum = lines.front();
    for (const RequestStatistics &line : std::span(lines).subspan(1))
      sum.add(line);
    double least = sum.isShared ? lints::minBankShare * double(allPasses)
                                : lints::minSectorShare * double(allSectors);
    if (double(sum.units - sum.needed) >= least)
      findings.push_back(makeArrayAccessLint(lines, sum, sample.sites()));
  }
  return findings;
}

std::vector<Finding> findDivergenceLints(LaunchSample &sample) {
  std::vector<Finding> findings;
  DivergenceStatistics statistics = countIdleLanes(sample);
  for (const auto &[number, branch] : statistics.branches) {
    auto executed = double(branch.executed), wasted = double(branch.executed - branch.needed);
    double share = wasted / double(statistics.executed);
    const simt::SiteInfo &at = sample.sites()[branch.site];
    if (executed < lints::minWarpRatio * double(branch.needed) || share < lints::minIdleShare ||
        wasted < lints::minIdleInstructions * double(statistics.warps) || at.line == 0)
      continue;
    Finding finding = makeLint("divergence", {double(branch.byThreads) / executed, share});
    finding.message = at.message; // "branch" or "loop"
    finding.accesses.push_back({FoundOp::Branch, at, {}, {}});
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> makeStaticLintFindings(std::span<const simt::StaticLint> lints) {
  std::vector<Finding> findings;
  for (const simt::StaticLint &lint : lints) {
    bool isArray = lint.kind == simt::StaticLint::LocalArray;
    Finding finding =
        isArray ? makeLint("local-array", {double(lint.bytes)}) : makeLint("float64", {});
    FoundOp op = !isArray ? FoundOp::Compute : lint.isWrite ? FoundOp::Write : FoundOp::Read;
    finding.space = isArray ? FindingSpace::Local : FindingSpace::None;
    finding.array = lint.places.front().message;
    for (const simt::SiteInfo &place : lint.places)
      finding.accesses.push_back({op, place, {}, {}});
    findings.push_back(std::move(finding));
  }
  return findings;
}

Finding makeOccupancyFinding(const LowOccupancy &low) {
  Finding finding =
      makeLint("occupancy", std::vector<double>(low.numbers.begin(), low.numbers.end()));
  switch (low.limit) {
  case OccupancyLimit::SmallBlocks:
    finding.message = "small blocks";
    break;
  case OccupancyLimit::PartialWarps:
    finding.message = "partial warps";
    break;
  case OccupancyLimit::SharedMemory:
    finding.message = "shared memory";
    break;
  }
  return finding;
}

} // namespace heddle::cpu
