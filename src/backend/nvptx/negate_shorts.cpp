#include "backend/nvptx/negate_shorts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// The instruction that takes the place of `i`, and its operand in `x`; null for what may stay.
const char *replacement(Instruction &i, Value *&x) {
  if (!i.getType()->isIntegerTy(16))
    return nullptr;
  if (match(&i, m_Neg(m_Value(x))))
    return "neg.s32 $0, $1;";
  if (match(&i, m_Intrinsic<Intrinsic::abs>(m_Value(x), m_Value())))
    return "abs.s32 $0, $1;";
  return nullptr;
}

} // namespace

PreservedAnalyses NegateShorts::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    Value *x;
    const char *text = replacement(i, x);
    if (!text)
      continue;
    IRBuilder<> b(&i);
    Type *i32 = b.getInt32Ty();
    auto *negate = InlineAsm::get(FunctionType::get(i32, {i32}, false), text, "=r,r",
                                  /*hasSideEffects=*/false);
    CallInst *call = b.CreateCall(negate, {b.CreateSExt(x, i32)});
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    i.replaceAllUsesWith(b.CreateTrunc(call, i.getType()));
    i.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
