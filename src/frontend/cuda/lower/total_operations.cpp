#include "frontend/cuda/lower/total_operations.h"

#include "frontend/cuda/lower/place_sites.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/ops.h"
#include "simt/passes/relax_floats.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/KnownBits.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

bool isNonZeroConstant(const Value *v) {
  const auto *c = dyn_cast<ConstantInt>(v);
  return c && !c->isZero();
}

/// GPU results for x / 0 and x % 0 (as in CUDA's division routines), and wrapping for INT_MIN / -1. The divisor does
/// not depend on x, so it is uniform if y is.
Value *lowerToTotalDivision(BinaryOperator &op) {
  IRBuilder<> b(&op);
  Value *x = op.getOperand(0), *y = op.getOperand(1);
  Type *type = op.getType();
  bool isSigned = op.getOpcode() == Instruction::SDiv || op.getOpcode() == Instruction::SRem;
  bool isRemainder = op.getOpcode() == Instruction::SRem || op.getOpcode() == Instruction::URem;
  Value *zero = ConstantInt::get(type, 0), *one = ConstantInt::get(type, 1),
        *minusOne = ConstantInt::getAllOnesValue(type);
  Value *isZero = b.CreateICmpEQ(y, zero);
  Value *isMinusOne = isSigned ? b.CreateICmpEQ(y, minusOne) : nullptr;
  Value *unsafe = isSigned ? b.CreateOr(isZero, isMinusOne) : isZero;
  Value *result = b.CreateBinOp(op.getOpcode(), x, b.CreateSelect(unsafe, one, y));
  if (isSigned)
    result = b.CreateSelect(isMinusOne, isRemainder ? zero : b.CreateNeg(x), result);
  return b.CreateSelect(isZero, isRemainder ? x : minusOne, result);
}

Value *emitSaturatingConversion(CastInst &cast) {
  IRBuilder<> b(&cast);
  auto id = isa<FPToSIInst>(cast) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {cast.getType(), cast.getSrcTy()}, {cast.getOperand(0)});
}

std::optional<simt::Op> findAtomicOp(AtomicRMWInst::BinOp op) {
  using simt::Op;
  switch (op) {
  case AtomicRMWInst::Xchg:
    return Op::AtomicExch;
  case AtomicRMWInst::Add:
  case AtomicRMWInst::FAdd:
    return Op::AtomicAdd;
  case AtomicRMWInst::Sub:
    return Op::AtomicSub;
  case AtomicRMWInst::And:
    return Op::AtomicAnd;
  case AtomicRMWInst::Or:
    return Op::AtomicOr;
  case AtomicRMWInst::Xor:
    return Op::AtomicXor;
  case AtomicRMWInst::Max:
    return Op::AtomicMax;
  case AtomicRMWInst::Min:
    return Op::AtomicMin;
  case AtomicRMWInst::UMax:
    return Op::AtomicUMax;
  case AtomicRMWInst::UMin:
    return Op::AtomicUMin;
  default:
    return std::nullopt;
  }
}

/// GPU results for amounts of at least the bit width: all bits are shifted out.
Value *lowerShift(BinaryOperator &op) {
  IRBuilder<> b(&op);
  Value *x = op.getOperand(0), *amount = op.getOperand(1);
  Type *type = op.getType();
  Value *last = ConstantInt::get(type, type->getIntegerBitWidth() - 1);
  if (op.getOpcode() == Instruction::AShr)
    return b.CreateAShr(x, b.CreateBinaryIntrinsic(Intrinsic::umin, amount, last));
  Value *shifted =
      b.CreateBinOp(op.getOpcode(), x, amount); // a select ignores poison in the other operand
  return b.CreateSelect(b.CreateICmpUGT(amount, last), ConstantInt::get(type, 0), shifted);
}

bool mayShiftExceedWidth(const BinaryOperator &op) {
  KnownBits amount = computeKnownBits(op.getOperand(1), op.getDataLayout());
  return amount.getMaxValue().uge(op.getType()->getIntegerBitWidth());
}

[[noreturn]] void refuseAtomic(const Instruction &i) {
  throw makeErrorAt(i, ErrorKind::Unsupported,
                    "kernels do not support this atomic compiler builtin\n  hint: use CUDA's "
                    "atomic functions, such as atomicAdd and atomicCAS");
}

