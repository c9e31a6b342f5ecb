#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/check/heap_leaks.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

thread_local LaunchNote nextNote;

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

std::string describeUnmapped(uint64_t address) {
  char text[64];
  std::snprintf(text, sizeof text, "no memory is mapped at address %#llx",
                static_cast<unsigned long long>(address));
  return text;
}

} // namespace

void noteNextLaunch(LaunchNote note) { nextNote = std::move(note); }

CheckedLaunch::CheckedLaunch() : note_(std::exchange(nextNote, {})) {}

void CheckedLaunch::begin(const KernelRun &run, const std::vector<simt::SiteInfo> &sites) {
  run_ = &run;
  sites_ = &sites;
  runsBlocksTogether_ = run.entry.waitsForBlocks();
  heapBytes_ = 0;
  order_ = std::make_unique<HappensBefore>(uint32_t(run.shape.block.count()));
  global_ = {};
  barriers_.clear();
  mapped_ = {};
  locks_ = {};
  lockedPairs_.clear();
  shared_.clear();
  sharedOfBlock_ = nullptr;
  definedness_.begin(runsBlocksTogether_);
  globalUses_ = otherUses_ = {};
}

void CheckedLaunch::end() {
  reportUses(otherUses_);
  reportUses(globalUses_);
}

void CheckedLaunch::publish() {
  addFindings(std::exchange(findings_, {}));
  known_.clear();
}

uint32_t CheckedLaunch::blockOf(const BlockContext &c) const {
  return uint32_t((uint64_t(c.block[2]) * c.gridDim[1] + c.block[1]) * c.gridDim[0] + c.block[0]);
}

Stamp CheckedLaunch::stampAt(const BlockContext &c) {
  Stamp stamp;
  stamp.block = blockOf(c);
  stamp.thread =
      uint16_t((c.thread[2] * c.blockDim[1] + c.thread[1]) * c.blockDim[0] + c.thread[0]);
  if (!runsBlocksTogether_)
    order_->keepOnly(stamp.block);
  return stamp;
}

bool CheckedLaunch::checkAccess(const BlockContext &context, uint32_t site, const void *address,
                                const void *base, uint64_t bytes, simt::CheckedAccess access,
                                uint64_t value) {
  std::lock_guard lock(mutex_);
  Current current{.access = access,
                  .stamp = stampAt(context),
                  .address = reinterpret_cast<uint64_t>(address),
                  .base = reinterpret_cast<uint64_t>(base),
                  .bytes = bytes,
                  .value = value};
  auto shared = reinterpret_cast<uint64_t>(context.shared);
  current.isShared = current.address - shared < BlockRunner::sharedBytes;
  Stamp &stamp = current.stamp;
  HappensBefore::Thread &thread = order_->thread(stamp.block, stamp.thread);
  uint32_t reported = std::exchange(thread.reportedSite, ~0u);
  bool isOutside = reported != ~0u && (*sites_)[reported].line == (*sites_)[site].line;
  if (isOutside) // the finding becomes that of this access
    findKnown(FindingKind::Bounds, reported, reported)->accesses.front().op =
        toFoundOp(access.kind);
  stamp.epoch = thread.epoch;
  stamp.time = thread.time;
  stamp.locks = locks_.heldBy(stamp.block, stamp.thread);
  stamp.site = site;
  stamp.scope = access.scope;
  stamp.isFlag = access.isFlag;
  stamp.isGuess = access.isGuess;
  if (current.address % access.alignment) {
    addInvalid(FindingKind::Misaligned, current, "");
    return false;
  }
  if (isOutside)
    return false;
  if (bytes && !current.isShared && !isMapped(current)) {
    addInvalid(FindingKind::Bounds, current, describeUnmapped(current.address));
    return false;
  }
  if (access.isHeapMark) {
    markHeapBlock(current);
  } else if (access.isHeap) {
    heapStart_ = current.base;
    heapBytes_ = value;
  }
  if (access.isLocal || !bytes || isInHeap(current.address))
    return true;
  bool isAtomic = access.kind == AccessKind::Atomic; // a flag's scope is the system
  if (isAtomic || (access.isFlag && access.kind == AccessKind::Read))
    order_->acquire(stamp.block, stamp.thread, current.address, access.scope, access.isCas);
  shadowOf(current).forEach(current.address, bytes, [&](Cell &cell) { visit(cell, current); });
  if (isAtomic || (access.isFlag && access.kind == AccessKind::Write)) {
    order_->release(stamp.block, stamp.thread, current.address, access.scope);
    updateLocks(current);
  }
  return true;
}

