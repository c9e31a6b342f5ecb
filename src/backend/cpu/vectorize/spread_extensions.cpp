#include "backend/cpu/vectorize/spread_extensions.h"

#include "simt/ir/ops.h"
#include "simt/passes/order_threads.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned deepest = 6;

/// The operation whose result `extension` may as well take from extended operands.
OverflowingBinaryOperator *spreadable(CastInst &extension, bool isSigned) {
  auto *operation = dyn_cast<OverflowingBinaryOperator>(extension.getOperand(0));
  if (!operation || !(isSigned ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap()))
    return nullptr;
  if (operation->getOpcode() == Instruction::Shl && !isa<ConstantInt>(operation->getOperand(1)))
    return nullptr;
  return operation;
}

void spread(CastInst &extension, unsigned depth) {
  bool isSigned = isa<SExtInst>(extension);
  auto *operation = spreadable(extension, isSigned);
  // A number that is not negative is the same either way.
  if (!operation && !isSigned && extension.hasNonNeg()) {
    operation = spreadable(extension, true);
    isSigned = operation != nullptr;
  }
  if (!operation || depth == deepest)
    return;
  IRBuilder<> b(&extension);
  Type *type = extension.getType();
  auto extend = [&](Value *v) { return isSigned ? b.CreateSExt(v, type) : b.CreateZExt(v, type); };
  Value *x = extend(operation->getOperand(0)), *y = extend(operation->getOperand(1));
  Value *result = b.CreateBinOp(Instruction::BinaryOps(operation->getOpcode()), x, y);
  if (auto *made = dyn_cast<Instruction>(result))
    isSigned ? made->setHasNoSignedWrap() : made->setHasNoUnsignedWrap();
  extension.replaceAllUsesWith(result);
  extension.eraseFromParent();
  for (Value *v : {x, y})
    if (auto *inner = dyn_cast<CastInst>(v))
      spread(*inner, depth + 1);
}

bool isIndexOfLocalMemory(const Use &use) {
  const auto *address = dyn_cast<GetElementPtrInst>(use.getUser());
  if (!address || use.getOperandNo() == 0)
    return false;
  return address->getPointerAddressSpace() == simt::Shared ||
         isa<AllocaInst>(getUnderlyingObject(address));
}

bool isNarrowNumber(const Value &v) { return v.getType()->getIntegerBitWidth() == 32; }

} // namespace

void signLocalIndices(Function &f) {
  SmallVector<ZExtInst *> extensions;
  for (Instruction &i : instructions(f))
    if (auto *extension = dyn_cast<ZExtInst>(&i);
        extension && extension->getType()->isIntegerTy(64) && isNarrowNumber(*i.getOperand(0)))
      extensions.push_back(extension);
  for (ZExtInst *extension : extensions) {
    SmallVector<Use *> indices;
    for (Use &use : extension->uses())
      if (isIndexOfLocalMemory(use))
        indices.push_back(&use);
    if (indices.empty())
      continue;
    Value *number =
        IRBuilder<>(extension).CreateSExt(extension->getOperand(0), extension->getType());
    for (Use *use : indices) {
      use->set(number);
      // Where lane 0 does not run, its index is negative.
      cast<Instruction>(use->getUser())->dropPoisonGeneratingFlags();
    }
    if (extension->use_empty())
      extension->eraseFromParent();
  }
}

bool isLocalIndex(const CastInst &extension) {
  return isa<SExtInst>(extension) && isNarrowNumber(*extension.getOperand(0)) &&
         all_of(extension.uses(), isIndexOfLocalMemory);
}

void noteGridIndices(Function &f) {
  auto is = [](Value *v, simt::Op op) { return simt::calledOp(v) == op; };
  simt::Op block =
      simt::threadOrderOf(f) == simt::ThreadOrder::AlongY ? simt::Op::BlockIdY : simt::Op::BlockIdX;
  auto isStart = [&](Value *v) {
    auto *product = dyn_cast<BinaryOperator>(v);
    if (!product || product->getOpcode() != Instruction::Mul)
      return false;
    Value *x = product->getOperand(0), *y = product->getOperand(1);
    return (is(x, block) && is(y, simt::Op::BlockDimX)) ||
           (is(y, block) && is(x, simt::Op::BlockDimX));
  };
  for (Instruction &i : instructions(f)) {
    if (i.getOpcode() != Instruction::Add || !i.getType()->isIntegerTy(32))
      continue;
    for (unsigned first : {0u, 1u}) {
      Value *start = i.getOperand(first);
      if (!is(i.getOperand(1 - first), simt::Op::ThreadIdX) || !isStart(start))
        continue;
      for (Instruction *sum : {&i, cast<Instruction>(start)}) {
        sum->setHasNoUnsignedWrap();
        sum->setHasNoSignedWrap();
      }
    }
  }
}

void spreadExtensions(Function &f) {
  SmallVector<CastInst *> extensions;
  for (Instruction &i : instructions(f))
    if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64))
      extensions.push_back(cast<CastInst>(&i));
  for (CastInst *extension : extensions)
    spread(*extension, 0);
}

} // namespace heddle::cpu
