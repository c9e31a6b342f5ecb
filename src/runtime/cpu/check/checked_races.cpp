#include "runtime/cpu/check/checked_launch.h"

#include <algorithm>
#include <cstring>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

} // namespace

ShadowMemory &CheckedLaunch::shadowMemoryOf(const Current &current) {
  if (!current.isShared)
    return isInHeap(current.address) ? heap_ : global_;
  if (!sharedOfBlock_ || sharedBlock_ != current.stamp.block) {
    if (!runsBlocksTogether_)
      shared_.clear();
    sharedBlock_ = current.stamp.block;
    sharedOfBlock_ = &shared_[sharedBlock_];
  }
  return *sharedOfBlock_;
}

void CheckedLaunch::checkAndUpdateCell(Cell &cell, const Current &current) {
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
    cell.atomics->addAndDropRedundant(stamp);
    break;
  case AccessKind::Read:
    if (cell.reads) {
      cell.reads->addAndDropRedundant(stamp);
    } else if (cell.read.exists() && !order_->isOrdered(cell.read, stamp.block, stamp.thread)) {
      cell.reads = std::make_unique<AccessSet>();
      cell.reads->addAndDropRedundant(cell.read);
      cell.reads->addAndDropRedundant(stamp);
    } else {
      cell.read = stamp;
    }
    break;
  }
}

void CheckedLaunch::recordIfRace(const Stamp &earlier, AccessKind kind, const Current &current) {
  RaceCause cause = causeOfRace(earlier, kind, current);
  if (cause == RaceCause::None)
    return;
  if (current.access.kind == AccessKind::Write && kind != AccessKind::Write)
    (current.isShared ? otherUses_ : globalUses_)
        .dropUsesOfRacedMemory(current.address, current.bytes);
  addRace(cause, earlier, kind, current);
}

void CheckedLaunch::addRace(RaceCause cause, const Stamp &earlier, AccessKind kind,
                            const Current &current) {
  Finding *known = findReportedFinding(FindingKind::Race, earlier.site, current.stamp.site);
  if (known) {
    ++known->count;
    if (known->cause >= cause)
      return;
  }
  Finding finding = makeFinding(FindingKind::Race, current);
  finding.cause = cause;
  finding.accesses.insert(finding.accesses.begin(), describeAccess(earlier, kind));
  if (current.isFree)
    finding.array = finding.accesses.front().at.message;
  if (known) {
    finding.count = known->count;
    *known = std::move(finding);
  } else {
    addFinding(std::move(finding), earlier.site, current.stamp.site);
  }
}

RaceCause CheckedLaunch::causeOfRace(const Stamp &earlier, AccessKind kind,
                                     const Current &current) {
  const Stamp &mine = current.stamp;
  AccessKind myKind = current.access.kind;
  if (earlier.isInFlight && kind == AccessKind::Write)
    return RaceCause::Copy;
  bool bothSynchronize = (earlier.isFlag || kind == AccessKind::Atomic) &&
                         (mine.isFlag || myKind == AccessKind::Atomic);
  if (earlier.isSameThread(mine) || (bothSynchronize && (earlier.isFlag || mine.isFlag)))
    return RaceCause::None;
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
  std::optional<uint64_t> lock = locks_.findCommonLock(earlier, mine);
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

void CheckedLaunch::markCopiesComplete(const std::vector<CopyInFlight> &copies, const Stamp &now) {
  const HappensBefore::Thread &thread = order_->thread(now.block, now.thread);
  for (const CopyInFlight &copy : copies)
    if (auto shadow = shared_.find(now.block); shadow != shared_.end())
      shadow->second.forEach(copy.address, copy.bytes, [&](Cell &cell) {
        if (!cell.write.isInFlight || !cell.write.isSameThread(now))
          return;
        cell.write.isInFlight = false;
        cell.write.epoch = thread.epoch;
        cell.write.time = thread.time;
      });
}

void CheckedLaunch::updateLocks(const Current &current) {
  const Stamp &mine = current.stamp;
  uint64_t lock = makeLockKey(current);
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
    return locks_.recordAcquire(mine.block, mine.thread, lock, old);
  locks_.recordRelease(mine.block, mine.thread, lock);
  if (!isMine || pairs.empty())
    return;
  for (const LockedPair &pair : pairs.mapped())
    if (!order_->isReleased(pair.later.stamp, current.address, pair.earlier.block))
      addRace(pair.cause, pair.earlier, pair.kind, pair.later);
}

uint64_t CheckedLaunch::makeLockKey(const Current &current) {
  constexpr unsigned addressBits = 48;
  return current.isShared ? current.address | (uint64_t(current.stamp.block) + 1) << addressBits
                          : current.address;
}

bool CheckedLaunch::storesSameValue(const Current &current) const {
  return current.access.hasValue && std::memcmp(reinterpret_cast<const void *>(current.address),
                                                &current.value, current.bytes) == 0;
}

} // namespace heddle::cpu
