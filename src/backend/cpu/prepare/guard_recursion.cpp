#include "backend/cpu/prepare/guard_recursion.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/source_positions.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

uint64_t sumAllocaBytes(Function &f) {
  uint64_t bytes = 0;
  for (Instruction &i : f.getEntryBlock())
    if (auto *a = dyn_cast<AllocaInst>(&i))
      if (auto size = a->getAllocationSize(f.getDataLayout()))
        bytes += size->getFixedValue();
  return bytes;
}

} // namespace

PreservedAnalyses GuardRecursion::run(Function &f, FunctionAnalysisManager &) {
  if (!f.hasFnAttribute(recursiveAttribute))
    return PreservedAnalyses::all();
  uint64_t own = sumAllocaBytes(f);
  Instruction *first = &*entryInsertionPoint(f);
  IRBuilder<> b(first);
  b.SetCurrentDebugLocation(simt::artificialLocation(f));
  Type *i64 = b.getInt64Ty();
  Value *frame = b.CreateIntrinsic(Intrinsic::frameaddress, {b.getPtrTy()}, {b.getInt32(0)});
  Value *limit = loadConstantField(b, contextOf(f), offsetof(BlockContext, stackLimit), i64);
  Value *lowest = b.CreateSub(b.CreatePtrToInt(frame, i64), b.getInt64(own));
  Value *overflows = b.CreateICmpULT(lowest, limit);
  Instruction *stop =
      SplitBlockAndInsertIfThen(overflows, first, /*Unreachable=*/true,
                                MDBuilder(f.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(stop);
  auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  FunctionCallee overflow = f.getParent()->getOrInsertFunction(stackOverflowSymbol.name, type);
  auto *callee = cast<Function>(overflow.getCallee());
  callee->addFnAttr(Attribute::NoReturn);
  callee->addFnAttr(Attribute::NoUnwind);
  callee->addFnAttr(Attribute::Cold);
  b.CreateCall(overflow, contextOf(f))->setDoesNotReturn();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
