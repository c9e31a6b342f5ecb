#include "backend/cpu/prepare/fix_block_shape.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/ops.h"
#include "simt/passes/order_threads.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/ConstantRange.h"

namespace heddle::cpu {

using namespace llvm;

PreservedAnalyses FixBlockShape::run(Function &f, FunctionAnalysisManager &) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  std::array<uint32_t, 3> extents = simt::launchExtents(block, simt::threadOrderOf(f));
  Plan plan = planOf(f);
  plan.block = extents;
  setPlan(f, plan);
  for (CallInst *call : simtCalls(f)) {
    simt::Op op = *simt::calledOp(call);
    auto axisFrom = [&](simt::Op x) { return unsigned(op) - unsigned(x); };
    Constant *known = nullptr;
    if (op == simt::Op::BlockDimX || op == simt::Op::BlockDimY || op == simt::Op::BlockDimZ)
      known = ConstantInt::get(call->getType(), extents[axisFrom(simt::Op::BlockDimX)]);
    if (op == simt::Op::ThreadIdX || op == simt::Op::ThreadIdY || op == simt::Op::ThreadIdZ) {
      uint32_t extent = extents[axisFrom(simt::Op::ThreadIdX)];
      if (extent > 1)
        call->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, extent)));
      else
        known = ConstantInt::get(call->getType(), 0);
    }
    if (!known)
      continue;
    // Also folds users, such as trip counts.
    replaceAndRecursivelySimplify(call, known);
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
