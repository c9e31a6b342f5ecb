#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/check/heap_blocks.h"

#include <algorithm>

namespace heddle::cpu {

namespace {

using simt::AccessKind, simt::AccessMemory;

} // namespace

uint64_t CheckedLaunch::sharedBytes() const {
  constexpr uint64_t gap = 64;
  uint64_t bytes = run_->kernel.staticSharedBytes() + gap + run_->shape.dynamicSharedBytes;
  return std::min<uint64_t>(bytes, BlockRunner::sharedBytes);
}

Definedness &CheckedLaunch::enterBlockAndGetDefinedness(const BlockContext &context) {
  bool isNew = definedness_.enterBlock(enterBlockAndMakeStamp(context).block,
                                       reinterpret_cast<uint64_t>(context.shared), sharedBytes());
  if (isNew)
    otherUses_.mergePendingIntoReports();
  return definedness_;
}

void CheckedLaunch::markUndefined(const BlockContext &context, const void *address,
                                  uint64_t bytes) {
  if (isOnlySampled())
    return;
  std::lock_guard lock(mutex_);
  auto start = reinterpret_cast<uint64_t>(address);
  enterBlockAndGetDefinedness(context).markUndefined(start, bytes);
  if (isInHeap(start))
    setRequestedBytes(start, bytes);
}

uint64_t CheckedLaunch::loadDefinedness(const BlockContext &context, uint32_t site,
                                        const void *address, const void *base, uint64_t bytes) {
  if (isOnlySampled())
    return 0;
  std::lock_guard lock(mutex_);
  UndefinedLoad load{.site = site,
                     .address = reinterpret_cast<uint64_t>(address),
                     .base = reinterpret_cast<uint64_t>(base)};
  load.isGlobal = isInHeap(load.address);
  return enterBlockAndGetDefinedness(context).recordLoad(load, bytes);
}

void CheckedLaunch::storeDefinedness(const BlockContext &context, const void *address,
                                     uint64_t bytes, uint64_t definedness) {
  if (isOnlySampled())
    return;
  std::lock_guard lock(mutex_);
  enterBlockAndGetDefinedness(context).store(reinterpret_cast<uint64_t>(address), bytes,
                                             definedness);
}

void CheckedLaunch::copyDefinedness(const BlockContext &context, const void *to, const void *from,
                                    uint64_t bytes) {
  if (isOnlySampled())
    return;
  std::lock_guard lock(mutex_);
  enterBlockAndGetDefinedness(context).copy(reinterpret_cast<uint64_t>(to),
                                            reinterpret_cast<uint64_t>(from), bytes);
}

void CheckedLaunch::recordUndefinedUse(const BlockContext &context, uint32_t site,
                                       uint64_t definedness) {
  if (!definedness)
    return;
  std::lock_guard lock(mutex_);
  UndefinedUse use{.load = enterBlockAndGetDefinedness(context).loadOf(definedness),
                   .stamp = enterBlockAndMakeStamp(context)};
  use.stamp.site = site;
  (use.load.isGlobal ? globalUses_ : otherUses_).add(use);
}

void CheckedLaunch::reportUndefinedUses(UndefinedUses &uses) {
  for (const UndefinedUse &use : uses.takeReports()) {
    const simt::SiteInfo &at = (*sites_)[use.stamp.site], &loaded = (*sites_)[use.load.site];
    bool isAtomic = loaded.kind == "atomic";
    bool isLocal = !use.load.isShared && !use.load.isGlobal;
    Current current{.access = {.kind = isAtomic ? AccessKind::Atomic : AccessKind::Read,
                               .isLocal = isLocal,
                               .memory = isLocal ? AccessMemory::Local : AccessMemory::Device},
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
    addFinding(std::move(finding), use.stamp.site, use.load.site);
  }
}

} // namespace heddle::cpu
