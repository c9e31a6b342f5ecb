#include "frontend/cuda/lower/shared_indices.h"

#include "simt/ir/ops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cudacpp {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Volatile accesses keep generic addresses, so the address space of the underlying object counts.
bool isSharedAddress(const Value &address) {
  const Value *object = getUnderlyingObject(&address, /*MaxLookup=*/0);
  return object->getType()->getPointerAddressSpace() == simt::Shared ||
         simt::calledOp(object) == simt::Op::DynamicShared;
}

/// True if the low bits of the result depend only on the low bits of the operands.
bool dependsOnLowBitsOnly(const Instruction &i) {
  return is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::Shl},
                      i.getOpcode());
}

bool mayBeNegative(const Value &v, SmallPtrSetImpl<const Value *> &seen) {
  const auto *i = dyn_cast<Instruction>(&v);
  if (!i || !seen.insert(i).second)
    return false;
  if (match(i, m_Not(m_Value())) || match(i, m_c_Add(m_Value(), m_Negative())) ||
      match(i, m_c_Mul(m_Value(), m_Negative())))
    return true;
  if (i->getOpcode() == Instruction::Sub)
    return !i->hasNoUnsignedWrap();
  if (!dependsOnLowBitsOnly(*i) && !isa<PHINode, SelectInst, TruncInst, FreezeInst>(i))
    return false;
  return any_of(i->operands(), [&](const Use &operand) { return mayBeNegative(*operand, seen); });
}

/// The index with its unsigned terms sign-extended; unchanged if no term can be negative.
Value *signExtendTerms(Value *index) {
  if (auto *extension = dyn_cast<ZExtInst>(index)) {
    Value *number = extension->getOperand(0);
    SmallPtrSet<const Value *, 8> seen;
    if (!number->getType()->isIntegerTy(32) || extension->hasNonNeg() ||
        !mayBeNegative(*number, seen))
      return index;
    IRBuilder<> b(extension);
    return b.CreateSExt(number, index->getType(), extension->getName());
  }
  auto *operation = dyn_cast<BinaryOperator>(index);
  if (!operation || !dependsOnLowBitsOnly(*operation))
    return index;
  Value *first = signExtendTerms(operation->getOperand(0));
  Value *second = signExtendTerms(operation->getOperand(1));
  if (first == operation->getOperand(0) && second == operation->getOperand(1))
    return index;
  IRBuilder<> b(operation);
  return b.CreateBinOp(operation->getOpcode(), first, second, operation->getName());
}

} // namespace

void signExtendSharedIndices(Function &f) {
  for (Instruction &i : instructions(f)) {
    auto *address = dyn_cast<GetElementPtrInst>(&i);
    if (!address || !isSharedAddress(*address))
      continue;
    for (Use &index : address->indices()) {
      Value *wrapped = signExtendTerms(index);
      if (wrapped == index)
        continue;
      index.set(wrapped);
      address->setNoWrapFlags(address->getNoWrapFlags().withoutNoUnsignedWrap());
    }
  }
}

} // namespace heddle::cudacpp
