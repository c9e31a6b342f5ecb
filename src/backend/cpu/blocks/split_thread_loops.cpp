#include "backend/cpu/blocks/split_thread_loops.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <optional>

using namespace llvm;

namespace heddle::cpu {
namespace {

// Each cut doubles the loop. Beyond these the code grows faster than it gains.
constexpr unsigned mostCuts = 4;
constexpr unsigned largestLoop = 400; // instructions

/// What a block's first thread's number is less than, of 64 bits, when it is known not to wrap around.
constexpr uint64_t largestBase = uint64_t(1) << 62;

/// The loop over x, in the shape that this pass handles.
struct ThreadLoop {
  Loop *loop;
  PHINode *index; ///< counts from `start`
  Value *start;
  Instruction *next; ///< index + 1
  Value *count;      ///< where it ends
};

bool isMarked(const Loop &loop) {
  MDNode *id = loop.getLoopID();
  return id && any_of(id->operands(), [](const MDOperand &operand) {
           auto *property = dyn_cast_or_null<MDNode>(operand.get());
           auto *name = property && property->getNumOperands()
                            ? dyn_cast_or_null<MDString>(property->getOperand(0).get())
                            : nullptr;
           return name && name->getString() == threadLoopMark;
         });
}

std::optional<ThreadLoop> threadLoop(Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  BasicBlock *exit = loop.getExitBlock();
  if (!isMarked(loop) || !latch || !before || !exit || loop.getExitingBlock() != latch ||
      !exit->phis().empty())
    return std::nullopt;
  auto *end = dyn_cast<BranchInst>(latch->getTerminator());
  auto *test = end && end->isConditional() ? dyn_cast<ICmpInst>(end->getCondition()) : nullptr;
  if (!test || test->getPredicate() != ICmpInst::ICMP_ULT ||
      end->getSuccessor(0) != loop.getHeader() || !loop.isLoopInvariant(test->getOperand(1)))
    return std::nullopt;
  auto *next = dyn_cast<BinaryOperator>(test->getOperand(0));
  auto *index = next ? dyn_cast<PHINode>(next->getOperand(0)) : nullptr;
  auto *one = next ? dyn_cast<ConstantInt>(next->getOperand(1)) : nullptr;
  if (!index || !one || !one->isOne() || next->getOpcode() != Instruction::Add ||
      index->getParent() != loop.getHeader() || index->getIncomingValueForBlock(latch) != next ||
      !index->getType()->isIntegerTy(32))
    return std::nullopt;
  // No value of an iteration is used after the loop, so the parts need not hand any on.
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      for (User *user : i.users())
        if (!loop.contains(cast<Instruction>(user)))
          return std::nullopt;
  return ThreadLoop{&loop, index, index->getIncomingValueForBlock(before), next,
                    test->getOperand(1)};
}

/// A check that holds for the threads before `place` and for none after, or the other way round.
struct Cut {
  Value *check;
  bool holdsBefore;
  bool invariant = true;       ///< it is the same for every thread
  const SCEV *base = nullptr;  ///< else: it compares base + x
  const SCEV *limit = nullptr; ///< with this
  bool inclusive = false;      ///< base + limit itself is still on the first side
  bool isUnsigned =
      false; ///< the limit is, and may be any number; the base is less than `largestBase`
};

/// A value that grows by 1 and is never the largest number has not wrapped around.
bool neverWraps(Value *value, const SCEVAddRecExpr *moving, ScalarEvolution &se) {
  auto *sum = dyn_cast<OverflowingBinaryOperator>(value);
  return moving->hasNoSignedWrap() || (sum && sum->hasNoSignedWrap()) ||
         !se.getSignedRangeMax(moving).isMaxSignedValue();
}

/// The cut that decides `check`, a condition in the loop.
std::optional<Cut> cutFor(Value *check, const ThreadLoop &t, ScalarEvolution &se) {
  if (t.loop->isLoopInvariant(check))
    return Cut{check, true};
  auto *test = dyn_cast<ICmpInst>(check);
  if (!test || !test->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  Value *compared = test->getOperand(0);
  const SCEV *left = se.getSCEV(compared), *right = se.getSCEV(test->getOperand(1));
  CmpInst::Predicate predicate = test->getPredicate();
  if (se.isLoopInvariant(left, t.loop)) {
    compared = test->getOperand(1);
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  auto *moving = dyn_cast<SCEVAddRecExpr>(left);
  bool fits = moving && moving->getLoop() == t.loop && moving->isAffine() &&
              moving->getStepRecurrence(se)->isOne() && neverWraps(compared, moving, se) &&
              se.isLoopInvariant(right, t.loop) && moving->getType()->getIntegerBitWidth() <= 64;
  if (!fits)
    return std::nullopt;
  const SCEV *base = moving->getStart();
  bool isUnsigned = CmpInst::isUnsigned(predicate) && !test->hasSameSign() &&
                    !(se.isKnownNonNegative(left) && se.isKnownNonNegative(right));
  if (isUnsigned) {
    auto *sum = dyn_cast<OverflowingBinaryOperator>(compared);
    if (!sum || !sum->hasNoUnsignedWrap() || se.getUnsignedRangeMax(base).uge(largestBase))
      return std::nullopt;
  }
  if (CmpInst::isUnsigned(predicate))
    predicate = ICmpInst::getSignedPredicate(predicate);
  SCEVExpander expander(se, "cut");
  const Instruction *before = t.loop->getLoopPreheader()->getTerminator();
  if (!expander.isSafeToExpandAt(base, before) || !expander.isSafeToExpandAt(right, before))
    return std::nullopt;
  switch (predicate) {
  case CmpInst::ICMP_SLT:
    return Cut{check, true, false, base, right, false, isUnsigned};
  case CmpInst::ICMP_SLE:
    return Cut{check, true, false, base, right, true, isUnsigned};
  case CmpInst::ICMP_SGE:
    return Cut{check, false, false, base, right, false, isUnsigned};
  case CmpInst::ICMP_SGT:
    return Cut{check, false, false, base, right, true, isUnsigned};
  default:
    return std::nullopt;
  }
}

/// The conditions that `condition` is an and, or or not of.
void collectChecks(Value *condition, SmallVectorImpl<Value *> &checks) {
  auto *i = dyn_cast<Instruction>(condition);
  bool joins = i && (isa<SelectInst>(i) || i->getOpcode() == Instruction::And ||
                     i->getOpcode() == Instruction::Or || i->getOpcode() == Instruction::Xor);
  if (isa<Constant>(condition) || checks.size() > 8)
    return;
  if (!joins) {
    checks.push_back(condition);
    return;
  }
  for (Value *operand : i->operands())
    collectChecks(operand, checks);
}

/// The first check on the way through the loop that a cut takes away.
std::optional<Cut> findCut(const ThreadLoop &t, ScalarEvolution &se, DominatorTree &dt) {
  std::optional<Cut> found;
  BasicBlock *where = nullptr;
  for (BasicBlock *block : t.loop->blocks()) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || block == t.loop->getLoopLatch() ||
        (where && !dt.dominates(block, where)))
      continue;
    SmallVector<Value *, 8> checks;
    collectChecks(branch->getCondition(), checks);
    for (Value *check : checks)
      if (std::optional<Cut> cut = cutFor(check, t, se)) {
        found = cut;
        where = block;
        break;
      }
  }
  return found;
}

/// In these blocks the check's answer is known: branches that it decides become jumps.
void settle(ArrayRef<BasicBlock *> blocks, Value *check, bool holds) {
  SmallPtrSet<BasicBlock *, 16> inside(blocks.begin(), blocks.end());
  SmallVector<WeakVH, 8> users; // simplifying one may remove another
  check->replaceUsesWithIf(ConstantInt::getBool(check->getType(), holds), [&](Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    if (inside.contains(user->getParent()))
      users.push_back(user);
    return inside.contains(user->getParent());
  });
  for (WeakVH &handle : users)
    if (auto *user = cast_or_null<Instruction>(handle))
      if (Value *known = simplifyInstruction(user, user->getDataLayout()))
        replaceAndRecursivelySimplify(user, known);
  for (BasicBlock *block : blocks)
    ConstantFoldTerminator(block);
}

unsigned sizeOf(const Loop &loop) {
  unsigned size = 0;
  for (BasicBlock *block : loop.blocks())
    size += block->size();
  return size;
}

/// The thread at which the check changes, between `start` and `count`.
Value *placeOf(const Cut &cut, const ThreadLoop &t, ScalarEvolution &se) {
  Instruction *before = t.loop->getLoopPreheader()->getTerminator();
  IRBuilder<> b(before);
  if (cut.invariant)
    return b.CreateSelect(b.CreateFreeze(cut.check), t.count, t.start);
  SCEVExpander expander(se, "cut");
  Type *wide = b.getInt64Ty();
  // The base counts from the loop's start.
  auto extended = [&](const SCEV *value) {
    value =
        cut.isUnsigned ? se.getNoopOrZeroExtend(value, wide) : se.getNoopOrSignExtend(value, wide);
    return expander.expandCodeFor(value, wide, before);
  };
  Value *base = extended(cut.base), *limit = extended(cut.limit);
  b.SetInsertPoint(before);
  if (cut.isUnsigned) // beyond this there are no threads
    limit = b.CreateBinaryIntrinsic(Intrinsic::umin, limit, b.getInt64(2 * largestBase - 1));
  if (cut.inclusive)
    limit = b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, limit, b.getInt64(1));
  Value *start = b.CreateZExt(t.start, wide), *count = b.CreateZExt(t.count, wide);
  Value *rounds =
      b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, b.CreateFreeze(limit), b.CreateFreeze(base));
  Value *place = b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, start, rounds);
  place = b.CreateBinaryIntrinsic(Intrinsic::smax, place, start);
  place = b.CreateBinaryIntrinsic(Intrinsic::smin, place,
                                  b.CreateBinaryIntrinsic(Intrinsic::smax, count, start));
  return b.CreateTrunc(place, b.getInt32Ty());
}

