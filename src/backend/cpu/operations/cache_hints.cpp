#include "backend/cpu/operations/cache_hints.h"

#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr uint64_t volatileLoad = 4; // "cv"

Value *emitPlainLoad(IRBuilderBase &b, CallInst &call) {
  bool isVolatile = cast<ConstantInt>(call.getArgOperand(1))->equalsInt(volatileLoad);
  return b.CreateAlignedLoad(call.getType(), call.getArgOperand(0),
                             Align(call.getType()->getIntegerBitWidth() / 8), isVolatile);
}

Value *emitPlainStore(IRBuilderBase &b, CallInst &call) {
  Value *stored = call.getArgOperand(1);
  return b.CreateAlignedStore(stored, call.getArgOperand(0),
                              Align(stored->getType()->getIntegerBitWidth() / 8));
}

/// Returns null if the call is not an access with a cache operator.
Value *lowerToPlainAccess(CallInst &call) {
  IRBuilder<> b(&call);
  switch (*simt::calledOp(&call)) {
  case simt::Op::LoadCached:
    return emitPlainLoad(b, call);
  case simt::Op::StoreCached:
    return emitPlainStore(b, call);
  default:
    return nullptr;
  }
}

} // namespace

PreservedAnalyses LowerCacheHints::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simt::simtCalls(f))
    if (Value *access = lowerToPlainAccess(*call)) {
      call->replaceAllUsesWith(access);
      call->eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
