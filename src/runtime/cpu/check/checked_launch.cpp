#include "runtime/cpu/check/checked_launch.h"

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/buffer.h"
#include "runtime/cpu/check/heap_blocks.h"
#include "runtime/cpu/code/module.h"
#include "runtime/cpu/trace/launch_trace.h"

#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <cstdio>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

/// As many buffers as a kernel usually reaches by pointers in memory.
constexpr size_t maxKnownBuffers = 8;

std::string describeUnmapped(uint64_t address) {
  char text[64];
  std::snprintf(text, sizeof text, "no memory is mapped at address %#llx",
                static_cast<unsigned long long>(address));
  return text;
}

/// The bytes of an access. A length that was negative in the program is a huge one.
AddressRange rangeOfAccess(uint64_t first, uint64_t bytes) {
  return {first, bytes > UINT64_MAX - first ? UINT64_MAX : first + bytes};
}

bool contains(AddressRange range, AddressRange part) {
  return range.first <= part.first && part.end <= range.end;
}

/// Describes an access outside a range; empty if it is inside. what: "the device array".
std::string describeIfNotIn(AddressRange range, AddressRange access, const std::string &what) {
  if (contains(range, access))
    return "";
  constexpr uint64_t largestScalar = 16; // more are copied
  uint64_t bytes = access.end - access.first;
  auto first = int64_t(access.first - range.first);
  std::string which = "byte " + std::to_string(first) + " is";
  if (bytes > uint64_t(INT64_MAX))
    which = "the bytes from " + std::to_string(first) + ", a huge or negative number of them, are";
  else if (bytes > largestScalar)
    which = "bytes " + std::to_string(first) + " to " + std::to_string(first + int64_t(bytes) - 1) +
            " are";
  return which + " out of bounds of " + what + ", which has " +
         std::to_string(range.end - range.first) + " bytes";
}

/// Returns false if an index error is about another object than that of an access in the same line.
bool mayBeAboutObjectOf(const simt::SiteInfo &error, const simt::SiteInfo &access) {
  return error.object.empty() || access.message.empty() || error.object == access.message;
}

bool haveSameSourcePosition(const simt::SiteInfo &a, const simt::SiteInfo &b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

} // namespace

void CheckedLaunch::begin(const KernelRun &run, const std::vector<simt::SiteInfo> &sites) {
  run_ = &run;
  sites_ = &sites;
  runsBlocksTogether_ = run.entry.waitsForBlocks();
  heapBytes_ = 0;
  heap_ = {};
  order_ = std::make_unique<HappensBefore>(uint32_t(run.shape.block.count()));
  global_ = {};
  hasFence_ = false;
  barriers_.clear();
  gridWaits_.clear();
  haveBlocksDiverged_ = false;
  loops_.clear();
  atomics_.clear();
  stuckSince_.reset();
  mapped_ = {};
  buffers_.clear();
  locks_ = {};
  copies_ = {};
  lockedPairs_.clear();
  shared_.clear();
  sharedOfBlock_ = nullptr;
  definedness_.begin(runsBlocksTogether_);
  globalUses_ = otherUses_ = {};
}

void CheckedLaunch::end() {
  if (run_->cancelled())
    reportLoopsWaitingAtInterrupt();
  reportUndefinedUses(otherUses_);
  reportUndefinedUses(globalUses_);
}

void CheckedLaunch::publishFindings() { addFindings(takeFindings()); }

RecordedAccesses CheckedLaunch::takeAccesses() {
  return {std::exchange(global_, {}), sites_, hasFence_};
}

uint32_t CheckedLaunch::linearBlockIndexOf(const BlockContext &c) const {
  return uint32_t((uint64_t(c.block[2]) * c.gridDim[1] + c.block[1]) * c.gridDim[0] + c.block[0]);
}

Stamp CheckedLaunch::enterBlockAndMakeStamp(const BlockContext &c) {
  Stamp stamp;
  stamp.block = linearBlockIndexOf(c);
  stamp.thread =
      uint16_t((c.thread[2] * c.blockDim[1] + c.thread[1]) * c.blockDim[0] + c.thread[0]);
  if (!runsBlocksTogether_) {
    order_->keepOnlyBlock(stamp.block);
    copies_.keepOnlyBlock(stamp.block);
  }
  return stamp;
}

