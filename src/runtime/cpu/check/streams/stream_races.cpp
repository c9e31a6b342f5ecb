#include "runtime/cpu/check/streams/stream_races.h"

#include <array>
#include <map>
#include <utility>

namespace heddle::cpu {

namespace {

using simt::AccessKind;

/// An access of an operation to a location. stamp: null for a copy or fill.
struct LocatedAccess {
  AccessKind kind;
  const Stamp *stamp;

  bool isFlag() const { return stamp && stamp->isFlag; }
  bool isCasGuess() const { return stamp && stamp->isGuess; }
  bool holdsLock() const { return stamp && stamp->locks; }
  bool hasBlockScope() const { return stamp && stamp->scope == simt::Scope::Block; }
};

/// The last accesses of an operation to a location: at most one of each kind. A write comes first, because it conflicts
/// with all others.
class LocatedAccesses {
public:
  explicit LocatedAccesses(const AccessedRange &range) {
    if (range.isWritten)
      add(AccessKind::Write, nullptr);
    else if (range.isRead)
      add(AccessKind::Read, nullptr);
  }
  explicit LocatedAccesses(const Cell &cell) {
    if (cell.write.exists())
      add(AccessKind::Write, &cell.write);
    if (const Stamp *read = cell.reads ? firstOf(*cell.reads) : &cell.read; read && read->exists())
      add(AccessKind::Read, read);
    if (const Stamp *atomic = cell.atomics ? firstOf(*cell.atomics) : nullptr)
      add(AccessKind::Atomic, atomic);
  }
  const LocatedAccess *begin() const { return accesses_.data(); }
  const LocatedAccess *end() const { return accesses_.data() + count_; }

private:
  static const Stamp *firstOf(const AccessSet &set) {
    const Stamp *first = nullptr;
    set.forEach([&](const Stamp &access) { first = first ? first : &access; });
    return first;
  }
  void add(AccessKind kind, const Stamp *stamp) { accesses_[count_++] = {kind, stamp}; }

  std::array<LocatedAccess, 3> accesses_{};
  size_t count_ = 0;
};

bool areRacing(const LocatedAccess &a, const LocatedAccess &b) {
  if (a.kind == AccessKind::Read && b.kind == AccessKind::Read)
    return false;
  if (a.kind == AccessKind::Atomic && b.kind == AccessKind::Atomic)
    return a.hasBlockScope() || b.hasBlockScope();
  return !a.isCasGuess() && !b.isCasGuess() && !(a.isFlag() && b.isFlag()) &&
         !(a.holdsLock() && b.holdsLock());
}

/// An operation whose accesses are known.
class ComparedOperation {
public:
  ComparedOperation(const OperationAccesses &operation, BlockRunner *runner)
      : operation_(operation),
        accesses_(operation.launch && runner ? operation.launch->getOrReplayAccesses(*runner)
                                             : nullptr) {}

  bool isLaunch() const { return operation_.launch != nullptr; }
  bool hasKnownAccesses() const { return !isLaunch() || accesses_; }
  bool hasFence() const { return accesses_ && accesses_->hasFence; }
  uint32_t siteOf(const LocatedAccess &access) const {
    return access.stamp ? access.stamp->site : 0;
  }

  /// Calls `visit(address, bytes, accesses)` for the accessed locations of a range.
  template <class Visit> void forEachLocation(const AccessedRange &range, Visit visit) const {
    if (!isLaunch())
      visit(range.low, range.high - range.low, LocatedAccesses(range));
    else
      accesses_->memory.forEachAccessed(range.low, range.high,
                                        [&](uint64_t address, uint64_t bytes, const Cell &cell) {
                                          visit(address, bytes, LocatedAccesses(cell));
                                        });
  }

  FoundAccess describeAccess(const LocatedAccess &access) const {
    FoundAccess found{.op = toFoundOp(access.kind), .at = {}, .operation = describeOperation()};
    const StreamOperation &operation = operation_.operation;
    if (!access.stamp) {
      found.at.file = operation.note->file;
      found.at.line = operation.note->line;
      return found;
    }
    const LaunchShape &shape = operation_.launch->launch().shape;
    found.at = (*accesses_->sites)[access.stamp->site];
    found.thread = unravel(access.stamp->thread, shape.block);
    found.block = unravel(access.stamp->block, shape.grid);
    return found;
  }

