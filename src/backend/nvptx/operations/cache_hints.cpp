#include "backend/nvptx/operations/cache_hints.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// PTX's cache operators, indexed by the operation's constant.
constexpr const char *loads[] = {"ca", "cg", "cs", "lu", "cv"};
constexpr const char *stores[] = {"wb", "cg", "cs", "wt"};

struct Access {
  Value *pointer;
  Value *stored; ///< null for a load
  Type *type;
  std::string cacheOperator;

  unsigned scalarBits() const { return type->getScalarSizeInBits(); }
  // ptxas moves ld.global.cv out of loops: a loop that waits for a flag would never end, or not wait.
  bool isVolatile() const { return cacheOperator == "cv" || cacheOperator == "wt"; }
};

Access parseCachedAccess(const CallInst &call, simt::Op op) {
  Value *pointer = call.getArgOperand(0);
  uint64_t which = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1))->getZExtValue();
  if (op == simt::Op::LoadCached)
    return {pointer, nullptr, call.getType(), loads[which]};
  return {pointer, call.getArgOperand(1), call.getArgOperand(1)->getType(), stores[which]};
}

bool supportsCacheOperators(const Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  const Value *object = getUnderlyingObject(pointer, 0);
  return space != simt::Shared && !isa<AllocaInst>(object) &&
         object->getType()->getPointerAddressSpace() != simt::Shared;
}

Instruction *emitPlainAccess(IRBuilderBase &b, const Access &a) {
  Align align(a.scalarBits() / 8);
  if (a.stored)
    return b.CreateAlignedStore(a.stored, a.pointer, align, a.isVolatile());
  return b.CreateAlignedLoad(a.type, a.pointer, align, a.isVolatile());
}

/// An access that the optimizer may move like any other: see EmitStreamingAccesses.
Value *emitStreamingAccess(IRBuilderBase &b, const Access &a) {
  Instruction *access = emitPlainAccess(b, a);
  Metadata *one = ConstantAsMetadata::get(b.getInt32(1));
  access->setMetadata(LLVMContext::MD_nontemporal, MDNode::get(b.getContext(), one));
  return access;
}

Value *emitCachedAccess(IRBuilderBase &b, const Access &a) {
  if (a.stored)
    return emitCachedStore(b, a.pointer, a.stored, a.cacheOperator);
  return emitCachedLoad(b, a.pointer, a.scalarBits(), a.cacheOperator, PtxOrder::Volatile);
}

/// Returns the replacement of a load or store with a cache operator; null for other calls.
Value *lowerCachedAccess(CallInst &call) {
  simt::Op op = *simt::calledOp(&call);
  if (op != simt::Op::LoadCached && op != simt::Op::StoreCached)
    return nullptr;
  IRBuilder<> b(&call);
  Access a = parseCachedAccess(call, op);
  if (a.isVolatile() || !supportsCacheOperators(a.pointer))
    return emitPlainAccess(b, a);
  return a.cacheOperator == "cs" ? emitStreamingAccess(b, a) : emitCachedAccess(b, a);
}

} // namespace

PreservedAnalyses LowerCacheHints::run(Function &f, FunctionAnalysisManager &) {
  return lowerOperationCalls(f, lowerCachedAccess) ? PreservedAnalyses::none()
                                                   : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