/// Runs the loop to `place` and a copy of it, which is returned, from there on.
Loop *split(const Cut &cut, const ThreadLoop &t, Value *place, LoopInfo &li, DominatorTree &dt) {
  BasicBlock *before = t.loop->getLoopPreheader(), *exit = t.loop->getExitBlock();
  auto *end = cast<BranchInst>(t.loop->getLoopLatch()->getTerminator());
  // A preheader of its own, which the copy's preheader is a copy of.
  BasicBlock *first = SplitBlock(before, before->getTerminator(), &dt, &li);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 16> blocks;
  Loop *copied = cloneLoopWithPreheader(exit, before, t.loop, map, ".rest", &li, &dt, blocks);
  remapInstructionsInBlocks(blocks, map);
  auto *second = cast<BasicBlock>(map[first]);

  // before: to the first part when it has a thread, else to the rest; from the first part to the rest.
  BasicBlock *rest = BasicBlock::Create(before->getContext(), "rest", before->getParent(), second);
  IRBuilder<> b(before->getTerminator());
  b.CreateCondBr(b.CreateICmpULT(t.start, place), first, rest);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(rest);
  b.CreateCondBr(b.CreateICmpULT(place, t.count), second, exit);
  b.SetInsertPoint(end);
  end->setCondition(b.CreateICmpULT(t.next, place));
  end->setSuccessor(1, rest);
  cast<PHINode>(map[t.index])->setIncomingValueForBlock(second, place);

  Value *copy = map.lookup(cut.check);
  settle(t.loop->getBlocks(), cut.check, cut.holdsBefore);
  settle(blocks, copy ? copy : cut.check, !cut.holdsBefore);
  return copied;
}

