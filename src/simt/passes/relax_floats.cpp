#include "simt/passes/relax_floats.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::simt {

using namespace llvm;

PreservedAnalyses RelaxFloats::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : instructions(f)) {
    if (!isa<FPMathOperator>(i) || i.hasMetadata(exactMetadata))
      continue;
    FastMathFlags flags = i.getFastMathFlags();
    flags.setAllowContract(true);
    // Not nnan and ninf: a GPU's fast math keeps NaN and infinity, and isnan() must go on working.
    if (fast) {
      flags.setAllowReassoc(true);
      flags.setNoSignedZeros(true);
      flags.setAllowReciprocal(true);
      flags.setApproxFunc(true);
    }
    i.setFastMathFlags(flags);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
