#include "host/passes/cancel_counts.h"

#include "simt/ir/host_memory.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::host {

using namespace llvm;

namespace {

bool isCallOf(const Instruction &i, const Function *f) {
  auto *call = dyn_cast<CallInst>(&i);
  return f && call && call->getCalledFunction() == f;
}

/// The call that releases the reference taken by `retained`; null if an instruction in between may need it. Any
/// instruction after a release of another value, which may be the same owner, may need it, except further releases.
Instruction *findMatchingRelease(CallInst &retained, const Function *retain,
                                 const Function *release) {
  bool needsOwner = false, releases = false;
  for (Instruction *next = retained.getNextNode(); next; next = next->getNextNode()) {
    if (isCallOf(*next, release)) {
      if (next->getOperand(0) == retained.getArgOperand(0))
        return next;
      releases |= !isa<ConstantPointerNull>(next->getOperand(0));
    } else if (isCallOf(*next, retain)) {
      needsOwner = true;
    } else if (next->mayReadOrWriteMemory()) {
      if (isa<CallBase>(next) || next->isAtomic())
        return nullptr;
      needsOwner = true;
    }
    if (releases && needsOwner)
      return nullptr;
  }
  return nullptr;
}

} // namespace

PreservedAnalyses CancelCounts::run(Module &m, ModuleAnalysisManager &) {
  Function *retain = m.getFunction(simt::retainFunction),
           *release = m.getFunction(simt::releaseFunction);
  for (Function *f : {retain, release})
    if (f)
      f->removeFnAttr(Attribute::NoInline);
  if (!retain || !release)
    return PreservedAnalyses::none();
  for (User *user : make_early_inc_range(retain->users()))
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == retain)
      if (Instruction *end = findMatchingRelease(*call, retain, release)) {
        end->eraseFromParent();
        call->eraseFromParent();
      }
  return PreservedAnalyses::none();
}

} // namespace heddle::host
