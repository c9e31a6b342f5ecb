#include "simt/passes/lowering.h"

#include "simt/ir/verifier.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

bool isKernel(const Function &f) { return !f.isDeclaration() && f.hasFnAttribute(kernelAttribute); }

SmallVector<CallInst *, 8> simtCalls(Function &f) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &i : instructions(f))
    if (calledOp(&i))
      calls.push_back(cast<CallInst>(&i));
  return calls;
}

} // namespace heddle::simt
