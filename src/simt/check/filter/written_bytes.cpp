#include "simt/check/filter/written_bytes.h"

#include "simt/analysis/address_decoder.h"
#include "simt/analysis/guards.h"
#include "simt/analysis/polynomial.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Larger variables are not looked at.
constexpr uint64_t maxBytes = 1 << 18;

/// An access of constant length.
struct Range {
  Polynomial offset;
  uint64_t bytes;
};

/// Adds the bytes of a range for a thread; false if they are not known.
bool addBytesOfThread(const Range &range, const BlockThread &thread, BitVector &bytes) {
  std::optional<int64_t> first = evaluateForThread(range.offset, thread);
  if (!first || *first < 0 || uint64_t(*first) + range.bytes > bytes.size())
    return false;
  bytes.set(unsigned(*first), unsigned(uint64_t(*first) + range.bytes));
  return true;
}

/// Returns true if each thread reads only bytes that it writes.
bool readsOwnBytes(const Range &read, ArrayRef<Comparison> comparisons, ArrayRef<Range> writes,
                   const LaunchFacts &facts, unsigned size) {
  return !anyThreadOfBlockSatisfies(facts, [&](const BlockThread &thread) {
    if (isAnyComparisonFalseFor(comparisons, thread))
      return false;
    BitVector wanted(size), written(size);
    for (const Range &write : writes)
      addBytesOfThread(write, thread, written);
    return !addBytesOfThread(read, thread, wanted) || wanted.test(written);
  });
}

} // namespace

bool isWrittenBeforeRead(const Value &variable, uint64_t bytes, ArrayRef<MemoryAccess> accesses,
                         const MemoryAccess &reader, const LaunchFacts &facts,
                         const BarrierIntervals &intervals, ProofConditions &conditions) {
  if (!bytes || bytes > maxBytes)
    return false;
  SmallVector<Range> writes;
  bool mayBeOwn = false;
  PolynomialBuilder build(reader.by->getDataLayout(), View::Assuming, facts);
  for (const MemoryAccess &access : accesses) {
    const auto *length = dyn_cast<ConstantInt>(access.bytes);
    if (access.access.kind != AccessKind::Write || !length ||
        !intervals.isBefore(*access.by, *reader.by))
      continue;
    if (std::optional<Polynomial> offset = build.offsetOf(*access.address, variable)) {
      writes.push_back({std::move(*offset), length->getZExtValue()});
      mayBeOwn |= intervals.mayRunAfter(*access.by, *reader.by);
    }
  }
  BitVector written{unsigned(bytes)};
  anyThreadOfBlockSatisfies(facts, [&](const BlockThread &thread) {
    for (const Range &write : writes)
      addBytesOfThread(write, thread, written);
    return false;
  });
  if (!written.all())
    return false;
  if (mayBeOwn) {
    std::optional<Polynomial> offset = build.offsetOf(*reader.address, variable);
    const auto *length = dyn_cast<ConstantInt>(reader.bytes);
    if (!offset || !length ||
        !readsOwnBytes({*offset, length->getZExtValue()},
                       collectImpliedComparisons(*reader.by->getParent(), intervals.dominators()),
                       writes, facts, unsigned(bytes)))
      return false;
  }
  conditions.exact.insert_range(build.assumptions());
  return true;
}

} // namespace heddle::simt
