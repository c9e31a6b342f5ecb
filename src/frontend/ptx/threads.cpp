// Barriers, warp operations, thread exit, and the registers that identify a thread (PTX ISA 9.0, 9.7.12, 9.7.13 and
// chapter 10).
#include "frontend/ptx/step.h"

#include "simt/ir/sites.h"
#include "simt/ir/thread_indices.h"

#include "llvm/ADT/StringSwitch.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

/// Adds the site of a block barrier. Barriers with the same operation and number synchronize with each other.
Value *makeBlockBarrierSite(Step &s, simt::Op op, uint64_t number) {
  return s.makeSite("barrier", simt::makeBarrierMessage(simt::info(op).name, number));
}

/// The operands of bar and barrier. Without a number of threads, `threads` is 0: all threads of the block.
struct BarrierOperands {
  Value *number, *threads;

  bool isForBlock() const {
    auto *known = dyn_cast<ConstantInt>(threads);
    return known && known->isZero();
  }
  /// The number, if it is known and the barrier is for all threads of the block.
  std::optional<uint64_t> numberOfBlockBarrier() const {
    auto *known = dyn_cast<ConstantInt>(number);
    return known && isForBlock() ? std::optional(known->getZExtValue()) : std::nullopt;
  }
};

/// Reads the operands from `first` on, of which there are one or two.
BarrierOperands readBarrierOperands(Step &s, size_t first, bool hasThreads) {
  BarrierOperands read{s.readInput(first, number32),
                       hasThreads ? s.readInput(first + 1, number32) : s.b.getInt32(0)};
  auto *number = dyn_cast<ConstantInt>(read.number);
  if (number && number->getZExtValue() >= simt::namedBarriers)
    s.refuse("a block has barriers 0 to " + std::to_string(simt::namedBarriers - 1));
  auto *threads = dyn_cast<ConstantInt>(read.threads);
  if (threads && threads->getZExtValue() % 32)
    s.refuse("the number of threads is not a multiple of 32");
  return read;
}

Value *emitNamedBarrier(Step &s, simt::Op op, const BarrierOperands &of,
                        Value *predicate = nullptr) {
  SmallVector<Value *, 4> operands{s.makeBarrierSite(op), of.number, of.threads};
  if (predicate)
    operands.push_back(predicate);
  return s.emitOperation(op, operands);
}

void translateWarpBarrier(Step &s) {
  s.emitOperation(simt::Op::WarpBarrier,
                  {s.makeBarrierSite(simt::Op::WarpBarrier), s.readInput(0, number32)});
}

/// A reduction over all threads of the block.
Value *emitBlockReduction(Step &s, StringRef kind, uint64_t number, Value *isTrue) {
  simt::Op op = kind == "popc"  ? simt::Op::BarrierCount
                : kind == "and" ? simt::Op::BarrierAnd
                                : simt::Op::BarrierOr;
  return s.emitOperation(op, {makeBlockBarrierSite(s, op, number), isTrue});
}

/// A reduction over the threads that arrive at a named barrier. "and" and "or" also count.
Value *emitNamedReduction(Step &s, StringRef kind, const BarrierOperands &of, Value *isTrue) {
  bool isAnd = kind == "and";
  Value *count =
      emitNamedBarrier(s, simt::Op::NamedBarrierCount, of, isAnd ? s.b.CreateNot(isTrue) : isTrue);
  return isAnd ? s.b.CreateIsNull(count) : count;
}

void translateBarrierReduction(Step &s) {
  StringRef kind = s.takeOneOf({"popc", "and", "or"});
  ScalarType type = s.takeType();
  if (kind.empty() || s.count() < 3)
    s.refuse("a reduction needs .popc, .and or .or, and a predicate");
  BarrierOperands of = readBarrierOperands(s, 1, s.count() == 4);
  Value *isTrue = s.readPredicate(s.operand(s.count() - 1));
  std::optional<uint64_t> number = of.numberOfBlockBarrier();
  Value *result = number ? emitBlockReduction(s, kind, *number, isTrue)
                         : emitNamedReduction(s, kind, of, isTrue);
  if (kind == "popc")
    return s.writeResult(result, type);
  s.writePredicates(s.b.CreateIsNotNull(result), nullptr);
}

void translateArrival(Step &s) {
  if (s.count() != 2)
    s.refuse("an arrival needs the number of threads");
  BarrierOperands of = readBarrierOperands(s, 0, true);
  if (of.isForBlock())
    s.refuse("an arrival needs a number of threads that is not 0");
  emitNamedBarrier(s, simt::Op::NamedBarrierArrive, of);
}

