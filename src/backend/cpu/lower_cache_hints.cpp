#include "backend/cpu/lower_cache_hints.h"

#include "simt/lowering.h"
#include "simt/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr uint64_t volatileLoad = 4; // "cv"

/// Null when the call is no access with a cache operator.
Value *plainAccess(CallInst &call) {
  IRBuilder<> b(&call);
  Value *pointer = call.getArgOperand(0);
  simt::Op op = *simt::calledOp(&call);
  if (op == simt::Op::StoreCached) {
    Value *stored = call.getArgOperand(1);
    return b.CreateAlignedStore(stored, pointer,
                                Align(stored->getType()->getIntegerBitWidth() / 8));
  }
  if (op != simt::Op::LoadCached)
    return nullptr;
  bool again = cast<ConstantInt>(call.getArgOperand(1))->equalsInt(volatileLoad);
  return b.CreateAlignedLoad(call.getType(), pointer,
                             Align(call.getType()->getIntegerBitWidth() / 8), again);
}

} // namespace

PreservedAnalyses LowerCacheHints::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simt::simtCalls(f))
    if (Value *access = plainAccess(*call)) {
      call->replaceAllUsesWith(access);
      call->eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