bool CheckedLaunch::checkAccess(const BlockContext &context, uint32_t site, const void *address,
                                const void *base, uint64_t bytes, simt::CheckedAccess access,
                                uint64_t value) {
  std::lock_guard lock(mutex_);
  Current current{.access = access,
                  .stamp = enterBlockAndMakeStamp(context),
                  .address = reinterpret_cast<uint64_t>(address),
                  .base = reinterpret_cast<uint64_t>(base),
                  .bytes = bytes,
                  .value = value};
  auto shared = reinterpret_cast<uint64_t>(context.shared);
  current.isShared = current.address - shared < BlockRunner::sharedBytes;
  Stamp &stamp = current.stamp;
  HappensBefore::Thread &thread = order_->thread(stamp.block, stamp.thread);
  uint32_t reported = std::exchange(thread.reportedSite, ~0u);
  bool isInLine = reported != ~0u && (*sites_)[reported].line == (*sites_)[site].line;
  bool isOutside = isInLine && mayBeAboutObjectOf((*sites_)[reported], (*sites_)[site]);
  if (isInLine && !isOutside)
    thread.reportedSite = reported; // a copy's other access
  if (isOutside) {                  // the finding becomes that of this access
    Finding &found = *findReportedFinding(FindingKind::Bounds, reported, reported);
    found.accesses.front().op = toFoundOp(access.kind);
    current.isShared = current.base - shared < BlockRunner::sharedBytes; // wherever the index leads
    found.space = current.memoryKindForFinding();
  }
  stamp.epoch = thread.epoch;
  stamp.time = thread.time;
  stamp.locks = locks_.lockSetNumberOf(stamp.block, stamp.thread);
  stamp.site = site;
  stamp.scope = access.scope;
  stamp.isFlag = access.isFlag;
  stamp.isGuess = access.isGuess;
  stamp.isInFlight = access.isInFlight;
  if (current.address % access.alignment) {
    addInvalidAccess(FindingKind::Misaligned, current,
                     "its address must be a multiple of " + std::to_string(access.alignment) +
                         " bytes");
    return false;
  }
  if (isOutside)
    return false;
  if (bytes)
    if (std::string why = describeIfOutside(context, current); !why.empty()) {
      addInvalidAccess(FindingKind::Bounds, current, why);
      return false;
    }
  if (sample_ && !sampleAccessAndSaveMemory(current, shared))
    return false;
  if (trace_)
    trace_->addAccess(stamp.block, stamp.thread, site,
                      current.address - (current.isShared ? shared : 0), current.base, bytes,
                      access, current.isShared);
  if (isOnlySampled())
    return true;
  if (run_->entry.yields && bytes)
    addAccessToIteration(current);
  if (access.isHeapMark) {
    recordHeapAllocationOrFree(current);
  } else if (access.isHeap) {
    heapStart_ = current.base;
    heapBytes_ = value;
  }
  if (access.isLocal || !bytes)
    return true;
  if (isInHeap(current.address) && !isInHeapBlock(current.address))
    return true;
  if (trace_)
    return true;
  bool isAtomic = access.kind == AccessKind::Atomic; // a flag's scope is the system
  if (isAtomic || (access.isFlag && access.kind == AccessKind::Read))
    order_->acquire(stamp.block, stamp.thread, current.address, access.scope, access.isCas);
  shadowMemoryOf(current).forEach(current.address, bytes,
                                  [&](Cell &cell) { checkAndUpdateCell(cell, current); });
  if (access.isInFlight)
    copies_.start(stamp.block, stamp.thread, {current.address, bytes});
  if (isAtomic || (access.isFlag && access.kind == AccessKind::Write)) {
    order_->release(stamp.block, stamp.thread, current.address, access.scope);
    updateLocks(current);
  }
  return true;
}

