// A launch whose accesses are checked.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "runtime/cpu/check/copies/copies_in_flight.h"
#include "runtime/cpu/check/divergent_barriers.h"
#include "runtime/cpu/check/findings.h"
#include "runtime/cpu/check/happens_before.h"
#include "runtime/cpu/check/launch_note.h"
#include "runtime/cpu/check/lints/launch_sample.h"
#include "runtime/cpu/check/lock_sets.h"
#include "runtime/cpu/check/shadow_memory.h"
#include "runtime/cpu/check/undefined_uses.h"
#include "runtime/cpu/check/waiting_loops.h"
#include "runtime/cpu/check/warp_masks.h"
#include "runtime/device.h"
#include "simt/check/lints/static_lints.h"
#include "support/os/memory_map.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

namespace heddle::cpu {

class KernelRun;
class LaunchTrace;

/// The number of launches that have been checked in this process.
inline std::atomic<uint64_t> checkedLaunchCount{0};

/// Checks the accesses of a kernel's threads, in the order in which the threads run. Reports invalid accesses, races,
/// and uses of values from uninitialized memory (Definedness). Two accesses to a location race if at least one of them
/// writes, they are not both atomics whose scopes include both threads, and neither happened before the other
/// (HappensBefore).
class CheckedLaunch {
public:
  explicit CheckedLaunch(std::shared_ptr<const LaunchNote> note) : note_(std::move(note)) {}
  const LaunchNote &note() const { return *note_; }
  const std::shared_ptr<const LaunchNote> &sharedNote() const { return note_; }
  /// Requests lints for the launch. `lints`: the lints that were found without running it.
  void requestLints(std::vector<simt::StaticLint> lints) { lintRequest_ = std::move(lints); }
  /// Returns the lints passed to requestLints() and clears the request; nullopt if there is none.
  std::optional<std::vector<simt::StaticLint>> takeLintRequest() {
    return std::exchange(lintRequest_, std::nullopt);
  }
  /// Adds accesses and basic blocks to `sample` from now on; null stops this. A run only for the sample (Mode::Alone)
  /// finds nothing but invalid accesses.
  void sampleInto(LaunchSample *sample) { sample_ = sample; }
  /// Adds accesses and steps of the traced form to `trace`, and finds no races.
  void traceInto(std::shared_ptr<LaunchTrace> trace) { trace_ = std::move(trace); }
  LaunchTrace *trace() const { return trace_.get(); }
  /// Removes and returns the findings so far.
  std::vector<Finding> takeFindings() {
    known_.clear();
    return std::exchange(findings_, {});
  }
  /// isOnlyBusyStreamAndAwaited: returns true if the host waits for the launch, and no other work is left.
  void setAwaitCheck(std::function<bool()> isOnlyBusyStreamAndAwaited) {
    isAwaitedAlone_ = std::move(isOnlyBusyStreamAndAwaited);
  }
  /// Starts a run. Forgets the accesses of an earlier run of the same launch: a graph may run it repeatedly. sites:
  /// those of the kernel's exact form.
  void begin(const KernelRun &run, const std::vector<simt::SiteInfo> &sites);
  /// Ends a run: adds the findings that depend on the whole run. The KernelRun must still exist.
  void end();
  bool hasFindings() const { return !findings_.empty(); }
  /// Publishes the findings (findings.h).
  void publishFindings();
  /// Returns the accesses to global memory since begin(), and forgets them.
  RecordedAccesses takeAccesses();

  // The operations simt.check.*, for the context's thread and block. Thread-safe.
  bool checkAccess(const BlockContext &context, uint32_t site, const void *address,
                   const void *base, uint64_t bytes, simt::CheckedAccess access, uint64_t value);
  void recordSync(const BlockContext &context, simt::SyncKind kind, uint32_t operand);
  void reportFailedCheck(const BlockContext &context, uint32_t site, int64_t index, int64_t extent);
  void markUndefined(const BlockContext &context, const void *address, uint64_t bytes);
  uint64_t loadDefinedness(const BlockContext &context, uint32_t site, const void *address,
                           const void *base, uint64_t bytes);
  void storeDefinedness(const BlockContext &context, const void *address, uint64_t bytes,
                        uint64_t definedness);
  void copyDefinedness(const BlockContext &context, const void *to, const void *from,
                       uint64_t bytes);
  void recordUndefinedUse(const BlockContext &context, uint32_t site, uint64_t definedness);
  bool recordExecutedBlock(const BlockContext &context, uint32_t site);