/// A barrier of the block's cluster, which contains only this block. As in cooperative groups, a thread arrives when it
/// waits.
void translateClusterBarrier(Step &s) {
  bool waits = s.takeWord("wait");
  if (!waits && !s.takeWord("arrive"))
    s.refuse("a barrier of a cluster is .arrive or .wait");
  s.takeOneOf({"release", "relaxed", "acquire"});
  if (waits)
    s.emitOperation(
        simt::Op::Barrier,
        {s.makeSite("barrier", simt::info(simt::Op::Barrier).name.str() + " of the cluster")});
}

/// bar and barrier. A barrier with a number of threads, or with a number that is known only at run time, is a named
/// one; the others wait for the block.
void bar(Step &s) {
  bool ofWarp = s.takeWord("warp");
  s.takeWord("cta");
  s.takeWord("aligned");
  if (s.takeWord("cluster"))
    return translateClusterBarrier(s);
  if (s.takeWord("red"))
    return translateBarrierReduction(s);
  if (s.takeWord("arrive"))
    return translateArrival(s);
  if (!s.takeWord("sync") || s.count() < 1 || s.count() > 2)
    s.refuse("the supported barriers are .sync, .arrive and .red");
  if (ofWarp)
    return translateWarpBarrier(s);
  BarrierOperands of = readBarrierOperands(s, 0, s.count() == 2);
  if (std::optional<uint64_t> number = of.numberOfBlockBarrier())
    s.emitOperation(simt::Op::Barrier, {makeBlockBarrierSite(s, simt::Op::Barrier, *number)});
  else
    emitNamedBarrier(s, simt::Op::NamedBarrier, of);
}

/// The source lane for each lane, computed as in PTX from the lane or distance and the limits. The flag is true if it
/// is inside the lane's segment of the warp.
std::pair<Value *, Value *> emitSourceLane(Step &s, StringRef mode, Value *distance,
                                           Value *limits) {
  Value *lane = s.emitOperation(simt::Op::LaneId, {});
  Value *segments = s.b.CreateAnd(s.b.CreateLShr(limits, 8), 31),
        *clamp = s.b.CreateAnd(limits, 31);
  Value *first = s.b.CreateAnd(lane, segments), *within = s.b.CreateNot(segments);
  Value *last = s.b.CreateOr(first, s.b.CreateAnd(clamp, within));
  Value *by = s.b.CreateAnd(distance, 31);
  Value *from = mode == "up"     ? s.b.CreateSub(lane, by)
                : mode == "down" ? s.b.CreateAdd(lane, by)
                : mode == "bfly" ? s.b.CreateXor(lane, by)
                                 : s.b.CreateOr(first, s.b.CreateAnd(by, within));
  Value *valid = mode == "up" ? s.b.CreateICmpSGE(from, last) : s.b.CreateICmpSLE(from, last);
  return {s.b.CreateSelect(valid, from, lane), valid};
}

void shfl(Step &s) {
  s.requireSync();
  StringRef mode = s.takeOneOf({"up", "down", "bfly", "idx"});
  if (mode.empty() || s.takeType().bits() != 32)
    s.refuse("a shuffle needs .up, .down, .bfly or .idx, and .b32");
  const Operand &to = s.operand(0);
  auto [lane, valid] = emitSourceLane(s, mode, s.readInput(2, number32), s.readInput(3, number32));
  simt::Op op = simt::Op::ShuffleIndex;
  Value *result = s.emitOperation(op, {s.makeBarrierSite(op), s.readInput(4, number32),
                                       s.readInput(1, word32), lane, s.b.getInt32(32)});
  bool isPair = to.form == Operand::Pair;
  s.write(isPair ? to.parts[0] : to, result, word32, false);
  if (isPair)
    s.write(to.parts[1], valid, {ScalarType::Predicate, 1}, false);
}

void vote(Step &s) {
  s.requireSync();
  StringRef mode = s.takeOneOf({"all", "any", "uni", "ballot"});
  ScalarType type = s.takeType();
  simt::Op op = mode == "all"   ? simt::Op::WarpAll
                : mode == "any" ? simt::Op::WarpAny
                : mode == "uni" ? simt::Op::WarpEqual
                                : simt::Op::WarpBallot;
  if (mode.empty() || (mode == "ballot") != (type.kind != ScalarType::Predicate))
    s.refuse("a vote needs .all.pred, .any.pred, .uni.pred or .ballot.b32");
  Value *result = s.emitOperation(
      op, {s.makeBarrierSite(op), s.readInput(2, number32), s.readPredicate(s.operand(1))});
  s.writeResult(result, type);
}

