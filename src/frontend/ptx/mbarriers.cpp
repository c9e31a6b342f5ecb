// Arrival counters in shared memory (PTX ISA 9.0, 9.7.13.15).
#include "frontend/ptx/mbarriers.h"

#include "frontend/ptx/memory.h"
#include "simt/check/memory_accesses.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

/// The fields of an mbarrier, all i64. An mbarrier is a word of 64 bits, from low to high: the pending arrivals of the
/// phase, the arrivals of later phases, the bytes of pending transfers (signed), and the parity of the phase.
struct Fields {
  static constexpr unsigned countBits = 20, expectedAt = 20, bytesAt = 40, bytesBits = 23,
                            parityAt = 63;

  Fields(Step &s, Value *word)
      : pending(extractCount(s, word)), expected(extractCount(s, s.b.CreateLShr(word, expectedAt))),
        bytes(s.b.CreateAShr(s.b.CreateShl(word, 64 - bytesAt - bytesBits), 64 - bytesBits)),
        parity(s.b.CreateLShr(word, parityAt)) {}

  static Value *extractCount(Step &s, Value *bits) {
    return s.b.CreateAnd(bits, (uint64_t(1) << countBits) - 1);
  }

  /// The word of a phase that has just begun, with parity `parity`.
  static Value *packNewPhase(Step &s, Value *expected, Value *parity) {
    Value *counts = s.b.CreateOr(expected, s.b.CreateShl(expected, expectedAt));
    return s.b.CreateOr(counts, s.b.CreateShl(parity, parityAt));
  }

  /// The word of these fields, or of the next phase if this one is complete.
  Value *pack(Step &s) const {
    Value *nextParity = s.b.CreateXor(parity, s.b.getInt64(1));
    Value *complete = s.b.CreateICmpEQ(s.b.CreateOr(pending, bytes), s.b.getInt64(0));
    Value *counts = s.b.CreateOr(extractCount(s, pending), s.b.CreateShl(expected, expectedAt));
    Value *transfers =
        s.b.CreateLShr(s.b.CreateShl(bytes, 64 - bytesBits), 64 - bytesAt - bytesBits);
    Value *same = s.b.CreateOr(s.b.CreateOr(counts, transfers), s.b.CreateShl(parity, parityAt));
    return s.b.CreateSelect(complete, packNewPhase(s, expected, nextParity), same);
  }

  Value *pending, *expected, *bytes, *parity;
};

/// Changes of the fields, as i32. A null count is 0.
struct Change {
  Value *arrivals = nullptr; ///< that happen
  Value *dropped = nullptr;  ///< that later phases do not expect
  Value *bytes = nullptr;    ///< to transfer
};

Value *readBarrierAddress(Step &s, size_t n) {
  // Without a state space, the address is generic.
  bool isShared = any_of(s.statement.words, [](StringRef word) {
    return word.starts_with("shared") || word == "bulk" || word == "async";
  });
  return s.readAddress(n, isShared ? "shared" : "");
}

/// Changes the mbarrier and returns its old word.
Value *emitChange(Step &s, Value *barrier, const Change &change) {
  auto extend = [&](Value *v) { return s.b.CreateSExt(v, s.b.getInt64Ty()); };
  // The scope is the block: a cluster contains only this block.
  Value *old = emitAtomicUpdate(s, barrier, 64, simt::Scope::Block, [&](Value *word) {
    Fields fields(s, word);
    if (change.arrivals)
      fields.pending = s.b.CreateSub(fields.pending, extend(change.arrivals));
    if (change.dropped)
      fields.expected = s.b.CreateSub(fields.expected, extend(change.dropped));
    if (change.bytes)
      fields.bytes = s.b.CreateAdd(fields.bytes, extend(change.bytes));
    return fields.pack(s);
  });
  if (change.arrivals)
    s.emitTrapIf(s.b.CreateICmpUGT(extend(change.arrivals), Fields::extractCount(s, old)),
                 "more arrivals at an mbarrier than its phase expects");
  return old;
}

/// The ordering of an operation: release or acquire unless it is relaxed.
bool takeOrder(Step &s) {
  StringRef order = s.takeOneOf({"release", "acquire", "relaxed"});
  s.takeOneOf({"cta", "cluster"});
  s.takeOneOf({"shared", "shared::cta", "shared::cluster"});
  return order != "relaxed";
}

void emitFence(Step &s) { s.emitOperation(simt::Op::FenceBlock, {}); }