  // Called when threads of the context's block wait for each other.
  /// Reports divergence at a barrier, and threads that wait forever at a named one. named: null if the block has reached
  /// none.
  BarrierRelease checkBarrierAndDecideRelease(const BlockContext &context,
                                              std::span<const Waiting> waiting,
                                              const NamedBarriers *named);
  /// Called when a named barrier is complete, before its threads continue.
  void passNamedBarrier(const BlockContext &context);
  /// Reports threads that wait in loops for threads that do the same, wait at barriers or have ended. Returns true if
  /// there are any: the block cannot continue.
  bool endIterationAndReportDeadlock(const BlockContext &context, std::span<const Waiting> waiting);
  /// Reports that the launch cannot continue, because its threads wait in loops or at grid barriers. `live` blocks have
  /// not ended, and no others will begin. Returns false if something else may still release the threads.
  bool reportIfBlocksDeadlocked(uint64_t live);
  /// Reports wrong masks of the warp operations that are about to complete.
  void checkMasksAtWarpOperations(const BlockContext &context, size_t warp, const Warp &lanes);
  /// Reports a warp operation that waits for lanes that cannot arrive. Returns one of the lanes that wait at it.
  unsigned reportMissingLanes(const BlockContext &context, size_t warp, const Warp &lanes);
  void reportLaneNotInMask(const BlockContext &context, size_t warp, const Warp &lanes,
                           unsigned lane);

  /// Called when all blocks that have not ended wait at grid barriers. Reports blocks that have ended or skipped the
  /// barrier.
  void checkBlocksMeetAtGridBarrier();

  /// Stores the kernel and the launch in a finding.
  void addLaunchToFinding(Finding &finding, const Kernel &kernel, const LaunchShape &shape) const;

private:
  /// The access being checked.
  struct Current {
    simt::CheckedAccess access;
    Stamp stamp;
    uint64_t address = 0, base = 0, bytes = 0, value = 0;
    bool isShared = false;
    bool isFree = false; ///< free() gives the memory back, which counts as a write

    FindingSpace memoryKindForFinding() const;
  };

  /// A thread at a site.
  struct Place {
    FoundOp op;
    uint32_t site, thread, block;
  };

  uint32_t linearBlockIndexOf(const BlockContext &context) const;
  /// Returns a stamp with the context's thread and block, but no time. Forgets blocks that have ended.
  Stamp enterBlockAndMakeStamp(const BlockContext &context);
  /// Records that malloc allocates a heap block, or that free frees it. Accesses race with free.
  void recordHeapAllocationOrFree(const Current &current);
  /// Reports an invalid access, or counts it if its site has been reported. message: for an address outside all memory.
  void addInvalidAccess(FindingKind kind, const Current &current, std::string message);
  bool isAccessibleMemory(const Current &current);
  /// Describes why an access is invalid: it leaves the memory that its base is in, or uses memory that has been freed.
  /// Empty if it is valid, or if nothing is known about the memory.
  std::string describeIfOutside(const BlockContext &context, const Current &current);
  std::string describeIfOutsideShared(const BlockContext &context, const Current &current) const;
  std::string describeIfOutsideBuffer(const Current &current);
  std::string describeIfOutsideHeapBlock(const Current &current);
  std::string describeIfOutsideVariable(const Current &current);
  /// The size of a block's shared memory: static, a gap for alignment, dynamic.
  uint64_t sharedBytes() const;
  bool isOnlySampled() const { return sample_ && sample_->mode() == LaunchSample::Mode::Alone; }
  /// Adds an access to the sample. Returns false if the access must be skipped.
  bool sampleAccessAndSaveMemory(const Current &current, uint64_t sharedStart);
  ShadowMemory &shadowMemoryOf(const Current &current);
  void checkAndUpdateCell(Cell &cell, const Current &current);
  void recordIfRace(const Stamp &earlier, simt::AccessKind kind, const Current &current);
  /// Reports a race.
  void addRace(RaceCause cause, const Stamp &earlier, simt::AccessKind kind,
               const Current &current);
  /// Updates the locks after an atomic or a store to a flag.
  void updateLocks(const Current &current);
  RaceCause causeOfRace(const Stamp &earlier, simt::AccessKind kind, const Current &current);
  void reportUndefinedUses(UndefinedUses &uses);
  /// Returns definedness_, after it has entered the context's block.
  Definedness &enterBlockAndGetDefinedness(const BlockContext &context);
  bool isInHeap(uint64_t address) const { return address - heapStart_ < heapBytes_; }
  RaceCause causeIfUnordered(const Stamp &earlier, simt::AccessKind kind, const Current &current,
                             bool underLock) const;
  /// Sets the time of the writes of these copies to the time at which the thread waited for them.
  void markCopiesComplete(const std::vector<CopyInFlight> &copies, const Stamp &now);
  /// Identifies the lock at the accessed address. In shared memory, each block has a different lock.
  static uint64_t makeLockKey(const Current &current);
  bool storesSameValue(const Current &current) const;
  DivergentBarriers &barriersOf(uint32_t block);
  WaitingLoops &waitingLoopsOf(uint32_t block);
  /// Records what a thread that may wait in a loop accesses.
  void addAccessToIteration(const Current &current);
  /// True if the threads of a block wait in loops for global memory that the host may write.
  bool mayWaitForHost(const WaitingLoops &loops);
  /// Reports where the threads wait if an interrupt has ended the launch while all of them did.
  void reportLoopsWaitingAtInterrupt();
  /// Reports a block whose threads wait in loops, and another place at which threads of these blocks wait. why: the
  /// reason, such as "deadlock". others: the threads that cannot release them, such as "the block".
  void reportWaitingThreads(uint32_t block, std::span<const uint32_t> blocks,
                            const std::string &why, const std::string &others);
  /// Reports a finding that is not about memory, or counts it if it has been reported before.
  void reportOrCountAgain(FindingKind kind, std::string message, Place place,
                          std::optional<Place> other = {});
  void reportWrongMask(uint32_t block, size_t warp, const Warp &lanes, WrongMask wrong);
  Finding makeFinding(FindingKind kind) const;
  Finding makeFinding(FindingKind kind, const Current &current) const;
  FoundAccess describeAccess(const Stamp &access, simt::AccessKind kind) const;
  FoundAccess describeAccess(Place place) const;
  std::string lineAt(uint32_t site) const { return "line " + std::to_string((*sites_)[site].line); }
  void addElementToFinding(Finding &finding, const Current &current) const;
  /// The finding of this kind that has been reported at the two sites, in either order; null if there is none.
  Finding *findReportedFinding(FindingKind kind, uint32_t site, uint32_t other);
  void addFinding(Finding finding, uint32_t site, uint32_t other);

