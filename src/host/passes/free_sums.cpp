#include "host/passes/free_sums.h"

#include "simt/ir/host_memory.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::host {

using namespace llvm;

namespace {

/// The instructions in an iteration of `loop` that compute a reduction from `phi`.
SetVector<Instruction *> collectInstructionsOfReduction(PHINode &phi, const Loop &loop) {
  SetVector<Instruction *> carried;
  carried.insert(&phi);
  for (size_t i = 0; i < carried.size(); ++i)
    for (User *user : carried[i]->users())
      if (auto *next = cast<Instruction>(user);
          loop.contains(next) && next->getType() == phi.getType() &&
          (isa<PHINode, SelectInst>(next) || next->getOpcode() == Instruction::FAdd ||
           next->getOpcode() == Instruction::FSub || next->getOpcode() == Instruction::FMul))
        carried.insert(next);
  return carried;
}

/// The reassociable operation that `select` adds conditionally: selects its result, or else its first operand. Null if
/// there is none.
BinaryOperator *matchConditionalSum(SelectInst &select, bool ifTrue) {
  auto *sum = dyn_cast<BinaryOperator>(ifTrue ? select.getTrueValue() : select.getFalseValue());
  Value *other = ifTrue ? select.getFalseValue() : select.getTrueValue();
  if (!sum || !isa<FPMathOperator>(sum) || !sum->hasAllowReassoc() || !sum->hasOneUse() ||
      !ConstantExpr::getBinOpIdentity(sum->getOpcode(), sum->getType(), /*AllowRHSConstant=*/true))
    return nullptr;
  if (sum->isCommutative() && sum->getOperand(1) == other)
    sum->swapOperands();
  return sum->getOperand(0) == other ? sum : nullptr;
}

bool makeSumUnconditional(SelectInst &select) {
  BinaryOperator *ifTrue = matchConditionalSum(select, true);
  BinaryOperator *sum = ifTrue ? ifTrue : matchConditionalSum(select, false);
  if (!sum)
    return false;
  Constant *nothing = ConstantExpr::getBinOpIdentity(sum->getOpcode(), sum->getType(), true);
  IRBuilder<> b(&select);
  Value *addend = sum->getOperand(1);
  sum->setOperand(1, b.CreateSelect(select.getCondition(), ifTrue ? addend : nothing,
                                    ifTrue ? nothing : addend));
  sum->moveBefore(select.getIterator());
  select.replaceAllUsesWith(sum);
  return true;
}

} // namespace

PreservedAnalyses AddAlways::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<SelectInst *, 4> done;
  for (Instruction &i : instructions(f))
    if (auto *select = dyn_cast<SelectInst>(&i); select && makeSumUnconditional(*select))
      done.push_back(select);
  for (SelectInst *select : done)
    select->eraseFromParent();
  return done.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses FreeSums::run(Function &f, FunctionAnalysisManager &am) {
  if (!f.hasFnAttribute(simt::sharedIterationsAttribute))
    return PreservedAnalyses::all();
  for (Loop *loop : am.getResult<LoopAnalysis>(f))
    for (PHINode &phi : loop->getHeader()->phis())
      if (phi.getType()->isFloatingPointTy())
        for (Instruction *i : collectInstructionsOfReduction(phi, *loop))
          if (isa<BinaryOperator>(i))
            i->setHasAllowReassoc(true);
  return PreservedAnalyses::none();
}

} // namespace heddle::host