void match(Step &s) {
  bool all = s.takeWord("all"), any = s.takeWord("any");
  s.requireSync();
  ScalarType type = s.takeType();
  if (all == any || type.bits() < 32 || type.isFloat())
    s.refuse("a match needs .any or .all, and .b32 or .b64");
  simt::Op op = all ? simt::Op::WarpMatchAll : simt::Op::WarpMatchAny;
  Value *lanes =
      s.emitOperation(op, {s.makeBarrierSite(op), s.readInput(2, number32), s.readInput(1, type)});
  const Operand &to = s.operand(0);
  bool isPair = to.form == Operand::Pair;
  s.write(isPair ? to.parts[0] : to, lanes, word32, false);
  if (isPair)
    s.write(to.parts[1], s.b.CreateICmpNE(lanes, s.b.getInt32(0)), {ScalarType::Predicate, 1},
            false);
}

void activemask(Step &s) {
  s.writeResult(s.emitOperation(simt::Op::WarpActive, {s.makeBarrierSite(simt::Op::WarpActive)}),
                s.takeType());
}

void redux(Step &s) {
  s.requireSync();
  StringRef name = s.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  ScalarType type = s.takeType();
  if (name.empty() || type.bits() != 32 || type.isFloat())
    s.refuse("this instruction does not support this type");
  simt::Op op = StringSwitch<simt::Op>(name)
                    .Case("add", simt::Op::WarpAdd)
                    .Case("min", type.isSigned() ? simt::Op::WarpMin : simt::Op::WarpUMin)
                    .Case("max", type.isSigned() ? simt::Op::WarpMax : simt::Op::WarpUMax)
                    .Case("and", simt::Op::WarpAnd)
                    .Case("or", simt::Op::WarpOr)
                    .Default(simt::Op::WarpXor);
  s.writeResult(
      s.emitOperation(op, {s.makeBarrierSite(op), s.readInput(2, number32), s.readInput(1, type)}),
      type);
}

/// Elects the lowest lane of the mask. Each lane gets its number, and the predicate is true in the elected lane.
void elect(Step &s) {
  s.requireSync();
  Value *mask = s.readInput(1, number32);
  s.emitOperation(simt::Op::WarpBarrier, {s.makeBarrierSite(simt::Op::WarpBarrier), mask});
  Value *leader = s.b.CreateBinaryIntrinsic(Intrinsic::cttz, mask, s.b.getFalse());
  const Operand &to = s.operand(0);
  if (to.form != Operand::Pair)
    s.refuse("the destination is a pair: d|p");
  s.write(to.parts[0], leader, word32, false);
  s.write(to.parts[1], s.b.CreateICmpEQ(leader, s.emitOperation(simt::Op::LaneId, {})),
          {ScalarType::Predicate, 1}, false);
}

void nanosleep(Step &s) { s.emitOperation(simt::Op::Sleep, {s.readInput(0, s.takeType())}); }

void trap(Step &s) {
  s.emitOperation(simt::Op::Trap,
                  {s.makeSite("RuntimeError", "the instruction 'trap' was reached")});
}

/// Exits the thread. The rest of the text is unreachable.
void translateExit(Step &s) {
  if (!s.frame.enclosing.function.hasFnAttribute("simt.kernel"))
    s.refuse(
        "a thread can exit only in a kernel; in a function that is not inlined, return instead");
  BasicBlock *after = s.frame.makeBlock("after.exit");
  s.b.CreateRetVoid();
  s.b.SetInsertPoint(after);
}

void bra(Step &s) {
  s.takeWord("uni");
  BasicBlock *after = s.frame.makeBlock("after.bra");
  s.b.CreateBr(s.frame.labels[s.operand(0).index]);
  s.b.SetInsertPoint(after);
}

/// A hint for the next kernel of the stream, which a CPU starts after the current kernel.
void griddepcontrol(Step &s) { s.takeOneOf({"launch_dependents", "wait"}); }

/// The address of a variable in the shared memory of a block of the cluster.
void mapa(Step &s) {
  bool isShared = s.takeWord("shared::cluster");
  ScalarType type = s.takeType();
  if (type.bits() < (isShared ? 32 : 64))
    s.refuse("generic addresses have 64 bits");
  s.emitTrapIf(s.b.CreateICmpNE(s.readInput(2, number32), s.b.getInt32(0)),
               "mapa: the cluster has only one block, with rank 0");
  s.writeResult(s.readInput(1, type), type);
}

/// The rank of the block, in its cluster, to which a shared address belongs.
void getctarank(Step &s) {
  s.takeWord("shared::cluster");
  s.readInput(1, s.takeType());
  s.writeResult(s.b.getInt32(0), number32);
}