void CheckedLaunch::markHeapBlock(const Current &current) {
  constexpr uint32_t taken = simt::CheckedAccess::heapBlockTaken;
  if ((current.value & taken) != taken)
    return removeHeapBlock(current.address);
  Finding leak = makeFinding(FindingKind::Leak);
  leak.space = FindingSpace::Global;
  leak.message = "no launch has freed this memory";
  leak.accesses.push_back(
      describe({FoundOp::Allocate, current.stamp.site, current.stamp.thread}, current.stamp.block));
  addHeapBlock(current.address, std::move(leak));
}

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

bool CheckedLaunch::isMapped(const Current &current) {
  bool writes = current.access.kind != AccessKind::Read;
  std::vector<AddressRange> &ranges = mapped_[writes];
  uint64_t first = current.address, end = first + current.bytes;
  if (std::ranges::any_of(ranges, [&](AddressRange r) { return r.first <= first && end <= r.end; }))
    return true;
  std::optional<AddressRange> range = findMappedRange(first, writes);
  if (range)
    ranges.push_back(*range);
  return range && end <= range->end;
}

ShadowMemory &CheckedLaunch::shadowOf(const Current &current) {
  if (!current.isShared)
    return global_;
  if (!sharedOfBlock_ || sharedBlock_ != current.stamp.block) {
    if (!runsBlocksTogether_)
      shared_.clear();
    sharedBlock_ = current.stamp.block;
    sharedOfBlock_ = &shared_[sharedBlock_];
  }
  return *sharedOfBlock_;
}

void CheckedLaunch::visit(Cell &cell, const Current &current) {
  const Stamp &stamp = current.stamp;
  AccessKind kind = current.access.kind;
  if (cell.write.exists())
    recordIfRace(cell.write, AccessKind::Write, current);
  if (kind != AccessKind::Read) {
    if (cell.reads)
      cell.reads->forEach(
          [&](const Stamp &read) { recordIfRace(read, AccessKind::Read, current); });
    else if (cell.read.exists())
      recordIfRace(cell.read, AccessKind::Read, current);
  }
  if (cell.atomics)
    cell.atomics->forEach(
        [&](const Stamp &atomic) { recordIfRace(atomic, AccessKind::Atomic, current); });

  switch (kind) {
  case AccessKind::Write:
    cell = {};
    cell.write = stamp;
    break;
  case AccessKind::Atomic:
    if (!cell.atomics)
      cell.atomics = std::make_unique<AccessSet>();
    cell.atomics->add(stamp);
    break;
  case AccessKind::Read:
    if (cell.reads) {
      cell.reads->add(stamp);
    } else if (cell.read.exists() && !order_->isOrdered(cell.read, stamp.block, stamp.thread)) {
      cell.reads = std::make_unique<AccessSet>();
      cell.reads->add(cell.read);
      cell.reads->add(stamp);
    } else {
      cell.read = stamp;
    }
    break;
  }
}

void CheckedLaunch::recordIfRace(const Stamp &earlier, AccessKind kind, const Current &current) {
  RaceCause cause = causeOf(earlier, kind, current);
  if (cause == RaceCause::None)
    return;
  if (current.access.kind == AccessKind::Write && kind != AccessKind::Write)
    (current.isShared ? otherUses_ : globalUses_).dropRaced(current.address, current.bytes);
  addRace(cause, earlier, kind, current);
}

void CheckedLaunch::addRace(RaceCause cause, const Stamp &earlier, AccessKind kind,
                            const Current &current) {
  Finding *known = findKnown(FindingKind::Race, earlier.site, current.stamp.site);
  if (known) {
    ++known->count;
    if (known->cause >= cause)
      return;
  }
  Finding finding = makeFinding(FindingKind::Race, current);
  finding.cause = cause;
  finding.accesses.insert(finding.accesses.begin(), describe(earlier, kind));
  if (known) {
    finding.count = known->count;
    *known = std::move(finding);
  } else {
    add(std::move(finding), earlier.site, current.stamp.site);
  }
}

