#include "simt/check/filter/written_bytes.h"

#include "simt/analysis/guards.h"
#include "simt/analysis/polynomial.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

#include <array>
#include <optional>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Larger variables are not looked at.
constexpr uint64_t maxBytes = 1 << 18;

using Thread = std::array<uint32_t, 3>;

/// The value of a polynomial for a thread of a block; nullopt if it depends on anything else.
std::optional<int64_t> evaluate(const Polynomial &number, const Thread &thread) {
  int64_t sum = 0;
  for (const auto &[monomial, factor] : number.terms()) {
    int64_t product = factor;
    for (const Value *v : monomial) {
      std::optional<Op> op = opOfLeaf(*v);
      unsigned axis = op ? unsigned(*op) - unsigned(Op::ThreadIdX) : 3;
      if (axis >= 3 || __builtin_mul_overflow(product, thread[axis], &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

/// An access of constant length.
struct Range {
  Polynomial offset;
  uint64_t bytes;
};

template <class Visit> void forEachThread(const LaunchFacts &facts, Visit visit) {
  Thread thread{};
  for (thread[2] = 0; thread[2] < facts.block[2]; ++thread[2])
    for (thread[1] = 0; thread[1] < facts.block[1]; ++thread[1])
      for (thread[0] = 0; thread[0] < facts.block[0]; ++thread[0])
        visit(thread);
}

/// Adds the bytes of a range for a thread; false if they are not known.
bool addBytes(const Range &range, const Thread &thread, BitVector &bytes) {
  std::optional<int64_t> first = evaluate(range.offset, thread);
  if (!first || *first < 0 || uint64_t(*first) + range.bytes > bytes.size())
    return false;
  bytes.set(unsigned(*first), unsigned(uint64_t(*first) + range.bytes));
  return true;
}

/// Returns true if branches before the instruction exclude the thread, by its indices.
bool isExcluded(const Thread &thread, ArrayRef<Comparison> comparisons) {
  return any_of(comparisons, [&](const Comparison &c) {
    const Value *v = c.left;
    while (isa<SExtInst, ZExtInst>(v))
      v = cast<CastInst>(v)->getOperand(0);
    std::optional<Op> op = calledOp(v);
    unsigned axis = op ? unsigned(*op) - unsigned(Op::ThreadIdX) : 3;
    const auto *value = dyn_cast<ConstantInt>(c.right);
    return axis < 3 && value && c.predicate == CmpInst::ICMP_EQ &&
           value->getValue() != thread[axis];
  });
}

/// Returns true if each thread reads only bytes that it writes.
bool readsOwnBytes(const Range &read, ArrayRef<Comparison> comparisons, ArrayRef<Range> writes,
                   const LaunchFacts &facts, unsigned size) {
  bool isOwn = true;
  forEachThread(facts, [&](const Thread &thread) {
    BitVector wanted(size), written(size);
    if (!isOwn || isExcluded(thread, comparisons))
      return;
    isOwn = addBytes(read, thread, wanted);
    for (const Range &write : writes)
      addBytes(write, thread, written);
    isOwn &= !wanted.test(written);
  });
  return isOwn;
}

} // namespace

bool isWhollyWritten(const Value &variable, uint64_t bytes, ArrayRef<MemoryAccess> accesses,
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
      mayBeOwn |= intervals.mayFollow(*access.by, *reader.by);
    }
  }
  BitVector written{unsigned(bytes)};
  forEachThread(facts, [&](const Thread &thread) {
    for (const Range &write : writes)
      addBytes(write, thread, written);
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
