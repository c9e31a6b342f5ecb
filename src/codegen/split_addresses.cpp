#include "codegen/split_addresses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::cpu {
namespace {

/// Rewrites the address; returns null if no part of it can be hoisted.
Value *splitAddress(GetElementPtrInst &address, const Loop &loop) {
  Value *base = address.getPointerOperand();
  if (address.getNumIndices() != 1 || address.getType()->isVectorTy() ||
      !loop.isLoopInvariant(base))
    return nullptr;
  Type *type = address.getSourceElementType();
  IRBuilder<> outside(loop.getLoopPreheader()->getTerminator()), here(&address);
  Value *index = address.getOperand(1), *condition, *one, *other;
  if (match(index, m_Select(m_Value(condition), m_Value(one), m_Zero())) &&
      loop.isLoopInvariant(one))
    return here.CreateSelect(condition, outside.CreateGEP(type, base, one), base);
  if (!match(index, m_Add(m_Value(one), m_Value(other))) || isa<Constant>(one) ||
      isa<Constant>(other))
    return nullptr;
  if (!loop.isLoopInvariant(one))
    std::swap(one, other);
  if (!loop.isLoopInvariant(one) || loop.isLoopInvariant(other))
    return nullptr;
  return here.CreateGEP(type, outside.CreateGEP(type, base, one), other);
}

} // namespace

PreservedAnalyses SplitAddresses::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = false;
  for (Loop *loop : am.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getLoopPreheader())
      continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &i : make_early_inc_range(*block))
        if (auto *address = dyn_cast<GetElementPtrInst>(&i))
          if (Value *result = splitAddress(*address, *loop)) {
            address->replaceAllUsesWith(result);
            address->eraseFromParent();
            changed = true;
          }
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace heddle::cpu
