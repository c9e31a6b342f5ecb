#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/kernel_run.h"

#include <algorithm>
#include <charconv>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

/// Reads "4:8,9": the bytes of an element and the extents.
std::pair<int64_t, std::vector<int64_t>> parseElementBytesAndExtents(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    int64_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    numbers.push_back(n);
    text.remove_prefix(std::min(text.size(), size_t(end - text.data()) + 1));
  }
  if (numbers.empty())
    return {1, {}};
  return {numbers[0], {numbers.begin() + 1, numbers.end()}};
}

/// The index of the element at a byte offset in a C array.
std::vector<int64_t> indexInExtents(int64_t element, const std::vector<int64_t> &extents) {
  std::vector<int64_t> index(std::max<size_t>(extents.size(), 1));
  for (size_t axis = index.size(); axis-- > 1;) {
    index[axis] = element % extents[axis];
    element /= extents[axis];
  }
  index[0] = element;
  return index;
}

} // namespace

FindingSpace CheckedLaunch::Current::memoryKindForFinding() const {
  switch (access.memory) {
  case simt::AccessMemory::Local:
    return FindingSpace::Local;
  case simt::AccessMemory::Constant:
    return FindingSpace::Constant;
  case simt::AccessMemory::Device:
    break;
  }
  return isShared ? FindingSpace::Shared : FindingSpace::Global;
}

void CheckedLaunch::addInvalidAccess(FindingKind kind, const Current &current,
                                     std::string message) {
  uint32_t site = current.stamp.site;
  if (Finding *known = findReportedFinding(kind, site, site)) {
    ++known->count;
    return;
  }
  Finding finding = makeFinding(kind, current);
  finding.message = std::move(message);
  addFinding(std::move(finding), site, site);
}

FoundAccess CheckedLaunch::describeAccess(const Stamp &access, AccessKind kind) const {
  return describeAccess({toFoundOp(kind), access.site, access.thread, access.block});
}

FoundAccess CheckedLaunch::describeAccess(Place place) const {
  return {place.op, (*sites_)[place.site], unravel(place.thread, run_->shape.block),
          unravel(place.block, run_->shape.grid)};
}

void CheckedLaunch::addLaunchToFinding(Finding &finding, const Kernel &kernel,
                                       const LaunchShape &shape) const {
  finding.kernel = kernel.name();
  finding.program = note_->program;
  finding.grid = toIndex(shape.grid);
  finding.block = toIndex(shape.block);
  finding.launchFile = note_->file;
  finding.launchLine = note_->line;
}

Finding CheckedLaunch::makeFinding(FindingKind kind) const {
  Finding finding{.kind = kind};
  addLaunchToFinding(finding, run_->kernel, run_->shape);
  return finding;
}

Finding CheckedLaunch::makeFinding(FindingKind kind, const Current &current) const {
  Finding finding = makeFinding(kind);
  finding.space = current.memoryKindForFinding();
  finding.accesses.push_back(describeAccess(current.stamp, current.access.kind));
  if (current.isFree)
    finding.accesses.back().op = FoundOp::Free;
  finding.array = finding.accesses.back().at.message;
  addElementToFinding(finding, current);
  return finding;
}

void CheckedLaunch::reportOrCountAgain(FindingKind kind, std::string message, Place place,
                                       std::optional<Place> other) {
  uint32_t otherSite = other ? other->site : place.site;
  if (Finding *known = findReportedFinding(kind, place.site, otherSite)) {
    ++known->count;
    return;
  }
  Finding finding = makeFinding(kind);
  finding.message = std::move(message);
  finding.accesses.push_back(describeAccess(place));
  if (other)
    finding.accesses.push_back(describeAccess(*other));
  addFinding(std::move(finding), place.site, otherSite);
}

void CheckedLaunch::addElementToFinding(Finding &finding, const Current &current) const {
  if (isInHeap(current.address))
    return; // blocks have no extents
  const simt::SiteInfo &site = (*sites_)[current.stamp.site];
  if (!site.arguments.empty()) {
    auto [bytes, extents] = parseElementBytesAndExtents(site.arguments);
    finding.element = indexInExtents(int64_t(current.address - current.base) / bytes, extents);
    return;
  }
  finding.element = note_->findElementIndex(current.address);
}

Finding *CheckedLaunch::findReportedFinding(FindingKind kind, uint32_t site, uint32_t other) {
  auto found = known_.find({kind, std::min(site, other), std::max(site, other)});
  return found == known_.end() ? nullptr : &findings_[found->second];
}

void CheckedLaunch::addFinding(Finding finding, uint32_t site, uint32_t other) {
  known_[{finding.kind, std::min(site, other), std::max(site, other)}] = findings_.size();
  findings_.push_back(std::move(finding));
}

} // namespace heddle::cpu