bool CheckedLaunch::recordExecutedBlock(const BlockContext &context, uint32_t site) {
  if (!sample_ && !trace_)
    return true;
  std::lock_guard lock(mutex_);
  Stamp stamp = enterBlockAndMakeStamp(context);
  if (trace_) {
    trace_->addStep(stamp.block, stamp.thread, site);
    return true;
  }
  return sample_->addExecutedBlock(stamp.block, stamp.thread, site);
}

bool CheckedLaunch::sampleAccessAndSaveMemory(const Current &current, uint64_t sharedStart) {
  const Stamp &stamp = current.stamp;
  uint64_t start = current.isShared ? sharedStart : 0;
  if (!isInHeap(current.address)) // objects there are in any order
    sample_->addAccess(stamp.block, stamp.thread, stamp.site, current.address - start,
                       current.base - start, current.bytes, current.access, current.isShared);
  bool needsSave = isOnlySampled() && current.access.kind != AccessKind::Read && !current.isShared;
  return !needsSave || sample_->saveMemory(current.address, current.bytes);
}

void CheckedLaunch::recordHeapAllocationOrFree(const Current &current) {
  constexpr uint32_t taken = simt::CheckedAccess::heapBlockTaken;
  constexpr uint64_t headerBytes = simt::CheckedAccess::heapHeaderBytes;
  if ((current.value & taken) != taken) {
    HeapMemory freed = removeHeapBlock(current.address);
    Current freeing = current;
    freeing.access = {.kind = AccessKind::Write};
    freeing.address = freed.address;
    freeing.bytes = 0;
    freeing.isFree = true;
    heap_.forEachExisting(freed.address, freed.bytes, [&](Cell &cell) {
      checkAndUpdateCell(cell, freeing);
      cell = {};
    });
    return;
  }
  Finding leak = makeFinding(FindingKind::Leak);
  leak.space = FindingSpace::Global;
  leak.message = "no launch has freed this memory";
  leak.accesses.push_back(describeAccess(
      {FoundOp::Allocate, current.stamp.site, current.stamp.thread, current.stamp.block}));
  uint64_t bytes = (uint64_t(1) << (current.value & 0xffff)) - headerBytes;
  HeapMemory memory{current.address + headerBytes, bytes};
  heap_.forEachExisting(memory.address, memory.bytes, [](Cell &cell) { cell = {}; });
  addHeapBlock(current.base, current.address, memory, std::move(leak));
}

bool CheckedLaunch::isAccessibleMemory(const Current &current) {
  bool writes = current.access.kind != AccessKind::Read;
  std::vector<AddressRange> &ranges = mapped_[writes];
  AddressRange access = rangeOfAccess(current.address, current.bytes);
  if (std::ranges::any_of(ranges, [&](AddressRange r) { return contains(r, access); }))
    return true;
  std::optional<AddressRange> range = findMappedRange(access.first, writes);
  if (range)
    ranges.push_back(*range);
  return range && access.end <= range->end;
}

std::string CheckedLaunch::describeIfOutside(const BlockContext &context, const Current &current) {
  if (current.isShared)
    return describeIfOutsideShared(context, current);
  if (current.access.memory == simt::AccessMemory::Device)
    for (auto describe :
         {&CheckedLaunch::describeIfOutsideBuffer, &CheckedLaunch::describeIfOutsideHeapBlock,
          &CheckedLaunch::describeIfOutsideVariable})
      if (std::string why = (this->*describe)(current); !why.empty())
        return why;
  return isAccessibleMemory(current) ? "" : describeUnmapped(current.address);
}

std::string CheckedLaunch::describeIfOutsideShared(const BlockContext &context,
                                                   const Current &current) const {
  AddressRange access = rangeOfAccess(current.address, current.bytes);
  auto first = reinterpret_cast<uint64_t>(context.shared);
  AddressRange shared{first, first + sharedBytes()};
  return describeIfNotIn(shared, access, "the block's shared memory");
}

