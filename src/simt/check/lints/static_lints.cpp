#include "simt/check/lints/static_lints.h"

#include "simt/check/forget_locals.h"
#include "simt/check/lints/accidental_float64.h"
#include "simt/check/lints/local_arrays.h"
#include "simt/ir/ops.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/lowering.h"
#include "simt/passes/passes.h"
#include "support/pass_runner.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Removes the checks of indices, which no optimization for GPUs sees.
struct RemoveIndexChecks : PassInfoMixin<RemoveIndexChecks> {
  PreservedAnalyses run(Function &f, FunctionAnalysisManager &) {
    for (Instruction &i : make_early_inc_range(instructions(f)))
      if (calledOp(&i) == Op::CheckIndex)
        i.eraseFromParent();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

FunctionPassManager makeOptimizationPasses() {
  FunctionPassManager passes;
  passes.addPass(RemoveForgets());
  passes.addPass(RemoveIndexChecks());
  passes.addPass(LowerWraps());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopSimplifyPass());
  return passes;
}

/// Adds the lints of each kernel to a list.
class CollectLints : public PassInfoMixin<CollectLints> {
public:
  explicit CollectLints(std::vector<StaticLint> &lints) : lints_(lints) {}
  PreservedAnalyses run(Function &f, FunctionAnalysisManager &am) {
    if (isKernel(f)) {
      addAccidentalFloat64Lints(f, lints_);
      addLocalArrayLints(f, am, lints_);
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::vector<StaticLint> &lints_;
};

} // namespace

std::vector<StaticLint> findStaticLints(llvm::Module &m) {
  std::vector<StaticLint> lints;
  ModulePassManager passes;
  passes.addPass(InlineDeviceFunctions());
  FunctionPassManager functions = makeOptimizationPasses();
  functions.addPass(CollectLints(lints));
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  PassRunner().run(m, passes);
  return lints;
}

} // namespace heddle::simt
