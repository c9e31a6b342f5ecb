#include "backend/cpu/vectorize/can_widen.h"

#include "backend/cpu/math/vector_variants.h"
#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/warps.h"
#include "backend/cpu/vectorize/structurize.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::cpu {

using namespace llvm;

bool isAnnotationCall(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return false;
  }
}

bool hasOverflowResult(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
    return true;
  default:
    return false;
  }
}

bool runsPerLane(simt::Op op) {
  const simt::OpInfo &row = simt::info(op);
  if (row.has(simt::ArgMemory))
    return true;
  return row.has(simt::Pure) && row.name.starts_with("simt.math.");
}

namespace {

bool isLaneElementType(Type *type) {
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isHalfTy() ||
         type->isBFloatTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy();
}

bool isLoadableAsVector(Type *type) {
  if (!type->isIntegerTy())
    return isLaneElementType(type);
  unsigned bits = type->getIntegerBitWidth();
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// Intrinsics with a vector form.
bool hasVectorForm(Intrinsic::ID id) {
  return isTriviallyVectorizable(id) || id == Intrinsic::is_fpclass || id == Intrinsic::expect ||
         id == Intrinsic::prefetch || hasOverflowResult(id);
}

/// Operations that a group executes once for all its lanes.
bool runsOncePerGroup(simt::Op op) {
  switch (op) {
  case simt::Op::Barrier:
  case simt::Op::BarrierCount:
  case simt::Op::BarrierAnd:
  case simt::Op::BarrierOr:
  case simt::Op::GridBarrier:
  case simt::Op::FenceBlock:
  case simt::Op::FenceDevice:
  case simt::Op::FenceSystem:
    return true;
  default:
    return simt::info(op).has(simt::Pure);
  }
}

bool canWidenCall(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.hasOperandBundles())
    return isAnnotationCall(call);
  if (isAnnotationCall(call) || isLanePlaceholder(call) ||
      callee->getName().starts_with(trapPlaceholder))
    return true;
  if (callee->isIntrinsic())
    return hasVectorForm(callee->getIntrinsicID());
  if (hasVectorVariants(call))
    return true;
  if (simt::isWarpOperation(call))
    return canWidenWarpOperation(call);
  std::optional<simt::Op> op = simt::calledOp(&call);
  return op && (runsPerLane(*op) || runsOncePerGroup(*op) || simt::info(*op).has(simt::NoReturn) ||
                simt::info(*op).has(simt::Check));
}

} // namespace

bool canWiden(const Instruction &i) {
  if (const auto *call = dyn_cast<CallInst>(&i))
    return canWidenCall(*call);
  if (const auto *alloca = dyn_cast<AllocaInst>(&i))
    return alloca->isStaticAlloca() && !alloca->isArrayAllocation();
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isSimple() && isLoadableAsVector(load->getType());
  if (const auto *store = dyn_cast<StoreInst>(&i))
    return store->isSimple() && isLoadableAsVector(store->getValueOperand()->getType());
  if (const auto *extract = dyn_cast<ExtractValueInst>(&i)) {
    const auto *from = dyn_cast<IntrinsicInst>(extract->getAggregateOperand());
    return from && hasOverflowResult(from->getIntrinsicID());
  }
  if (isa<ReturnInst, BranchInst>(i))
    return true;
  bool known = isa<PHINode, BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
                   FreezeInst, GetElementPtrInst>(i);
  return known && isLaneElementType(i.getType()) &&
         all_of(i.operands(), [](const Use &u) { return isLaneElementType(u->getType()); });
}

std::string describeUnsupportedInstruction(const Instruction &i) {
  if (std::optional<simt::Op> op = simt::calledOp(&i)) {
    std::string name = simt::info(*op).name.drop_front(sizeof("simt.") - 1).str();
    return simt::info(*op).has(simt::Warp) ? name + " with masks that differ between lanes" : name;
  }
  if (isa<MemIntrinsic>(i))
    return "a copy of unknown length";
  if (const auto *call = dyn_cast<CallInst>(&i)) {
    const Function *callee = call->getCalledFunction();
    return callee ? "a call of " + demangle(callee->getName().split('.').first)
                  : "a call through a pointer";
  }
  if (i.isAtomic())
    return "an atomic access";
  if (i.isVolatile())
    return "a volatile access";
  if (Type *type = getLoadStorePointerOperand(&i) ? getLoadStoreType(&i) : i.getType();
      type->isIntegerTy())
    return "an integer of " + std::to_string(type->getIntegerBitWidth()) + " bits";
  return i.getOpcodeName();
}

} // namespace heddle::cpu
