#include "backend/nvptx/wrap_negations.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// One instruction of PTX, from a value to one of the same type, as LLVM cannot look into it.
Value *opaque(IRBuilder<> &b, const char *text, Value *x) {
  Type *type = x->getType();
  auto *code = InlineAsm::get(FunctionType::get(type, {type}, false), text,
                              type->isIntegerTy(64) ? "=l,l" : "=r,r", /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(code, {x});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// In 32 bits, where nothing overflows.
Value *widened(IRBuilder<> &b, const char *text, Value *x) {
  return b.CreateTrunc(opaque(b, text, b.CreateSExt(x, b.getInt32Ty())), x->getType());
}

Value *absolute(IRBuilder<> &b, Value *x) {
  bool wide = x->getType()->isIntegerTy(64);
  Value *sign = opaque(b, wide ? "shr.s64 $0, $1, 63;" : "shr.s32 $0, $1, 31;", x);
  return b.CreateSub(b.CreateXor(x, sign), sign);
}

/// What takes the place of `i`; null where it may stay.
Value *replacement(IRBuilder<> &b, Instruction &i) {
  Value *x;
  bool isShort = i.getType()->isIntegerTy(16);
  if (isShort && match(&i, m_Neg(m_Value(x))))
    return widened(b, "neg.s32 $0, $1;", x);
  if (!match(&i, m_Intrinsic<Intrinsic::abs>(m_Value(x), m_Zero())))
    return nullptr;
  if (isShort)
    return widened(b, "abs.s32 $0, $1;", x);
  bool isNative = i.getType()->isIntegerTy(32) || i.getType()->isIntegerTy(64);
  return isNative ? absolute(b, x) : nullptr;
}

} // namespace

PreservedAnalyses WrapNegations::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    IRBuilder<> b(&i);
    if (Value *v = replacement(b, i)) {
      i.replaceAllUsesWith(v);
      i.eraseFromParent();
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