RaceCause CheckedLaunch::causeOf(const Stamp &earlier, AccessKind kind, const Current &current) {
  const Stamp &mine = current.stamp;
  if (earlier.isSameThread(mine) || (earlier.isFlag && mine.isFlag))
    return RaceCause::None;
  AccessKind myKind = current.access.kind;
  bool differ = earlier.block != mine.block;
  if (kind == AccessKind::Atomic && myKind == AccessKind::Atomic) {
    bool isNarrow = earlier.scope == simt::Scope::Block || mine.scope == simt::Scope::Block;
    return differ && isNarrow && !order_->isOrdered(earlier, mine.block, mine.thread)
               ? RaceCause::Scope
               : RaceCause::None;
  }
  if (order_->isOrderedByBarrier(earlier, mine.block, mine.thread))
    return RaceCause::None;
  bool isReleased = order_->isOrderedByRelease(earlier, mine.block, mine.thread) ||
                    (kind == AccessKind::Atomic &&
                     order_->hasAcquired(earlier, mine.block, mine.thread, current.address));
  std::optional<uint64_t> lock = locks_.commonLock(earlier, mine);
  if (isReleased && !lock)
    return RaceCause::None;
  RaceCause cause = causeIfUnordered(earlier, kind, current, lock.has_value());
  if (!isReleased || !locks_.isFenced(earlier, *lock, mine) ||
      !locks_.isFenced(mine, *lock, earlier))
    return cause;
  std::vector<LockedPair> &pairs = lockedPairs_[*lock];
  if (std::ranges::none_of(pairs, [&](const LockedPair &pair) {
        return pair.earlier.site == earlier.site && pair.later.stamp.site == mine.site;
      }))
    pairs.push_back({earlier, kind, current, cause});
  return RaceCause::None;
}

RaceCause CheckedLaunch::causeIfUnordered(const Stamp &earlier, AccessKind kind,
                                          const Current &current, bool underLock) const {
  const Stamp &mine = current.stamp;
  AccessKind myKind = current.access.kind;
  bool differ = earlier.block != mine.block;
  if (kind == AccessKind::Write && myKind == AccessKind::Write && storesSameValue(current))
    return RaceCause::SameValue;
  if (earlier.isGuess || mine.isGuess)
    return RaceCause::Compare;
  if (kind == AccessKind::Atomic || myKind == AccessKind::Atomic)
    return RaceCause::Atomic;
  if (underLock)
    return RaceCause::Fence;
  bool sameWarp = !differ && earlier.thread / warpSize == mine.thread / warpSize;
  return differ ? RaceCause::Blocks : sameWarp ? RaceCause::Warp : RaceCause::Barrier;
}

void CheckedLaunch::updateLocks(const Current &current) {
  const Stamp &mine = current.stamp;
  uint64_t lock = lockAt(current);
  bool isMine = locks_.holds(mine.block, mine.thread, lock);
  uint64_t old = 0;
  if (current.access.takesLock) {
    std::memcpy(&old, reinterpret_cast<const void *>(current.address), current.bytes);
    bool succeeds = current.access.isCas == (old == current.value);
    if (!succeeds)
      return;
  }
  auto pairs = lockedPairs_.extract(lock);
  if (current.access.takesLock && !isMine)
    return locks_.take(mine.block, mine.thread, lock, old);
  locks_.release(mine.block, mine.thread, lock);
  if (!isMine || pairs.empty())
    return;
  for (const LockedPair &pair : pairs.mapped())
    if (!order_->isReleased(pair.later.stamp, current.address, pair.earlier.block))
      addRace(pair.cause, pair.earlier, pair.kind, pair.later);
}

uint64_t CheckedLaunch::lockAt(const Current &current) {
  constexpr unsigned addressBits = 48;
  return current.isShared ? current.address | (uint64_t(current.stamp.block) + 1) << addressBits
                          : current.address;
}

