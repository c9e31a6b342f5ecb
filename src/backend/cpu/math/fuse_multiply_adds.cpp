#include "backend/cpu/math/fuse_multiply_adds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

bool isContractable(const Instruction &i) {
  Type *scalar = i.getType()->getScalarType();
  return (scalar->isFloatTy() || scalar->isDoubleTy()) && i.hasAllowContract();
}

/// The product in an operand of `sum`; null for anything else.
BinaryOperator *matchContractableProduct(const Instruction &sum, unsigned operand) {
  auto *product = dyn_cast<BinaryOperator>(sum.getOperand(operand));
  bool fits = product && product->getOpcode() == Instruction::FMul && isContractable(*product);
  return fits ? product : nullptr;
}

/// The operand to fuse, as in DAGCombiner's visitFADDForFMACombine for a target with aggressive fusion.
std::optional<unsigned> chooseOperandToFuse(const Instruction &sum) {
  BinaryOperator *first = matchContractableProduct(sum, 0),
                 *second = matchContractableProduct(sum, 1);
  if (first && second)
    return first->getNumUses() > second->getNumUses() ? 1 : 0;
  if (first)
    return 0;
  if (second)
    return 1;
  return std::nullopt;
}

void fuseIntoMultiplyAdd(Instruction &sum, unsigned operand) {
  BinaryOperator *product = matchContractableProduct(sum, operand);
  IRBuilder<> b(&sum);
  b.setFastMathFlags(sum.getFastMathFlags());
  Value *x = product->getOperand(0), *y = product->getOperand(1), *z = sum.getOperand(1 - operand);
  if (sum.getOpcode() == Instruction::FSub) {
    if (operand == 0)
      z = b.CreateFNeg(z);
    else
      x = b.CreateFNeg(x);
  }
  Value *fused = b.CreateIntrinsic(Intrinsic::fmuladd, {sum.getType()}, {x, y, z});
  fused->takeName(&sum);
  sum.replaceAllUsesWith(fused);
  sum.eraseFromParent();
  if (product->use_empty())
    product->eraseFromParent();
}

} // namespace

PreservedAnalyses FuseMultiplyAdds::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<Instruction *> sums;
  bool hasShort = false;
  for (Instruction &i : instructions(f)) {
    if (isContractable(i) &&
        (i.getOpcode() == Instruction::FAdd || i.getOpcode() == Instruction::FSub))
      sums.push_back(&i);
    if (i.getType()->getScalarSizeInBits() == 16 && isa<FPMathOperator>(i)) {
      i.setHasAllowContract(false);
      hasShort = true;
    }
  }
  for (Instruction *sum : sums)
    if (std::optional<unsigned> operand = chooseOperandToFuse(*sum))
      fuseIntoMultiplyAdd(*sum, *operand);
  return sums.empty() && !hasShort ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