  /// Names the array and the element, if the operation is a launch that knows them, and the launch.
  void addArrayAndLaunchTo(Finding &finding, const LocatedAccess &access, uint64_t address) const {
    if (!isLaunch())
      return;
    const ComparedLaunch &launch = operation_.launch->launch();
    finding.array = (*accesses_->sites)[access.stamp->site].message;
    finding.element = operation_.operation.note->findElementIndex(address);
    finding.kernel = launch.kernel->name();
    finding.program = operation_.operation.note->program;
    finding.grid = toIndex(launch.shape.grid);
    finding.block = toIndex(launch.shape.block);
    finding.launchFile = operation_.operation.note->file;
    finding.launchLine = operation_.operation.note->line;
  }

private:
  FoundOperation describeOperation() const {
    using Kind = FoundOperation::Kind;
    const StreamOperation &operation = operation_.operation;
    FoundOperation found{.kind = operation_.kind == OperationAccesses::Kind::Launch ? Kind::Launch
                                 : operation_.kind == OperationAccesses::Kind::Copy ? Kind::Copy
                                                                                    : Kind::Fill,
                         .stream = operation.streamName,
                         .kernel = {},
                         .program = operation.note->program,
                         .file = operation.note->file,
                         .line = operation.note->line};
    if (isLaunch()) {
      const ComparedLaunch &launch = operation_.launch->launch();
      found.kernel = launch.kernel->name();
      found.grid = toIndex(launch.shape.grid);
      found.block = toIndex(launch.shape.block);
    }
    return found;
  }

  const OperationAccesses &operation_;
  const RecordedAccesses *const accesses_;
};

/// Compares the accesses of two operations location by location.
class Comparison {
public:
  Comparison(const ComparedOperation &first, const ComparedOperation &second)
      : first_(first), second_(second) {}

  void compareCommonMemory(const CommonMemory &memory) {
    first_.forEachLocation(memory.first, [&](uint64_t low, uint64_t bytes,
                                             const LocatedAccesses &mine) {
      AccessedRange part = memory.second;
      part.low = std::max(part.low, low);
      part.high = std::min(part.high, low + bytes);
      second_.forEachLocation(part, [&](uint64_t address, uint64_t, const LocatedAccesses &theirs) {
        compareLocation(mine, theirs, std::max(address, part.low));
      });
    });
  }

  /// The races found. None if the operations may order their accesses themselves, by flags, or by fences and atomics.
  std::vector<Finding> takeFindings() {
    return doSynchronize_ ? std::vector<Finding>() : std::move(findings_);
  }

private:
  void compareLocation(const LocatedAccesses &mine, const LocatedAccesses &theirs,
                       uint64_t address) {
    const LocatedAccess *first = nullptr, *second = nullptr;
    for (const LocatedAccess &one : mine)
      for (const LocatedAccess &other : theirs) {
        recordPossibleSynchronization(one, other);
        if (!first && areRacing(one, other)) {
          first = &one;
          second = &other;
        }
      }
    if (first)
      addRace(*first, *second, address);
  }

  void recordPossibleSynchronization(const LocatedAccess &one, const LocatedAccess &other) {
    auto isSignal = [](const LocatedAccess &access) {
      return access.isFlag() || access.kind == AccessKind::Atomic;
    };
    bool polls = (one.isFlag() && other.kind != AccessKind::Read) ||
                 (other.isFlag() && one.kind != AccessKind::Read);
    bool hasFence = first_.hasFence() || second_.hasFence();
    doSynchronize_ |= polls || (hasFence && isSignal(one) && isSignal(other));
  }

  void addRace(const LocatedAccess &first, const LocatedAccess &second, uint64_t address) {
    auto pair =
        std::pair(first.stamp ? *first.stamp : Stamp(), second.stamp ? *second.stamp : Stamp());
    auto [known, isNew] = known_.try_emplace(
        std::tuple(first_.siteOf(first), second_.siteOf(second), first.kind, second.kind),
        findings_.size());
    if (isNew) {
      findings_.push_back(makeRaceFinding(first, second, address));
    } else if (!pair.first.isSameThread(last_.first) || !pair.second.isSameThread(last_.second)) {
      ++findings_[known->second].count;
    }
    last_ = pair;
  }

  Finding makeRaceFinding(const LocatedAccess &first, const LocatedAccess &second,
                          uint64_t address) const {
    Finding finding{.kind = FindingKind::Race, .space = FindingSpace::Global};
    finding.cause = RaceCause::Streams;
    finding.accesses = {first_.describeAccess(first), second_.describeAccess(second)};
    first_.addArrayAndLaunchTo(finding, first, address);
    second_.addArrayAndLaunchTo(finding, second, address);
    return finding;
  }

  const ComparedOperation &first_, &second_;
  bool doSynchronize_ = false;
  std::pair<Stamp, Stamp> last_;
  std::map<std::tuple<uint32_t, uint32_t, AccessKind, AccessKind>, size_t> known_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> findStreamRaces(const OperationAccesses &first,
                                     const OperationAccesses &second,
                                     std::span<const CommonMemory> memory, BlockRunner *runner) {
  ComparedOperation one(first, runner), other(second, runner);
  if (!one.hasKnownAccesses() || !other.hasKnownAccesses())
    return {};
  Comparison comparison(one, other);
  for (const CommonMemory &common : memory)
    comparison.compareCommonMemory(common);
  return comparison.takeFindings();
}

} // namespace heddle::cpu