Value *lowerAtomic(AtomicRMWInst &rmw) {
  std::optional<simt::Op> op = findAtomicOp(rmw.getOperation());
  Type *type = rmw.getType();
  if (!op ||
      !(type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() || type->isDoubleTy()))
    refuseAtomic(rmw);
  IRBuilder<> b(&rmw);
  return simt::call(b, *op, {rmw.getPointerOperand(), rmw.getValOperand(), b.getInt32(2)});
}

Value *lowerCompareAndSwap(AtomicCmpXchgInst &cas) {
  Type *type = cas.getCompareOperand()->getType();
  if (!type->isIntegerTy(8) && !type->isIntegerTy(16) && !type->isIntegerTy(32) &&
      !type->isIntegerTy(64))
    refuseAtomic(cas);
  IRBuilder<> b(&cas);
  Value *old = simt::call(
      b, simt::Op::AtomicCas,
      {cas.getPointerOperand(), cas.getCompareOperand(), cas.getNewValOperand(), b.getInt32(2)});
  Value *same = b.CreateICmpEQ(old, cas.getCompareOperand());
  Value *both = b.CreateInsertValue(PoisonValue::get(cas.getType()), old, 0);
  return b.CreateInsertValue(both, same, 1);
}

/// Converts a load or store of the __atomic builtins to a volatile access, with fences for its ordering.
void lowerToVolatileWithFences(Instruction &i) {
  auto *load = dyn_cast<LoadInst>(&i);
  AtomicOrdering order = load ? load->getOrdering() : cast<StoreInst>(i).getOrdering();
  if (order == AtomicOrdering::SequentiallyConsistent || isReleaseOrStronger(order)) {
    IRBuilder<> before(&i);
    simt::call(before, simt::Op::FenceSystem, {});
  }
  if (order == AtomicOrdering::SequentiallyConsistent || isAcquireOrStronger(order)) {
    IRBuilder<> after(i.getNextNode());
    after.SetCurrentDebugLocation(i.getDebugLoc());
    simt::call(after, simt::Op::FenceSystem, {});
  }
  if (load) {
    load->setAtomic(AtomicOrdering::NotAtomic);
    load->setVolatile(true);
  } else {
    auto &store = cast<StoreInst>(i);
    store.setAtomic(AtomicOrdering::NotAtomic);
    store.setVolatile(true);
  }
  simt::markAtomic(i);
}

/// The replacement of `i`; null if it needs none.
Value *lowerInstruction(Instruction &i) {
  switch (i.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::SRem:
  case Instruction::UDiv:
  case Instruction::URem: {
    bool isSigned = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
    const auto *divisor = dyn_cast<ConstantInt>(i.getOperand(1));
    bool safe = isNonZeroConstant(i.getOperand(1)) && !(isSigned && divisor->isMinusOne());
    return safe ? nullptr : lowerToTotalDivision(cast<BinaryOperator>(i));
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return mayShiftExceedWidth(cast<BinaryOperator>(i)) ? lowerShift(cast<BinaryOperator>(i))
                                                        : nullptr;
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return emitSaturatingConversion(cast<CastInst>(i));
  case Instruction::AtomicRMW:
    return lowerAtomic(cast<AtomicRMWInst>(i));
  case Instruction::AtomicCmpXchg:
    return lowerCompareAndSwap(cast<AtomicCmpXchgInst>(i));
  case Instruction::Fence: {
    IRBuilder<> b(&i);
    return simt::call(b, simt::Op::FenceSystem, {});
  }
  default:
    return nullptr;
  }
}

/// SIMT IR does not have prefetches, which are only hints.
bool isPrefetch(const Instruction &i) {
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::prefetch;
}

} // namespace

PreservedAnalyses TotalOperations::run(Function &f, FunctionAnalysisManager &) {
  MDNode *exact = MDNode::get(f.getContext(), {});
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    if (!contract && isa<FPMathOperator>(i) && isa<BinaryOperator>(i))
      i.setMetadata(simt::exactMetadata, exact);
    if (i.isAtomic() && (isa<LoadInst>(i) || isa<StoreInst>(i)))
      lowerToVolatileWithFences(i);
    if (isPrefetch(i)) {
      i.eraseFromParent();
      continue;
    }
    Value *replacement = lowerInstruction(i);
    if (!replacement)
      continue;
    if (!i.getType()->isVoidTy()) {
      replacement->takeName(&i);
      i.replaceAllUsesWith(replacement);
    }
    i.eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cudacpp
