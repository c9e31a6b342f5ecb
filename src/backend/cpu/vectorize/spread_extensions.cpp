#include "backend/cpu/vectorize/spread_extensions.h"

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

} // namespace

void spreadExtensions(Function &f) {
  SmallVector<CastInst *> extensions;
  for (Instruction &i : instructions(f))
    if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64))
      extensions.push_back(cast<CastInst>(&i));
  for (CastInst *extension : extensions)
    spread(*extension, 0);
}

} // namespace heddle::cpu