/// Moves registers between warps, of which CPUs have no need.
void setmaxnreg(Step &s) {
  s.takeOneOf({"inc", "dec"});
  s.requireSync();
  s.takeWord("aligned");
  s.takeType();
}

/// Without the asynchronous products, there is nothing to order or to wait for.
void wgmma(Step &s) {
  if (s.takeOneOf({"fence", "commit_group", "wait_group"}).empty())
    s.refuse("products of warpgroups are supported only on GPUs");
  s.requireSync();
  s.takeWord("aligned");
}

/// The lanes in the given position relative to the current lane.
Value *emitLaneMask(Step &s, StringRef which) {
  Value *own = s.b.CreateShl(s.b.getInt32(1), s.emitOperation(simt::Op::LaneId, {}));
  Value *before = s.b.CreateSub(own, s.b.getInt32(1));
  return StringSwitch<Value *>(which)
      .Case("eq", own)
      .Case("lt", before)
      .Case("le", s.b.CreateOr(before, own))
      .Case("gt", s.b.CreateNot(s.b.CreateOr(before, own)))
      .Case("ge", s.b.CreateNot(before))
      .Default(nullptr);
}

} // namespace

Value *emitSpecialRegister(Step &s, StringRef name) {
  using simt::Op;
  std::optional<Op> op = StringSwitch<std::optional<Op>>(name)
                             .Case("%tid.x", Op::ThreadIdX)
                             .Case("%tid.y", Op::ThreadIdY)
                             .Case("%tid.z", Op::ThreadIdZ)
                             .Case("%ntid.x", Op::BlockDimX)
                             .Case("%ntid.y", Op::BlockDimY)
                             .Case("%ntid.z", Op::BlockDimZ)
                             .Cases({"%ctaid.x", "%clusterid.x"}, Op::BlockIdX)
                             .Cases({"%ctaid.y", "%clusterid.y"}, Op::BlockIdY)
                             .Cases({"%ctaid.z", "%clusterid.z"}, Op::BlockIdZ)
                             .Cases({"%nctaid.x", "%nclusterid.x"}, Op::GridDimX)
                             .Cases({"%nctaid.y", "%nclusterid.y"}, Op::GridDimY)
                             .Cases({"%nctaid.z", "%nclusterid.z"}, Op::GridDimZ)
                             .Case("%laneid", Op::LaneId)
                             .Cases({"%clock64", "%globaltimer"}, Op::Clock)
                             .Default(std::nullopt);
  if (op)
    return s.emitOperation(*op, {});
  Type *word32 = s.b.getInt32Ty();
  if (name == "%clock" || name == "%globaltimer_lo")
    return s.b.CreateTrunc(s.emitOperation(Op::Clock, {}), word32);
  if (name == "%clock_hi" || name == "%globaltimer_hi")
    return s.b.CreateTrunc(s.b.CreateLShr(s.emitOperation(Op::Clock, {}), 32), word32);
  if (name == "%warpid")
    return s.b.CreateLShr(simt::emitThreadInBlock(s.b), 5);
  if (name == "%nwarpid")
    return s.b.CreateLShr(s.b.CreateAdd(simt::emitBlockThreadCount(s.b), s.b.getInt32(31)), 5);
  if (name == "%smid" || name == "%cluster_ctarank" || name.starts_with("%cluster_ctaid."))
    return s.b.getInt32(0);
  if (name == "%nsmid" || name == "%cluster_nctarank" || name.starts_with("%cluster_nctaid."))
    return s.b.getInt32(1);
  if (name == "%dynamic_smem_size")
    return s.b.CreateTrunc(s.emitOperation(Op::DynamicSharedSize, {}), word32);
  if (name.consume_front("%lanemask_"))
    return emitLaneMask(s, name);
  return nullptr;
}

ArrayRef<Row> threadInstructions() {
  static const Row rows[] = {
      {"bar", 1, 4, bar},
      {"barrier", 0, 4, bar},
      {"shfl", 5, 5, shfl},
      {"vote", 3, 3, vote},
      {"match", 3, 3, match},
      {"activemask", 1, 1, activemask},
      {"redux", 3, 3, redux},
      {"elect", 2, 2, elect},
      {"nanosleep", 1, 1, nanosleep},
      {"trap", 0, 0, trap},
      {"exit", 0, 0, translateExit},
      {"bra", 1, 1, bra},
      {"griddepcontrol", 0, 0, griddepcontrol},
      {"mapa", 3, 3, mapa},
      {"getctarank", 2, 2, getctarank},
      {"setmaxnreg", 1, 1, setmaxnreg},
      {"wgmma", 0, 16, wgmma},
  };
  return rows;
}

} // namespace heddle::ptx