std::string CheckedLaunch::describeIfOutsideBuffer(const Current &current) {
  CpuAllocations *buffers = CpuAllocations::ofProcess();
  AddressRange access = rangeOfAccess(current.address, current.bytes),
               base{current.base, current.base};
  if (!buffers)
    return "";
  for (AddressRange known : buffers_)
    if (contains(known, base) && contains(known, access))
      return "";
  std::optional<CpuAllocations::Found> found = buffers->findNear(current.base);
  if (!found)
    found = buffers->findNear(current.address);
  if (!found)
    return "";
  if (found->isFreed)
    return "the array has been freed";
  if (std::string why = describeIfNotIn(found->bytes, access, "the device array"); !why.empty())
    return why;
  if (buffers_.size() == maxKnownBuffers)
    buffers_.erase(buffers_.begin());
  buffers_.push_back(found->bytes);
  return "";
}

std::string CheckedLaunch::describeIfOutsideVariable(const Current &current) {
  const auto *found =
      static_cast<const CpuKernel &>(run_->kernel).module().findVariableAt(current.base);
  if (!found)
    return "";
  AddressRange access = rangeOfAccess(current.address, current.bytes);
  auto first = reinterpret_cast<uint64_t>(found->second.address);
  AddressRange variable{first, first + found->second.bytes};
  return describeIfNotIn(variable, access, "the variable '" + llvm::demangle(found->first) + "'");
}

std::string CheckedLaunch::describeIfOutsideHeapBlock(const Current &current) {
  if (current.access.isHeap)
    return "";
  std::optional<FoundHeapBlock> block = findHeapBlock(current.base);
  if (!block)
    block = findHeapBlock(current.address);
  if (!block)
    return "";
  if (block->isFreed)
    return "the memory has been freed";
  AddressRange access = rangeOfAccess(current.address, current.bytes);
  AddressRange requested = rangeOfAccess(block->requested.address, block->requested.bytes);
  return describeIfNotIn(requested, access, "the memory from malloc");
}

void CheckedLaunch::recordSync(const BlockContext &context, simt::SyncKind kind, uint32_t operand) {
  std::lock_guard lock(mutex_);
  Stamp stamp = enterBlockAndMakeStamp(context);
  switch (kind) {
  case simt::SyncKind::Block:
    return order_->passBarrier(stamp.block, stamp.thread);
  case simt::SyncKind::Warp:
    return order_->passWarpBarrier(stamp.block, stamp.thread, operand);
  case simt::SyncKind::Grid:
    return order_->passGridBarrier(stamp.block, stamp.thread);
  case simt::SyncKind::Fence:
    hasFence_ = true;
    locks_.recordFence(stamp.block, stamp.thread, simt::Scope(operand));
    return order_->recordFence(stamp.block, stamp.thread, simt::Scope(operand));
  case simt::SyncKind::CommitCopies:
    return copies_.commit(stamp.block, stamp.thread);
  case simt::SyncKind::WaitForCopies:
    return markCopiesComplete(copies_.takeCompletedByWait(stamp.block, stamp.thread, operand),
                              stamp);
  case simt::SyncKind::Join:
    return barriersOf(stamp.block).passJoin(stamp.thread, simt::CheckedJoin::decode(operand));
  }
}

void CheckedLaunch::reportFailedCheck(const BlockContext &context, uint32_t site, int64_t index,
                                      int64_t extent) {
  std::lock_guard lock(mutex_);
  Current current{.stamp = enterBlockAndMakeStamp(context)};
  if ((*sites_)[site].kind == "ZeroDivisionError")
    return reportOrCountAgain(FindingKind::Division, (*sites_)[site].message,
                              {FoundOp::Divide, site, current.stamp.thread, current.stamp.block});
  uint32_t &reported = order_->thread(current.stamp.block, current.stamp.thread).reportedSite;
  if (reported != ~0u && haveSameSourcePosition((*sites_)[reported], (*sites_)[site]))
    return; // an earlier check of the access has failed
  reported = site;
  if (Finding *known = findReportedFinding(FindingKind::Bounds, site, site)) {
    ++known->count;
    return;
  }
  current.stamp.site = site;
  Finding finding = makeFinding(FindingKind::Bounds, current);
  finding.array.clear();
  finding.element.clear();
  finding.space = FindingSpace::None; // until the access follows
  finding.message = formatTrapMessage((*sites_)[site], index, extent, run_->arguments);
  addFinding(std::move(finding), site, site);
}

} // namespace heddle::cpu
