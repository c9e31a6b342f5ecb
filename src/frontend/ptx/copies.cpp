// Asynchronous copies (PTX ISA 9.0, 9.7.9.25), which are performed immediately.
#include "frontend/ptx/mbarriers.h"
#include "frontend/ptx/memory.h"
#include "simt/check/checked_access.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

/// Tells `heddle check` that a thread makes a group of its copies, or waits for all groups but the last `newest`.
void emitCheckSync(Step &s, simt::SyncKind kind, uint64_t newest = 0) {
  s.emitOperation(simt::Op::CheckSync,
                  {s.b.getInt32(uint32_t(kind)), s.b.getInt32(uint32_t(newest))});
}

void emitWaitForAllCopies(Step &s) {
  emitCheckSync(s, simt::SyncKind::CommitCopies);
  emitCheckSync(s, simt::SyncKind::WaitForCopies);
}

/// Marks the writes of an asynchronous copy.
void markCopyInFlight(Step &s, Instruction &write) {
  write.setMetadata(simt::copyInFlight, MDNode::get(s.b.getContext(), {}));
}

/// Makes an mbarrier wait for the copies of the thread. Without .noinc it expects one more arrival, which happens
/// immediately.
void translateArrivalOfCopies(Step &s) {
  bool isExpected = s.takeWord("noinc");
  s.takeOneOf({"shared", "shared::cta"});
  if (!s.takeWord("arrive") || s.takeType().bits() != 64 || s.count() != 1)
    s.refuse("the instruction is cp.async.mbarrier.arrive.b64 [mbarrier]");
  emitWaitForAllCopies(s);
  if (isExpected)
    emitArrival(s, 0);
}

void translateSmallCopy(Step &s) {
  s.takeOneOf({"ca", "cg"});
  size_t operands = s.count() - (s.takeWord("L2::cache_hint") ? 1 : 0);
  if (s.takeOneOf({"shared", "shared::cta"}).empty() || !s.takeWord("global") || operands < 3)
    s.refuse("cp.async copies from global to shared memory");
  s.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  uint64_t bytes = s.readConstant(2);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    s.refuse("cp.async copies 4, 8 or 16 bytes");
  Value *to = s.readAddress(0, "shared"), *from = s.readAddress(1, "global");
  Align align(4);
  if (operands == 3) {
    markCopyInFlight(s, *s.b.CreateMemCpy(to, align, from, align, bytes));
    return;
  }
  Value *given = s.readInput(3, number32);
  for (uint64_t at = 0; at < bytes; at += 4) { // words beyond the given bytes are zero
    Type *word = s.b.getInt32Ty();
    Value *reads = s.b.CreateICmpUGT(given, s.b.getInt32(unsigned(at)));
    Value *zero = s.frame.makeStackSlot(word);
    Value *source =
        s.b.CreateSelect(reads, s.b.CreateConstGEP1_64(s.b.getInt8Ty(), from, at), zero);
    markCopyInFlight(s, *s.b.CreateAlignedStore(s.b.CreateAlignedLoad(word, source, align),
                                                s.b.CreateConstGEP1_64(s.b.getInt8Ty(), to, at),
                                                align));
  }
}

constexpr uint64_t bulkAlign = 16;

/// A copy of a block of memory, with the addresses in operands 0 and 1 and the bytes in operand 2.
struct BulkCopy {
  Value *to, *from, *bytes;
  bool signalsBarrier; ///< the mbarrier in operand 3
};

/// Reads the state spaces and operands. The completion mechanism implies the direction.
BulkCopy takeBulkCopy(Step &s) {
  bool signals = s.takeWord("mbarrier::complete_tx::bytes");
  bool fromGlobal = s.takeWord("global") && signals;
  bool toCluster = s.takeWord("shared::cluster"), ofBlock = s.takeWord("shared::cta");
  if ((!signals && !s.takeWord("bulk_group")) || (signals && !fromGlobal && !toCluster) ||
      (!toCluster && !ofBlock))
    s.refuse("a bulk copy has two state spaces and a completion mechanism");
  size_t operands = signals ? 4 : 3;
  operands += s.takeWord("multicast::cluster"); // a mask of blocks, of which there is one
  operands += s.takeWord("L2::cache_hint");
  if (StringRef word = s.findUnsupportedModifier(); word == "cp_mask" || word == "ignore_oob")
    s.refuse("'." + word.str() + "' is supported only on GPUs");
  if (s.count() != operands)
    s.refuse("the instruction does not take " + std::to_string(s.count()) + " operands");
  BulkCopy copy{s.readAddress(0, signals ? "shared" : "global"),
                s.readAddress(1, fromGlobal ? "global" : "shared"), s.readInput(2, number32),
                signals};
  Value *all = s.b.CreateZExt(copy.bytes, s.b.getInt64Ty());
  for (Value *address : {copy.to, copy.from})
    all = s.b.CreateOr(all, s.b.CreatePtrToInt(address, s.b.getInt64Ty()));
  s.emitTrapIf(s.b.CreateICmpNE(s.b.CreateAnd(all, bulkAlign - 1), s.b.getInt64(0)),
               "the addresses and the size of a bulk copy must be multiples of 16 bytes");
  return copy;
}

