#include "frontend/cuda/lower/bounded_allocas.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

// Of a thread: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr uint64_t mostLocalBytes = 512 * 1024;
constexpr Align allocaAlign = Align::Constant<16>(); // as with nvcc

bool isAllocaCall(const Instruction &i) {
  auto *alloca = dyn_cast<AllocaInst>(&i);
  return alloca && (alloca->isArrayAllocation() || !alloca->isStaticAlloca());
}

bool isStackSave(const Instruction &i) {
  auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::stacksave;
}

bool isStackRestore(const Instruction &i) {
  auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::stackrestore;
}

/// True if the stack is restored to `save` on each path from `start` to the next iteration of the loop.
bool restoresInIteration(const Instruction &save, const Instruction &start, const Loop &loop) {
  auto restores = [&](const Instruction &i) {
    return isStackRestore(i) && i.getOperand(0) == &save;
  };
  if (any_of(make_range(start.getIterator(), start.getParent()->end()), restores))
    return true;
  SmallVector<const BasicBlock *, 8> left(successors(start.getParent()));
  SmallPtrSet<const BasicBlock *, 8> seen;
  while (!left.empty()) {
    const BasicBlock *block = left.pop_back_val();
    if (block == loop.getHeader())
      return false;
    if (loop.contains(block) && seen.insert(block).second && none_of(*block, restores))
      append_range(left, successors(block));
  }
  return true;
}

/// Ranges of integers. In loops, LazyValueInfo finds less than the conditions and operands say.
class Ranges {
public:
  Ranges(LazyValueInfo &lazy, const DominatorTree &dominators)
      : lazy_(lazy), dominators_(dominators) {}

  ConstantRange findRange(Value *v, AllocaInst &at, unsigned depth = 0) {
    constexpr unsigned mostOperations = 8;
    ConstantRange range = lazy_.getConstantRange(v, &at, /*UndefAllowed=*/false);
    range = range.intersectWith(findRangeByConditions(v, *at.getParent()));
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == mostOperations)
      return range;
    range = range.intersectWith(
        lazy_.getConstantRange(v, i->getParent()->getTerminator(), /*UndefAllowed=*/false));
    auto ofOperand = [&](unsigned n) { return findRange(i->getOperand(n), at, depth + 1); };
    if (auto *cast = dyn_cast<CastInst>(i); cast && cast->getSrcTy()->isIntegerTy())
      return range.intersectWith(ofOperand(0).castOp(cast->getOpcode(), range.getBitWidth()));
    if (auto *op = dyn_cast<OverflowingBinaryOperator>(i)) {
      unsigned wraps = (op->hasNoSignedWrap() ? OverflowingBinaryOperator::NoSignedWrap : 0) |
                       (op->hasNoUnsignedWrap() ? OverflowingBinaryOperator::NoUnsignedWrap : 0);
      return range.intersectWith(ofOperand(0).overflowingBinaryOp(
          Instruction::BinaryOps(op->getOpcode()), ofOperand(1), wraps));
    }
    return range;
  }

private:
  /// The range of `v` by the branches that lead to a block.
  ConstantRange findRangeByConditions(Value *v, const BasicBlock &block) const {
    ConstantRange range = ConstantRange::getFull(v->getType()->getIntegerBitWidth());
    for (const auto *node = dominators_.getNode(&block); node->getIDom(); node = node->getIDom()) {
      const BasicBlock *from = node->getIDom()->getBlock();
      const auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      const auto *compare =
          branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
      for (unsigned edge = 0; compare && edge < 2; ++edge)
        if (dominators_.dominates(BasicBlockEdge(from, branch->getSuccessor(edge)), &block))
          range = range.intersectWith(findRangeByCondition(v, *compare, edge == 0));
    }
    return range;
  }

  static ConstantRange findRangeByCondition(Value *v, const ICmpInst &compare, bool holds) {
    CmpInst::Predicate predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
    const Value *x = compare.getOperand(0), *y = compare.getOperand(1);
    if (y == v) {
      std::swap(x, y);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    const auto *limit = dyn_cast<ConstantInt>(y);
    return x == v && limit ? ConstantRange::makeExactICmpRegion(predicate, limit->getValue())
                           : ConstantRange::getFull(v->getType()->getIntegerBitWidth());
  }

  LazyValueInfo &lazy_;
  const DominatorTree &dominators_;
};

class Rewriter {
public:
  Rewriter(Function &f, FunctionAnalysisManager &am)
      : f_(f), dominators_(am.getResult<DominatorTreeAnalysis>(f)),
        ranges_(am.getResult<LazyValueAnalysis>(f), dominators_),
        loops_(am.getResult<LoopAnalysis>(f)) {}

  void replace(AllocaInst &alloca) {
    std::optional<uint64_t> bytes = findMostBytes(alloca);
    if (!bytes || (isInCycle(alloca) && !isReleasedInIteration(alloca)))
      return;
    IRBuilder<> top(&*f_.getEntryBlock().getFirstInsertionPt());
    AllocaInst *memory = top.CreateAlloca(ArrayType::get(top.getInt8Ty(), *bytes));
    memory->setAlignment(std::max(alloca.getAlign(), allocaAlign));
    memory->takeName(&alloca);
    memory->setDebugLoc(alloca.getDebugLoc());
    alloca.replaceAllUsesWith(memory);
    alloca.eraseFromParent();
  }

private:
  /// The largest size that is not negative: a negative one is undefined.
  std::optional<uint64_t> findMostBytes(AllocaInst &alloca) {
    uint64_t each = f_.getDataLayout().getTypeAllocSize(alloca.getAllocatedType());
    APInt most = ranges_.findRange(alloca.getArraySize(), alloca).getSignedMax();
    if (most.isNegative() || most.ugt(mostLocalBytes / std::max<uint64_t>(each, 1)))
      return std::nullopt;
    return std::max<uint64_t>(most.getZExtValue() * each, 1);
  }

  bool isInCycle(const AllocaInst &alloca) const {
    const BasicBlock *block = alloca.getParent();
    return any_of(successors(block), [&](const BasicBlock *next) {
      return isPotentiallyReachable(next, block, nullptr, &dominators_, &loops_);
    });
  }

  bool isReleasedInIteration(const AllocaInst &alloca) const {
    const Loop *loop = loops_.getLoopFor(alloca.getParent());
    auto isReleased = [&](const Instruction &i) {
      return isStackSave(i) && dominators_.dominates(&i, &alloca) &&
             restoresInIteration(i, alloca, *loop);
    };
    return loop && any_of(loop->blocks(),
                          [&](const BasicBlock *block) { return any_of(*block, isReleased); });
  }

  Function &f_;
  DominatorTree &dominators_;
  Ranges ranges_;
  LoopInfo &loops_;
};

} // namespace

bool callsAlloca(const llvm::Module &m) {
  return any_of(m, [](const Function &f) { return any_of(instructions(f), isAllocaCall); });
}

PreservedAnalyses BoundedAllocas::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<AllocaInst *> allocas;
  for (Instruction &i : instructions(f))
    if (isAllocaCall(i))
      allocas.push_back(cast<AllocaInst>(&i));
  if (allocas.empty())
    return PreservedAnalyses::all();
  Rewriter rewriter(f, am);
  for (AllocaInst *alloca : allocas)
    rewriter.replace(*alloca);
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (isStackSave(i) || isStackRestore(i)) {
      i.replaceAllUsesWith(PoisonValue::get(i.getType()));
      i.eraseFromParent();
    }
  return PreservedAnalyses::none();
}

} // namespace heddle::cudacpp
