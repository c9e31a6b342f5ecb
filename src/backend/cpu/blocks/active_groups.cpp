#include "backend/cpu/blocks/active_groups.h"

#include "backend/cpu/prepare/thread_context.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

using Blocks = SmallPtrSet<const BasicBlock *, 16>;

/// Whether a group that runs the block changes anything. A barrier without a predicate at its end is the block's.
bool hasEffects(BasicBlock &block) {
  const CallInst *barrier = barrierAtEnd(block);
  return any_of(block, [&](const Instruction &i) {
    if (&i == barrier)
      return !i.getType()->isVoidTy();
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&i);
    return i.mayHaveSideEffects() && !(intrinsic && intrinsic->isAssumeLikeIntrinsic());
  });
}

bool isThreadX(const Value *v, const Value *threadX) {
  return v == threadX || match(v, m_ZExt(m_Specific(threadX))) ||
         match(v, m_SExt(m_Specific(threadX)));
}

/// What a group comes to only if its first thread's x is below a constant number: `if (tid.x == 0)`.
struct OfFirstThreads {
  const BasicBlock *block;
  uint64_t end;
};

std::optional<OfFirstThreads> ofFirstThreads(const BasicBlock &block, const Value *threadX) {
  auto *jump = dyn_cast<BranchInst>(block.getTerminator());
  if (!jump || !jump->isConditional())
    return std::nullopt;
  CmpPredicate predicate;
  Value *left;
  const APInt *number, *last;
  if (!match(jump->getCondition(), m_ICmp(predicate, m_Value(left), m_APInt(number))))
    return std::nullopt;
  auto below = [&](const APInt &end, unsigned side) {
    return OfFirstThreads{jump->getSuccessor(side), end.getLimitedValue()};
  };
  bool isLess = predicate == ICmpInst::ICMP_ULT ||
                (predicate == ICmpInst::ICMP_SLT && number->isNonNegative());
  if (isThreadX(left, threadX)) {
    if (isLess)
      return below(*number, 0);
    if (ICmpInst::isEquality(predicate) && !number->isMaxValue())
      return below(*number + 1, predicate == ICmpInst::ICMP_EQ ? 0 : 1);
  }
  // A group one of whose threads is that with a number (lane_masks): behind it, the difference is a huge number.
  Value *counted;
  if (predicate == ICmpInst::ICMP_ULT && number->ult(1024) &&
      match(left, m_Sub(m_APInt(last), m_Value(counted))) && isThreadX(counted, threadX) &&
      last->ult(1024))
    return below(*last + 1, 0);
  return std::nullopt;
}

constexpr unsigned mostOperands = 64;

/// Whether a value is the same in threads of the block that have the same x.
bool isSameInColumn(Value &value, const Value *threadX, const Regions &regions) {
  SmallSetVector<Value *, 16> parts;
  parts.insert(&value);
  for (unsigned n = 0; n < parts.size(); ++n) {
    Value *part = parts[n];
    if (isa<Constant>(part) || part == threadX || regions.isUniform(*part))
      continue;
    auto *i = dyn_cast<Instruction>(part);
    if (!i || isa<PHINode>(i) || i->mayReadOrWriteMemory() || n == mostOperands)
      return false;
    for (Value *operand : i->operands())
      if (!isa<Function>(operand))
        parts.insert(operand);
  }
  return true;
}

/// Whether all rows of threads take the same ways out of these blocks.
bool leaveAlike(const Blocks &blocks, const Value *threadX, const Regions &regions) {
  return all_of(blocks, [&](const BasicBlock *block) {
    auto *jump = dyn_cast<BranchInst>(block->getTerminator());
    return all_of(successors(block), [&](const BasicBlock *to) { return blocks.contains(to); }) ||
           (jump &&
            (!jump->isConditional() || isSameInColumn(*jump->getCondition(), threadX, regions)));
  });
}

constexpr unsigned mostJoins = 4;

/// Whether a value that joins in `behind` is undefined in all that come there from `before` and `behind` alone.
bool isUndefinedFrom(const Value &v, const Blocks &before, const Blocks &behind,
                     unsigned depth = 0) {
  if (isa<UndefValue>(v))
    return true;
  const auto *phi = dyn_cast<PHINode>(&v);
  return phi && depth < mostJoins && behind.contains(phi->getParent()) &&
         all_of(
             zip(phi->blocks(), phi->incoming_values()),
             [&](const auto &way) {
               const auto &[from, value] = way;
               return !(before.contains(from) || behind.contains(from)) ||
                      isUndefinedFrom(*value, before, behind, depth + 1);
             });
}

/// Whether all ways to `branch`, and all from `skipped` on, leave everything as it is for groups whose first thread's x is
/// at least `fewest`, which this finds.
bool onlyWaits(BasicBlock &branch, BasicBlock &skipped, const Region &region,
               const Regions &regions, const Value *threadX,
               function_ref<bool(const Instruction &)> inFrame, uint64_t &fewest) {
  SmallVector<BasicBlock *, 16> rest{&branch};
  Blocks before{&branch}, behind{&skipped};
  SmallVector<const Instruction *, 8> kept; // by each thread, of the region
  while (!rest.empty()) {
    BasicBlock *block = rest.pop_back_val();
    if (hasEffects(*block))
      return false;
    for (BasicBlock *previous : predecessors(block))
      if (region.blocks.contains(previous) && !barrierAtEnd(*previous) &&
          before.insert(previous).second)
        rest.push_back(previous);
  }
  if (!leaveAlike(before, threadX, regions))
    return false;
  rest.push_back(&skipped);
  while (!rest.empty()) {
    BasicBlock *block = rest.pop_back_val();
    if (hasEffects(*block) || before.contains(block))
      return false;
    CallInst *barrier = barrierAtEnd(*block);
    if (!barrier) {
      std::optional<OfFirstThreads> ofFirst = ofFirstThreads(*block, threadX);
      if (ofFirst)
        fewest = std::max(fewest, ofFirst->end);
      for (BasicBlock *next : successors(block))
        if (!(ofFirst && ofFirst->block == next) && behind.insert(next).second)
          rest.push_back(next);
      continue;
    }
    for (const Instruction *v : regions.all[regions.after(*barrier)].liveIn)
      if (region.blocks.contains(v->getParent()) && inFrame(*v))
        kept.push_back(v);
  }
  return all_of(kept, [&](const Instruction *v) { return isUndefinedFrom(*v, before, behind); });
}