bool CheckedLaunch::storesSameValue(const Current &current) const {
  return current.access.hasValue && std::memcmp(reinterpret_cast<const void *>(current.address),
                                                &current.value, current.bytes) == 0;
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

void CheckedLaunch::checkSync(const BlockContext &context, simt::SyncKind kind, uint32_t operand) {
  std::lock_guard lock(mutex_);
  Stamp stamp = stampAt(context);
  switch (kind) {
  case simt::SyncKind::Block:
    return order_->passBarrier(stamp.block, stamp.thread);
  case simt::SyncKind::Warp:
    return order_->passWarpBarrier(stamp.block, stamp.thread, operand);
  case simt::SyncKind::Grid:
    return order_->passGridBarrier(stamp.block, stamp.thread);
  case simt::SyncKind::Fence:
    locks_.fence(stamp.block, stamp.thread, simt::Scope(operand));
    return order_->fence(stamp.block, stamp.thread, simt::Scope(operand));
  case simt::SyncKind::Join:
    return barriersOf(stamp.block).passJoin(stamp.thread, simt::CheckedJoin::decode(operand));
  }
}

void CheckedLaunch::report(const BlockContext &context, uint32_t site, int64_t index,
                           int64_t extent) {
  std::lock_guard lock(mutex_);
  Current current{.stamp = stampAt(context)};
  if ((*sites_)[site].kind == "ZeroDivisionError")
    return reportAt(FindingKind::Division, current.stamp.block, (*sites_)[site].message,
                    {FoundOp::Divide, site, current.stamp.thread});
  order_->thread(current.stamp.block, current.stamp.thread).reportedSite = site;
  if (Finding *known = findKnown(FindingKind::Bounds, site, site)) {
    ++known->count;
    return;
  }
  current.stamp.site = site;
  Finding finding = makeFinding(FindingKind::Bounds, current);
  finding.array.clear();
  finding.element.clear();
  finding.message = formatMessage((*sites_)[site], index, extent, run_->arguments);
  add(std::move(finding), site, site);
}

Definedness &CheckedLaunch::definednessAt(const BlockContext &context) {
  // Static shared memory, then the dynamic one, which starts at a multiple of 16 bytes.
  constexpr uint64_t gap = 64;
  uint64_t bytes = run_->kernel.staticSharedBytes() + gap + run_->shape.dynamicSharedBytes;
  bool isNew =
      definedness_.enterBlock(stampAt(context).block, reinterpret_cast<uint64_t>(context.shared),
                              std::min<uint64_t>(bytes, BlockRunner::sharedBytes));
  if (isNew)
    otherUses_.keep();
  return definedness_;
}

void CheckedLaunch::forget(const BlockContext &context, const void *address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  definednessAt(context).forget(reinterpret_cast<uint64_t>(address), bytes);
}

uint64_t CheckedLaunch::checkLoad(const BlockContext &context, uint32_t site, const void *address,
                                  const void *base, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  UndefinedLoad load{.site = site,
                     .address = reinterpret_cast<uint64_t>(address),
                     .base = reinterpret_cast<uint64_t>(base)};
  load.isGlobal = isInHeap(load.address);
  return definednessAt(context).load(load, bytes);
}

void CheckedLaunch::checkStore(const BlockContext &context, const void *address, uint64_t bytes,
                               uint64_t definedness) {
  std::lock_guard lock(mutex_);
  definednessAt(context).store(reinterpret_cast<uint64_t>(address), bytes, definedness);
}

void CheckedLaunch::checkCopy(const BlockContext &context, const void *to, const void *from,
                              uint64_t bytes) {
  std::lock_guard lock(mutex_);
  definednessAt(context).copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from),
                              bytes);
}

void CheckedLaunch::checkUse(const BlockContext &context, uint32_t site, uint64_t definedness) {
  if (!definedness)
    return;
  std::lock_guard lock(mutex_);
  UndefinedUse use{.load = definednessAt(context).loadOf(definedness), .stamp = stampAt(context)};
  use.stamp.site = site;
  (use.load.isGlobal ? globalUses_ : otherUses_).add(use);
}

