#include "simt/passes/passes.h"

#include "simt/analysis/accesses.h"
#include "simt/check/filter/expand_race_filter.h"
#include "simt/check/filter/insert_race_filter.h"
#include "simt/check/filter/stop_undefined_locals.h"
#include "simt/check/filter/stop_wrong_masks.h"
#include "simt/check/forget_locals.h"
#include "simt/check/insert_access_checks.h"
#include "simt/check/insert_barrier_checks.h"
#include "simt/check/insert_definedness_checks.h"
#include "simt/check/insert_division_checks.h"
#include "simt/check/lints/insert_sample_probes.h"
#include "simt/ir/verifier.h"
#include "simt/passes/combine_instructions.h"
#include "simt/passes/expand_checks.h"
#include "simt/passes/hoist_checks.h"
#include "simt/passes/inline_device_functions.h"
#include "simt/passes/insert_warp_barriers.h"
#include "simt/passes/lower_wraps.h"
#include "simt/passes/make_loops_reducible.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/relax_floats.h"
#include "simt/passes/remove_checks.h"
#include "simt/passes/simplify_math.h"
#include "simt/passes/unroll_array_loops.h"
#include "simt/trace/insert_trace_probes.h"
#include "support/pass_names.h"

#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace heddle::simt {

using namespace llvm;

void registerPasses(PassBuilder &builder) {
  PassNames names(builder);
#define MODULE_PASS(NAME, CREATE) names.addModulePass(NAME, [=] { return CREATE; });
#define FUNCTION_PASS(NAME, CREATE) names.addFunctionPass(NAME, [=] { return CREATE; });
#include "simt/passes/passes.def"
}

void registerAnalyses(FunctionAnalysisManager &functions) {
  functions.registerPass([] { return AccessAnalysis(); });
}

FunctionPassManager simplificationPasses(bool keepApproximate) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyControlFlow());
  passes.addPass(SimplifyMath(keepApproximate));
  passes.addPass(CombineInstructions());
  return passes;
}

} // namespace heddle::simt