/// A sum of the thread's number and a number of the block that may wrap around, as unsigned ones do: what
/// `blockIdx.x * blockDim.x + threadIdx.x` is in CUDA C++.
struct WrappingSum {
  BinaryOperator *sum;
  unsigned base; ///< which operand is the block's
};

SmallVector<WrappingSum, 4> wrappingSums(const ThreadLoop &t) {
  SmallVector<WrappingSum, 4> sums;
  SmallVector<Value *, 4> numbers{t.index};
  for (User *user : t.index->users())
    if (isa<ZExtInst>(user) && user->getType()->isIntegerTy(64))
      numbers.push_back(user);
  for (Value *number : numbers)
    for (User *user : number->users()) {
      auto *sum = dyn_cast<BinaryOperator>(user);
      if (!sum || sum == t.next || sum->getOpcode() != Instruction::Add || sum->hasNoSignedWrap())
        continue;
      unsigned base = sum->getOperand(0) == number;
      if (t.loop->isLoopInvariant(sum->getOperand(base)))
        sums.push_back({sum, base});
    }
  return sums;
}

/// Runs the loop where these sums are far from wrapping around, as they nearly always are, and a copy of it, which is left
/// as it is, where they are not.
void splitByWrapping(ArrayRef<WrappingSum> sums, const ThreadLoop &t, ScalarEvolution &se,
                     LoopInfo &li, DominatorTree &dt) {
  IRBuilder<> b(t.loop->getLoopPreheader()->getTerminator());
  Value *fits = b.getTrue();
  SmallVector<Value *, 4> bases; // as non-negative numbers, which they are where they fit
  for (auto [sum, operand] : sums) {
    Value *base = b.CreateFreeze(sum->getOperand(operand));
    bool isWide = base->getType()->isIntegerTy(64);
    uint64_t below = isWide ? largestBase : uint64_t(1) << 31;
    Value *end = isWide ? base
                        : b.CreateAdd(b.CreateZExt(base, b.getInt64Ty()),
                                      b.CreateZExt(t.count, b.getInt64Ty()));
    fits = b.CreateAnd(fits, b.CreateICmpULT(end, b.getInt64(below)));
    bases.push_back(b.CreateAnd(base, ConstantInt::get(base->getType(), below - 1)));
  }
  Cut cut{fits, true};
  Loop *rest = split(cut, t, placeOf(cut, t, se), li, dt);
  rest->setLoopID(nullptr); // hardly ever run: small, not fast
  addStringMetadataToLoop(rest, "llvm.loop.vectorize.enable", 0);
  addStringMetadataToLoop(rest, "llvm.loop.unroll.count", 1);
  for (auto [known, base] : zip(sums, bases)) {
    BinaryOperator *sum = known.sum;
    sum->setOperand(known.base, base);
    sum->setHasNoSignedWrap();
    sum->setHasNoUnsignedWrap();
    for (User *user : make_early_inc_range(sum->users()))
      if (isa<SExtInst, ZExtInst>(
              user)) { // the same sum in the wide type: a number that grows by 1
        IRBuilder<> at(sum);
        Value *wide = at.CreateNUWAdd(at.CreateZExt(base, user->getType()),
                                      at.CreateZExt(sum->getOperand(!known.base), user->getType()));
        cast<Instruction>(wide)->setHasNoSignedWrap();
        user->replaceAllUsesWith(wide);
        cast<Instruction>(user)->eraseFromParent();
      }
  }
}

