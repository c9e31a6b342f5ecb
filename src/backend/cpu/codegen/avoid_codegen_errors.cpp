#include "backend/cpu/codegen/avoid_codegen_errors.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// Whether it takes 16 bits of each product, from a higher bit than 16 on.
bool isHighPartOfProducts(const TruncInst &i) {
  auto *to = dyn_cast<FixedVectorType>(i.getType());
  const APInt *amount = nullptr;
  return to && to->getElementType()->isIntegerTy(16) &&
         match(i.getOperand(0), m_Shr(m_Mul(m_Value(), m_Value()), m_APInt(amount))) &&
         amount->ugt(16);
}

/// The low element of each wide one, as a shuffle.
Value *lowParts(IRBuilder<> &b, TruncInst &i) {
  auto *to = cast<FixedVectorType>(i.getType());
  unsigned count = to->getNumElements();
  unsigned parts = i.getSrcTy()->getScalarSizeInBits() / to->getScalarSizeInBits();
  Value *all =
      b.CreateBitCast(i.getOperand(0), FixedVectorType::get(to->getElementType(), count * parts));
  SmallVector<int, 16> places(count);
  for (unsigned k = 0; k < count; ++k)
    places[k] = int(k * parts);
  return b.CreateShuffleVector(all, places);
}

} // namespace

PreservedAnalyses AvoidCodegenErrors::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *trunc = dyn_cast<TruncInst>(&i); trunc && isHighPartOfProducts(*trunc)) {
      IRBuilder<> b(trunc);
      trunc->replaceAllUsesWith(lowParts(b, *trunc));
      trunc->eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
