#include "backend/cpu/prepare/name_block_barriers.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/passes/lowering.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Replaces one block barrier. operands: site, number, and no thread count.
Value *emitNamedBarrier(CallInst &barrier, ArrayRef<Value *> operands) {
  IRBuilder<> b(&barrier);
  simt::Op op = *simt::calledOp(&barrier);
  if (op == simt::Op::Barrier)
    return simt::call(b, simt::Op::NamedBarrier, operands);
  Value *isTrue = barrier.getArgOperand(1);
  SmallVector<Value *, 4> all(operands);
  all.push_back(op == simt::Op::BarrierAnd ? b.CreateNot(isTrue) : isTrue);
  Value *count = simt::call(b, simt::Op::NamedBarrierCount, all);
  if (op == simt::Op::BarrierCount)
    return count;
  return b.CreateZExt(op == simt::Op::BarrierAnd ? b.CreateIsNull(count) : b.CreateIsNotNull(count),
                      b.getInt32Ty());
}

} // namespace

PreservedAnalyses NameBlockBarriers::run(Function &f, FunctionAnalysisManager &) {
  if (!simt::isKernel(f) || !simt::hasNamedBarriers(f))
    return PreservedAnalyses::all();
  std::vector<simt::SiteInfo> sites = simt::sitesOf(*f.getParent());
  for (CallInst *call : simt::simtCalls(f)) {
    if (!simt::isBlockBarrier(*call))
      continue;
    auto *site = cast<ConstantInt>(call->getArgOperand(0));
    IRBuilder<> b(call);
    uint32_t number = site->getZExtValue() < sites.size()
                          ? simt::barrierNumberOf(sites[site->getZExtValue()])
                          : 0;
    call->replaceAllUsesWith(emitNamedBarrier(*call, {site, b.getInt32(number), b.getInt32(0)}));
    call->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