void translateInit(Step &s) {
  takeOrder(s);
  Value *count = s.b.CreateZExt(s.readInput(1, number32), s.b.getInt64Ty());
  uint64_t most = (uint64_t(1) << Fields::countBits) - 1;
  s.emitTrapIf(s.b.CreateICmpUGE(s.b.CreateSub(count, s.b.getInt64(1)), s.b.getInt64(most)),
               "the count of an mbarrier is from 1 to " + std::to_string(most));
  s.b.CreateAlignedStore(Fields::packNewPhase(s, count, s.b.getInt64(0)), readBarrierAddress(s, 0),
                         Align(8));
  emitFence(s);
}

/// Leaves an mbarrier that expects nothing, so that an arrival stops the kernel.
void translateInvalidation(Step &s) {
  takeOrder(s);
  s.b.CreateAlignedStore(s.b.getInt64(0), readBarrierAddress(s, 0), Align(8));
}

/// arrive and arrive_drop. The result, the word before the arrival, is the token of the phase.
void translateArrival(Step &s, bool drops) {
  bool expectsBytes = s.takeWord("expect_tx"), needsCount = s.takeWord("noComplete");
  bool isOrdered = takeOrder(s);
  if (s.count() < (expectsBytes || needsCount ? 3 : 2))
    s.refuse("an operand is missing");
  Change change;
  change.arrivals = s.count() > 2 && !expectsBytes ? s.readInput(2, number32) : s.b.getInt32(1);
  change.dropped = drops ? change.arrivals : nullptr;
  change.bytes = expectsBytes ? s.readInput(2, number32) : nullptr;
  Value *barrier = readBarrierAddress(s, 1);
  if (isOrdered)
    emitFence(s);
  s.writeResult(emitChange(s, barrier, change), word64);
}

void translateTransfer(Step &s, bool completes) {
  takeOrder(s);
  Value *bytes = s.readInput(1, number32);
  Change change;
  change.bytes = completes ? s.b.CreateNeg(bytes) : bytes;
  emitChange(s, readBarrierAddress(s, 0), change);
}

/// test_wait and try_wait, which need not wait: programs repeat them.
void translateTest(Step &s) {
  bool byParity = s.takeWord("parity");
  bool isOrdered = takeOrder(s);
  LoadInst *word = s.b.CreateAlignedLoad(s.b.getInt64Ty(), readBarrierAddress(s, 1), Align(8),
                                         /*isVolatile=*/true);
  simt::markAtomic(*word);
  if (isOrdered)
    emitFence(s);
  if (s.count() > 3)
    s.readInput(3, number32); // a time limit
  Value *waited = byParity
                      ? s.b.CreateShl(s.b.CreateZExt(s.readInput(2, number32), word->getType()),
                                      Fields::parityAt)
                      : s.readInput(2, word64);
  s.writePredicates(s.b.CreateICmpSLT(s.b.CreateXor(word, waited), s.b.getInt64(0)), nullptr);
}

void translatePendingCount(Step &s) {
  Value *count = Fields::extractCount(s, s.readInput(1, word64));
  s.writeResult(s.b.CreateTrunc(count, s.b.getInt32Ty()), number32);
}

void mbarrier(Step &s) {
  StringRef name = s.takeOneOf({"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait",
                                "pending_count", "expect_tx", "complete_tx"});
  if (s.takeType().bits() != 64)
    s.refuse("an mbarrier has the type .b64");
  if (name == "init")
    translateInit(s);
  else if (name == "inval")
    translateInvalidation(s);
  else if (name.starts_with("arrive"))
    translateArrival(s, name == "arrive_drop");
  else if (name.ends_with("_wait"))
    translateTest(s);
  else if (name == "pending_count")
    translatePendingCount(s);
  else if (name.ends_with("_tx"))
    translateTransfer(s, name == "complete_tx");
}

} // namespace

void emitTransferCompletion(Step &s, size_t n, Value *bytes) {
  Value *barrier = readBarrierAddress(s, n);
  emitFence(s);
  Change change;
  change.bytes = s.b.CreateNeg(bytes);
  emitChange(s, barrier, change);
}

void emitArrival(Step &s, size_t n) {
  Value *barrier = readBarrierAddress(s, n);
  emitFence(s);
  Change change;
  change.arrivals = s.b.getInt32(1);
  emitChange(s, barrier, change);
}

ArrayRef<Row> mbarrierInstructions() {
  static const Row rows[] = {
      {"mbarrier", 1, 4, mbarrier},
  };
  return rows;
}

} // namespace heddle::ptx
