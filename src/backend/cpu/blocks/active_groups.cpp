#include "backend/cpu/blocks/active_groups.h"

#include "backend/cpu/abi/thread_context.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

using Blocks = SmallPtrSet<const BasicBlock *, 16>;

/// Returns true if the block has side effects. A barrier without a predicate at its end does not count.
bool hasEffectsBesidesBarrier(BasicBlock &block) {
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

/// A successor that a group enters only if its first thread's x is less than a constant: `if (tid.x == 0)`.
struct FirstThreadsBranch {
  const BasicBlock *block;
  uint64_t end;
};

std::optional<FirstThreadsBranch> matchFirstThreadsBranch(const BasicBlock &block,
                                                          const Value *threadX) {
  auto *br = dyn_cast<BranchInst>(block.getTerminator());
  if (!br || !br->isConditional())
    return std::nullopt;
  CmpPredicate predicate;
  Value *left;
  const APInt *number, *last;
  if (!match(br->getCondition(), m_ICmp(predicate, m_Value(left), m_APInt(number))))
    return std::nullopt;
  auto below = [&](const APInt &end, unsigned side) {
    return FirstThreadsBranch{br->getSuccessor(side), end.getLimitedValue()};
  };
  bool isLess = predicate == ICmpInst::ICMP_ULT ||
                (predicate == ICmpInst::ICMP_SLT && number->isNonNegative());
  if (isThreadX(left, threadX)) {
    if (isLess)
      return below(*number, 0);
    if (ICmpInst::isEquality(predicate) && !number->isMaxValue())
      return below(*number + 1, predicate == ICmpInst::ICMP_EQ ? 0 : 1);
  }
  // A test of whether the group contains one given thread (LaneMasks): for later groups the difference wraps to a huge
  // number.
  Value *index;
  if (predicate == ICmpInst::ICMP_ULT && number->ult(1024) &&
      match(left, m_Sub(m_APInt(last), m_Value(index))) && isThreadX(index, threadX) &&
      last->ult(1024))
    return below(*last + 1, 0);
  return std::nullopt;
}

/// Returns true if the value is the same for threads of the block with equal x.
bool isUniformForEqualX(Value &value, const Value *threadX, const Regions &regions) {
  SmallSetVector<Value *, 16> parts;
  parts.insert(&value);
  for (unsigned n = 0; n < parts.size(); ++n) {
    Value *part = parts[n];
    if (isa<Constant>(part) || part == threadX || regions.isUniform(*part))
      continue;
    auto *i = dyn_cast<Instruction>(part);
    if (!i || isa<PHINode>(i) || i->mayReadOrWriteMemory() || n == thresholds::maxExpressionSize)
      return false;
    for (Value *operand : i->operands())
      if (!isa<Function>(operand))
        parts.insert(operand);
  }
  return true;
}

/// Returns true if all rows of threads take the same exits from these blocks.
bool haveRowsSameExits(const Blocks &blocks, const Value *threadX, const Regions &regions) {
  return all_of(blocks, [&](const BasicBlock *block) {
    auto *br = dyn_cast<BranchInst>(block->getTerminator());
    return all_of(successors(block), [&](const BasicBlock *to) { return blocks.contains(to); }) ||
           (br &&
            (!br->isConditional() || isUniformForEqualX(*br->getCondition(), threadX, regions)));
  });
}

/// Returns true if a value merged in `after` is undefined on all edges from `before` and `after`.
bool isUndefinedOnEdgesFrom(const Value &v, const Blocks &before, const Blocks &after,
                            unsigned depth = 0) {
  if (isa<UndefValue>(v))
    return true;
  const auto *phi = dyn_cast<PHINode>(&v);
  return phi && depth < thresholds::maxExpressionDepth && after.contains(phi->getParent()) &&
         all_of(
             zip(phi->blocks(), phi->incoming_values()),
             [&](const auto &edge) {
               const auto &[from, value] = edge;
               return !(before.contains(from) || after.contains(from)) ||
                      isUndefinedOnEdgesFrom(*value, before, after, depth + 1);
             });
}

/// Returns true if all paths to `branch`, and all paths from `skipped` on, have no effect for groups whose first
/// thread's x is at least minThreads. Computes minThreads.
bool findMinThreadsForSkip(BasicBlock &branch, BasicBlock &skipped, const Region &region,
                           const Regions &regions, const Value *threadX,
                           function_ref<bool(const Instruction &)> isInFrame,
                           uint64_t &minThreads) {
  SmallVector<BasicBlock *, 16> worklist{&branch};
  Blocks before{&branch}, after{&skipped};
  SmallVector<const Instruction *, 8> liveOut; // values of the region that each thread keeps
  while (!worklist.empty()) {
    BasicBlock *block = worklist.pop_back_val();
    if (hasEffectsBesidesBarrier(*block))
      return false;
    for (BasicBlock *previous : predecessors(block))
      if (region.blocks.contains(previous) && !barrierAtEnd(*previous) &&
          before.insert(previous).second)
        worklist.push_back(previous);
  }
  if (!haveRowsSameExits(before, threadX, regions))
    return false;
  worklist.push_back(&skipped);
  while (!worklist.empty()) {
    BasicBlock *block = worklist.pop_back_val();
    if (hasEffectsBesidesBarrier(*block) || before.contains(block))
      return false;
    CallInst *barrier = barrierAtEnd(*block);
    if (!barrier) {
      std::optional<FirstThreadsBranch> ofFirst = matchFirstThreadsBranch(*block, threadX);
      if (ofFirst)
        minThreads = std::max(minThreads, ofFirst->end);
      for (BasicBlock *next : successors(block))
        if (!(ofFirst && ofFirst->block == next) && after.insert(next).second)
          worklist.push_back(next);
      continue;
    }
    for (const Instruction *v : regions.all[regions.regionIndexAfter(*barrier)].liveIn)
      if (region.blocks.contains(v->getParent()) && isInFrame(*v))
        liveOut.push_back(v);
  }
  return all_of(liveOut,
                [&](const Instruction *v) { return isUndefinedOnEdgesFrom(*v, before, after); });
}

/// Matches tid.x, or tid.x plus a uniform base, without wraparound.
bool matchThreadXPlusBase(Value *v, bool isSigned, const Value *threadX, const Regions &regions,
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

/// Returns the earliest block through which all inactive groups reach `branch`, or `branch`: a preceding block that
/// tests whether all lanes of a group are below the bound. Counting there lets the first group decide, before the loop.
BasicBlock &findWholeGroupTestBlock(BasicBlock &branch, const Region &region, const Value *index,
                                    const Value *bound, ICmpInst::Predicate active) {
  BasicBlock *before = branch.getSinglePredecessor();
  auto *br = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!br || !br->isConditional() || br->getSuccessor(1) != &branch ||
      !region.blocks.contains(before) || barrierAtEnd(*before))
    return branch;
  Value *condition = br->getCondition();
  match(condition, m_Freeze(m_Value(condition)));
  const APInt *toLast;
  bool isLast = match(condition, m_SpecificICmp(active, m_Add(m_Specific(index), m_APInt(toLast)),
                                                m_Specific(bound)));
  return isLast && toLast->isNonNegative() ? *before : branch;
}

} // namespace