  const std::shared_ptr<const LaunchNote> note_;
  std::optional<std::vector<simt::StaticLint>> lintRequest_;
  LaunchSample *sample_ = nullptr;
  std::shared_ptr<LaunchTrace> trace_;
  const std::vector<simt::SiteInfo> *sites_ = nullptr;
  std::mutex mutex_;
  const KernelRun *run_ = nullptr;
  bool runsBlocksTogether_ = false;
  std::unique_ptr<HappensBefore> order_;
  /// The heap of malloc, once the launch has used it.
  uint64_t heapStart_ = 0, heapBytes_ = 0;
  ShadowMemory
      heap_; ///< of its blocks: apart, because other streams use the same memory for other blocks
  std::array<std::vector<AddressRange>, 2> mapped_; ///< ranges found so far, readable and writable
  std::vector<AddressRange> buffers_;               ///< live buffers found so far
  ShadowMemory global_;
  bool hasFence_ = false;
  std::unordered_map<uint32_t, ShadowMemory> shared_; ///< by block
  LockSets locks_;
  CopiesInFlight copies_;
  /// Conflicting accesses under the same lock. The thread of the later one must execute a fence before it releases the
  /// lock, else they would race in the opposite order.
  struct LockedPair {
    Stamp earlier;
    simt::AccessKind kind;
    Current later;
    RaceCause cause;
  };
  std::unordered_map<uint64_t, std::vector<LockedPair>> lockedPairs_; ///< by lock
  ShadowMemory *sharedOfBlock_ = nullptr; ///< in shared_, of sharedBlock_
  uint32_t sharedBlock_ = 0;
  std::unordered_map<uint32_t, DivergentBarriers> barriers_; ///< by block
  std::map<uint32_t, Waiting> gridWaits_; ///< the first thread of each block at a grid barrier
  bool haveBlocksDiverged_ = false;       ///< blocks have passed different numbers of grid barriers
  std::map<uint32_t, WaitingLoops> loops_; ///< by block
  /// The memory of atomics in kernels whose threads wait in loops, by address.
  struct AtomicMemory {
    uint64_t first; ///< the value that the first atomic has found
    bool hasChanged = false;
  };
  std::unordered_map<uint64_t, AtomicMemory> atomics_;
  std::function<bool()> isAwaitedAlone_;
  std::optional<std::chrono::steady_clock::time_point> stuckSince_; ///< all threads wait
  Definedness definedness_;
  UndefinedUses globalUses_, otherUses_;
  std::vector<Finding> findings_;
  /// Maps (kind, lower site, higher site) to an index in findings_.
  std::map<std::tuple<FindingKind, uint32_t, uint32_t>, size_t> known_;
};

} // namespace heddle::cpu
