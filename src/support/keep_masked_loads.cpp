#include "support/keep_masked_loads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace heddle {

using namespace llvm;

namespace {

bool isIntrinsicCall(const Instruction &i, Intrinsic::ID id) {
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == id;
}

void addFakeUses(Function &f) {
  SmallVector<Instruction *> loads;
  for (Instruction &i : instructions(f))
    if (isIntrinsicCall(i, Intrinsic::masked_load))
      loads.push_back(&i);
  for (Instruction *load : loads) {
    IRBuilder<> b(load->getParent(), std::next(load->getIterator()));
    b.CreateIntrinsic(b.getVoidTy(), Intrinsic::fake_use, {load});
  }
}

void removeFakeUses(Function &f) {
  Function *callee = nullptr;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (isIntrinsicCall(i, Intrinsic::fake_use)) {
      callee = cast<CallInst>(i).getCalledFunction();
      i.eraseFromParent();
    }
  if (callee && callee->use_empty())
    callee->eraseFromParent();
}

/// The function if `pass` is InstCombine, else null.
Function *functionOfInstCombineRun(StringRef pass, const Any &ir) {
  const auto *f = pass == "InstCombinePass" ? any_cast<const Function *>(&ir) : nullptr;
  return f ? const_cast<Function *>(*f) : nullptr;
}

} // namespace

void keepMaskedLoadsInPlace(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerBeforeNonSkippedPassCallback([](StringRef pass, Any ir) {
    if (Function *f = functionOfInstCombineRun(pass, ir))
      addFakeUses(*f);
  });
  callbacks.registerAfterPassCallback([](StringRef pass, Any ir, const PreservedAnalyses &) {
    if (Function *f = functionOfInstCombineRun(pass, ir))
      removeFakeUses(*f);
  });
}

} // namespace heddle