void CheckedLaunch::reportUses(UndefinedUses &uses) {
  for (const UndefinedUse &use : uses.take()) {
    const simt::SiteInfo &at = (*sites_)[use.stamp.site], &loaded = (*sites_)[use.load.site];
    bool isAtomic = loaded.kind == "atomic";
    Current current{.access = {.kind = isAtomic ? AccessKind::Atomic : AccessKind::Read,
                               .isLocal = !use.load.isShared && !use.load.isGlobal},
                    .stamp = use.stamp,
                    .address = use.load.address,
                    .base = use.load.base,
                    .isShared = use.load.isShared};
    current.stamp.site = use.load.site;
    Finding finding = makeFinding(FindingKind::Uninitialized, current);
    finding.count = use.count;
    if (at.line && (at.line != loaded.line || at.file != loaded.file)) {
      finding.loaded = finding.accesses.front();
      finding.accesses.front().at = at;
    }
    add(std::move(finding), use.stamp.site, use.load.site);
  }
}

DivergentBarriers &CheckedLaunch::barriersOf(uint32_t block) {
  if (!runsBlocksTogether_ && !barriers_.contains(block))
    barriers_.clear();
  return barriers_.try_emplace(block, *sites_, uint32_t(run_->shape.block.count())).first->second;
}

BarrierRelease CheckedLaunch::meetAtBarrier(const BlockContext &context,
                                            std::span<const Waiting> waiting) {
  std::lock_guard lock(mutex_);
  uint32_t block = blockOf(context);
  DivergentBarriers &barriers = barriersOf(block);
  auto [found, release] = barriers.meet(waiting);
  if (found) {
    std::optional<Place> other;
    if (found->otherSite)
      other = {FoundOp::Wait, *found->otherSite, found->otherThread};
    reportAt(FindingKind::Barrier, block, std::move(found->message),
             {FoundOp::Wait, found->site, found->thread}, other);
  }
  if (!release.onlySite && barriers.hasDiverged())
    order_->joinEpochs(block);
  return release;
}

void CheckedLaunch::meetAtOperations(const BlockContext &context, size_t warp, const Warp &lanes) {
  std::lock_guard lock(mutex_);
  uint32_t block = blockOf(context), first = uint32_t(warp) * warpSize;
  uint32_t count = std::min<uint32_t>(warpSize, uint32_t(run_->shape.block.count()) - first);
  LaneMask existing = LaneMask((uint64_t(1) << count) - 1);
  lanes.forEachCompleteSet([&](LaneMask together) {
    unsigned lane = firstLane(together);
    auto isPast = [&](unsigned other) {
      return barriersOf(block).isPast(first + other, first + lane, lanes.site(lane));
    };
    if (std::optional<WrongMask> wrong = findWrongMask(lanes, together, existing, isPast))
      reportMask(block, warp, lanes, std::move(*wrong));
  });
}

unsigned CheckedLaunch::meetWithoutOthers(const BlockContext &context, size_t warp,
                                          const Warp &lanes) {
  std::lock_guard lock(mutex_);
  unsigned first = firstLane(lanes.atOperation());
  for (LaneMask rest = lanes.atOperation(); rest; rest &= rest - 1)
    if (unsigned lane = firstLane(rest);
        (*sites_)[lanes.site(lane)].line < (*sites_)[lanes.site(first)].line)
      first = lane;
  reportMask(blockOf(context), warp, lanes, describeMissingLanes(lanes, first));
  return first;
}

void CheckedLaunch::reportLaneNotInMask(const BlockContext &context, size_t warp, const Warp &lanes,
                                        unsigned lane) {
  std::lock_guard lock(mutex_);
  reportMask(blockOf(context), warp, lanes, describeLaneNotInMask(lanes, lane));
}

void CheckedLaunch::reportMask(uint32_t block, size_t warp, const Warp &lanes, WrongMask wrong) {
  auto placeOf = [&](unsigned lane) {
    bool waits = lanes.arrival(lane).operation == simt::Op::Barrier;
    return Place{waits ? FoundOp::Wait : FoundOp::Call, lanes.site(lane),
                 uint32_t(warp * warpSize + lane)};
  };
  std::optional<Place> other;
  if (wrong.otherLane)
    other = placeOf(*wrong.otherLane);
  reportAt(FindingKind::Warp, block,
           (*sites_)[lanes.site(wrong.lane)].message + ": " + wrong.message, placeOf(wrong.lane),
           other);
}

} // namespace heddle::cpu
