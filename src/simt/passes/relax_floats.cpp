#include "simt/passes/relax_floats.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::simt {

using namespace llvm;

PreservedAnalyses RelaxFloats::run(Function &f, FunctionAnalysisManager &) {
  FastMathFlags relaxed;
  relaxed.setAllowReassoc(allows(allowed, FastMath::Reassociate));
  relaxed.setNoSignedZeros(allows(allowed, FastMath::NoSignedZeros));
  relaxed.setAllowReciprocal(allows(allowed, FastMath::Reciprocals));
  relaxed.setAllowContract(allows(allowed, FastMath::Contract));
  relaxed.setApproxFunc(allows(allowed, FastMath::Approximate));
  bool changed = false;
  for (Instruction &i : instructions(f)) {
    if (!isa<FPMathOperator>(i) || i.hasMetadata(exactMetadata))
      continue;
    FastMathFlags flags = i.getFastMathFlags();
    flags |= relaxed;
    i.setFastMathFlags(flags);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