void emitCompletion(Step &s, const BulkCopy &copy) {
  if (copy.signalsBarrier)
    emitTransferCompletion(s, 3, copy.bytes);
}

void translateBulkCopy(Step &s) {
  BulkCopy copy = takeBulkCopy(s);
  s.b.CreateMemCpy(copy.to, Align(bulkAlign), copy.from, Align(bulkAlign),
                   s.b.CreateZExt(copy.bytes, s.b.getInt64Ty()));
  emitCompletion(s, copy);
}

/// Applies an atomic operation to each element of the destination.
void translateBulkReduction(Step &s) {
  StringRef name = s.takeOneOf({"add", "min", "max", "and", "or", "xor", "inc", "dec"});
  s.takeWord("noftz");
  ScalarType type = s.takeType();
  BulkCopy copy = takeBulkCopy(s);
  BasicBlock *loop = s.frame.makeBlock("reduce"), *body = s.frame.makeBlock("element"),
             *done = s.frame.makeBlock("reduced");
  BasicBlock *before = s.b.GetInsertBlock();
  s.frame.branchToAndContinueAt(loop);
  PHINode *at = s.b.CreatePHI(s.b.getInt32Ty(), 2);
  at->addIncoming(s.b.getInt32(0), before);
  s.b.CreateCondBr(s.b.CreateICmpULT(at, copy.bytes), body, done);
  s.b.SetInsertPoint(body);
  auto element = [&](Value *pointer) {
    return s.b.CreateGEP(s.b.getInt8Ty(), pointer, s.b.CreateZExt(at, s.b.getInt64Ty()));
  };
  Value *value =
      s.b.CreateAlignedLoad(s.llvmType(type), element(copy.from), Align(type.bits() / 8));
  emitAtomicOperation(s, name, type, element(copy.to), {value}, simt::Scope::Device);
  at->addIncoming(s.b.CreateAdd(at, s.b.getInt32(type.bits() / 8)), s.b.GetInsertBlock());
  s.b.CreateBr(loop);
  s.b.SetInsertPoint(done);
  emitCompletion(s, copy);
}

/// A hint: no code.
void translateBulkPrefetch(Step &s) {
  s.takeWord("L2");
  s.takeWord("L2::cache_hint");
  if (!s.takeWord("global") || s.count() < 2)
    s.refuse("the instruction is cp.async.bulk.prefetch.L2.global [address], size");
  s.readAddress(0, "global");
  s.readInput(1, number32);
}

/// Groups of bulk copies have no effect, because the copies are complete.
void translateBulk(Step &s, bool reduces) {
  if (s.takeWord("tensor"))
    s.refuse("tensor maps are supported only on GPUs");
  if (s.takeWord("commit_group"))
    return;
  if (s.takeWord("wait_group")) {
    s.takeWord("read");
    s.readConstant(0);
    return;
  }
  if (s.takeWord("prefetch"))
    return translateBulkPrefetch(s);
  reduces ? translateBulkReduction(s) : translateBulkCopy(s);
}

void cp(Step &s) {
  bool reduces = s.takeWord("reduce");
  if (!s.takeWord("async"))
    s.refuse("the supported copies are cp.async and cp.reduce.async");
  if (s.takeWord("bulk"))
    return translateBulk(s, reduces);
  if (s.takeWord("mbarrier"))
    return translateArrivalOfCopies(s);
  if (s.takeWord("commit_group"))
    return emitCheckSync(s, simt::SyncKind::CommitCopies);
  if (s.takeWord("wait_group"))
    return emitCheckSync(s, simt::SyncKind::WaitForCopies, s.readConstant(0));
  if (s.takeWord("wait_all"))
    return emitWaitForAllCopies(s);
  translateSmallCopy(s);
}

} // namespace

ArrayRef<Row> copyInstructions() {
  static const Row rows[] = {
      {"cp", 0, 6, cp},
  };
  return rows;
}

} // namespace heddle::ptx
