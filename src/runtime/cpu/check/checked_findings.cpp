#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/kernel_run.h"

#include <algorithm>
#include <charconv>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

Index3 asIndex(const Dim3 &d) { return {d.x, d.y, d.z}; }

Index3 unravel(uint32_t linear, const Dim3 &extents) {
  return {linear % extents.x, linear / extents.x % extents.y, linear / extents.x / extents.y};
}

/// Reads "4:8,9": the bytes of an element and the extents.
std::pair<int64_t, std::vector<int64_t>> parseExtents(std::string_view text) {
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

/// The index of the element at a byte offset in a strided array; empty if there is none.
std::vector<int64_t> indexInArray(int64_t offset, const NotedArray &array) {
  std::vector<size_t> axes(array.extents.size());
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] = i;
  std::ranges::sort(axes, std::greater{}, [&](size_t axis) { return array.strides[axis]; });
  std::vector<int64_t> index(axes.size());
  for (size_t axis : axes) {
    if (array.strides[axis] <= 0)
      continue;
    index[axis] = std::min(offset / array.strides[axis], array.extents[axis] - 1);
    offset -= index[axis] * array.strides[axis];
  }
  return offset >= 0 && offset < array.elementBytes ? index : std::vector<int64_t>();
}

} // namespace

void CheckedLaunch::addInvalid(FindingKind kind, const Current &current, std::string message) {
  uint32_t site = current.stamp.site;
  if (Finding *known = findKnown(kind, site, site)) {
    ++known->count;
    return;
  }
  Finding finding = makeFinding(kind, current);
  finding.message = std::move(message);
  add(std::move(finding), site, site);
}

FoundAccess CheckedLaunch::describe(const Stamp &access, AccessKind kind) const {
  return describe({toFoundOp(kind), access.site, access.thread}, access.block);
}

FoundAccess CheckedLaunch::describe(Place place, uint32_t block) const {
  return {place.op, (*sites_)[place.site], unravel(place.thread, run_->shape.block),
          unravel(block, run_->shape.grid)};
}

Finding CheckedLaunch::makeFinding(FindingKind kind) const {
  return {.kind = kind,
          .kernel = run_->kernel.name(),
          .grid = asIndex(run_->shape.grid),
          .block = asIndex(run_->shape.block),
          .launchFile = note_.file,
          .launchLine = note_.line};
}

Finding CheckedLaunch::makeFinding(FindingKind kind, const Current &current) const {
  Finding finding = makeFinding(kind);
  finding.space = current.access.isLocal ? FindingSpace::Local
                  : current.isShared     ? FindingSpace::Shared
                                         : FindingSpace::Global;
  finding.accesses.push_back(describe(current.stamp, current.access.kind));
  finding.array = finding.accesses.back().at.message;
  nameElement(finding, current);
  return finding;
}

void CheckedLaunch::reportAt(FindingKind kind, uint32_t block, std::string message, Place place,
                             std::optional<Place> other) {
  uint32_t otherSite = other ? other->site : place.site;
  if (Finding *known = findKnown(kind, place.site, otherSite)) {
    ++known->count;
    return;
  }
  Finding finding = makeFinding(kind);
  finding.message = std::move(message);
  finding.accesses.push_back(describe(place, block));
  if (other)
    finding.accesses.push_back(describe(*other, block));
  add(std::move(finding), place.site, otherSite);
}

void CheckedLaunch::nameElement(Finding &finding, const Current &current) const {
  const simt::SiteInfo &site = (*sites_)[current.stamp.site];
  if (!site.arguments.empty()) {
    auto [bytes, extents] = parseExtents(site.arguments);
    finding.element = indexInExtents(int64_t(current.address - current.base) / bytes, extents);
    return;
  }
  for (const NotedArray &array : note_.arrays) {
    std::vector<int64_t> index = indexInArray(int64_t(current.address - array.address), array);
    if (current.address >= array.address && !index.empty()) {
      finding.element = std::move(index);
      return;
    }
  }
}

Finding *CheckedLaunch::findKnown(FindingKind kind, uint32_t site, uint32_t other) {
  auto found = known_.find({kind, std::min(site, other), std::max(site, other)});
  return found == known_.end() ? nullptr : &findings_[found->second];
}

void CheckedLaunch::add(Finding finding, uint32_t site, uint32_t other) {
  known_[{finding.kind, std::min(site, other), std::max(site, other)}] = findings_.size();
  findings_.push_back(std::move(finding));
}

} // namespace heddle::cpu