std::optional<ActiveGroups> findActiveGroups(const Region &region, const Regions &regions,
                                             Function &kernel,
                                             function_ref<bool(const Instruction &)> isInFrame) {
  const Value *threadX = kernel.getArg(ThreadXArgument);
  // Values needed only by recomputed values are not available.
  auto isAvailable = [&](Value *v) {
    auto *i = dyn_cast_or_null<Instruction>(v);
    return !i || region.blocks.contains(i->getParent()) || region.liveIn.contains(i) ||
           region.recomputed.contains(i);
  };
  for (BasicBlock *block : region.blocks) {
    auto *br = dyn_cast<BranchInst>(block->getTerminator());
    if (!br || !br->isConditional() || barrierAtEnd(*block))
      continue;
    auto *compare = dyn_cast<ICmpInst>(br->getCondition());
    if (!compare || !compare->isRelational())
      continue;
    for (unsigned skipped : {0u, 1u}) {
      ICmpInst::Predicate active =
          skipped ? compare->getPredicate() : compare->getInversePredicate();
      Value *index = compare->getOperand(0), *bound = compare->getOperand(1);
      if (ICmpInst::isGT(active) || ICmpInst::isGE(active)) {
        std::swap(index, bound);
        active = ICmpInst::getSwappedPredicate(active);
      }
      bool isSigned = ICmpInst::isSigned(active);
      Value *base;
      uint64_t minThreads = 0;
      if (regions.isUniform(*bound) && isAvailable(bound) &&
          matchThreadXPlusBase(index, isSigned, threadX, regions, base) && isAvailable(base) &&
          findMinThreadsForSkip(*block, *br->getSuccessor(skipped), region, regions, threadX,
                                isInFrame, minThreads))
        return ActiveGroups{base ? block
                                 : &findWholeGroupTestBlock(*block, region, index, bound, active),
                            base,
                            bound,
                            isSigned,
                            ICmpInst::isLE(active),
                            minThreads};
    }
  }
  return std::nullopt;
}

Value *emitActiveThreadCount(IRBuilderBase &b, const ActiveGroups &groups, ValueToValueMapTy &known,
                             Value *count) {
  auto wide = [&](Value *v) -> Value * {
    Value *here = known.lookup(v);
    return b.CreateIntCast(here ? here : v, b.getInt64Ty(), groups.isSigned);
  };
  // In 64 bits, unsigned values above 2^63 exceed any thread count.
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
  bound = b.CreateBinaryIntrinsic(Intrinsic::smax, bound, b.getInt64(groups.minThreads));
  bound = b.CreateBinaryIntrinsic(Intrinsic::umin, bound, b.CreateZExt(count, b.getInt64Ty()));
  return b.CreateTrunc(bound, b.getInt32Ty());
}

} // namespace heddle::cpu