/// tid.x, or tid.x plus what is the same for the block, in numbers that do not wrap around.
bool countsThreads(Value *v, bool isSigned, const Value *threadX, const Regions &regions,
                   Value *&base) {
  base = nullptr;
  if (isThreadX(v, threadX))
    return true;
  auto *sum = dyn_cast<BinaryOperator>(v);
  if (!sum || sum->getOpcode() != Instruction::Add ||
      !(isSigned ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()))
    return false;
  for (unsigned side : {0u, 1u})
    if (isThreadX(sum->getOperand(side), threadX)) {
      base = sum->getOperand(1 - side);
      return regions.isUniform(*base);
    }
  return false;
}

/// A block before `branch` from which all groups without work come there, or `branch`: the block that asks whether all
/// lanes of a group are below the bound. Where it tells of them, the first group does, and they are counted before the loop.
BasicBlock &firstToTell(BasicBlock &branch, const Region &region, const Value *counted,
                        const Value *bound, ICmpInst::Predicate active) {
  BasicBlock *before = branch.getSinglePredecessor();
  auto *jump = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!jump || !jump->isConditional() || jump->getSuccessor(1) != &branch ||
      !region.blocks.contains(before) || barrierAtEnd(*before))
    return branch;
  Value *condition = jump->getCondition();
  match(condition, m_Freeze(m_Value(condition)));
  const APInt *toLast;
  bool isLast = match(condition, m_SpecificICmp(active, m_Add(m_Specific(counted), m_APInt(toLast)),
                                                m_Specific(bound)));
  return isLast && toLast->isNonNegative() ? *before : branch;
}

} // namespace

std::optional<ActiveGroups> activeGroupsIn(const Region &region, const Regions &regions,
                                           Function &kernel,
                                           function_ref<bool(const Instruction &)> inFrame) {
  const Value *threadX = kernel.getArg(ThreadXArgument);
  // What only a value that is computed again needs is not at hand.
  auto isAtHand = [&](Value *v) {
    auto *i = dyn_cast_or_null<Instruction>(v);
    return !i || region.blocks.contains(i->getParent()) || region.liveIn.contains(i) ||
           region.repeated.contains(i);
  };
  for (BasicBlock *block : region.blocks) {
    auto *jump = dyn_cast<BranchInst>(block->getTerminator());
    if (!jump || !jump->isConditional() || barrierAtEnd(*block))
      continue;
    auto *compare = dyn_cast<ICmpInst>(jump->getCondition());
    if (!compare || !compare->isRelational())
      continue;
    for (unsigned skipped : {0u, 1u}) {
      ICmpInst::Predicate active =
          skipped ? compare->getPredicate() : compare->getInversePredicate();
      Value *counted = compare->getOperand(0), *bound = compare->getOperand(1);
      if (ICmpInst::isGT(active) || ICmpInst::isGE(active)) {
        std::swap(counted, bound);
        active = ICmpInst::getSwappedPredicate(active);
      }
      bool isSigned = ICmpInst::isSigned(active);
      Value *base;
      uint64_t fewest = 0;
      if (regions.isUniform(*bound) && isAtHand(bound) &&
          countsThreads(counted, isSigned, threadX, regions, base) && isAtHand(base) &&
          onlyWaits(*block, *jump->getSuccessor(skipped), region, regions, threadX, inFrame,
                    fewest))
        return ActiveGroups{base ? block : &firstToTell(*block, region, counted, bound, active),
                            base,
                            bound,
                            isSigned,
                            ICmpInst::isLE(active),
                            fewest};
    }
  }
  return std::nullopt;
}

Value *countOf(IRBuilderBase &b, const ActiveGroups &groups, ValueToValueMapTy &known,
               Value *count) {
  auto wide = [&](Value *v) -> Value * {
    Value *here = known.lookup(v);
    return b.CreateIntCast(here ? here : v, b.getInt64Ty(), groups.isSigned);
  };
  // Of 64 bits, unsigned numbers above 2^63 are more than there are threads.
  Value *bound = wide(groups.bound);
  if (!groups.isSigned)
    bound = b.CreateBinaryIntrinsic(Intrinsic::umin, bound, b.getInt64(INT64_MAX));
  if (groups.inclusive)
    bound = b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, bound, b.getInt64(1));
  if (groups.base) {
    Value *base = wide(groups.base);
    if (!groups.isSigned)
      base = b.CreateBinaryIntrinsic(Intrinsic::umin, base, b.getInt64(INT64_MAX));
    bound = b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, bound, base);
  }
  bound = b.CreateBinaryIntrinsic(Intrinsic::smax, bound, b.getInt64(groups.fewest));
  bound = b.CreateBinaryIntrinsic(Intrinsic::umin, bound, b.CreateZExt(count, b.getInt64Ty()));
  return b.CreateTrunc(bound, b.getInt32Ty());
}

} // namespace heddle::cpu