bool splitOnce(Function &f, FunctionAnalysisManager &am) {
  // Made anew for each cut: cutting changes the blocks, and these functions are small.
  DominatorTree dt(f);
  LoopInfo li(dt);
  AssumptionCache assumptions(f);
  ScalarEvolution se(f, am.getResult<TargetLibraryAnalysis>(f), assumptions, dt, li);
  for (Loop *loop : li.getLoopsInPreorder()) {
    std::optional<ThreadLoop> t = threadLoop(*loop);
    if (!t || sizeOf(*loop) > largestLoop)
      continue;
    if (auto sums = wrappingSums(*t); !sums.empty()) {
      splitByWrapping(sums, *t, se, li, dt);
      return true;
    }
    if (std::optional<Cut> cut = findCut(*t, se, dt)) {
      Value *place = placeOf(*cut, *t, se);
      split(*cut, *t, place, li, dt);
      return true;
    }
  }
  return false;
}

} // namespace

PreservedAnalyses SplitThreadLoops::run(Function &f, FunctionAnalysisManager &am) {
  unsigned cuts = 0;
  // A block that nothing reaches is in no loop: what it jumps to in a copy of one would have it twice before it.
  bool changed = removeUnreachableBlocks(f);
  while (cuts < mostCuts && splitOnce(f, am)) {
    ++cuts;
    removeUnreachableBlocks(f);
  }
  return cuts || changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
