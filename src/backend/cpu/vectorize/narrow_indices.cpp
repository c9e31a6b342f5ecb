#include "backend/cpu/vectorize/narrow_indices.h"

#include "backend/cpu/vectorize/lanes/values.h"
#include "simt/ir/verifier.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned narrowBits = 32;

/// The scalar value of a uniform vector; null if it is not uniform.
Value *scalarOfUniform(Value &v) { return v.getType()->isVectorTy() ? getSplatValue(&v) : &v; }

/// Returns true if the low half is cheaper to compute: only extensions and uniform values as leaves.
bool isCheaperNarrow(Value &v, unsigned depth = 0) {
  if (isa<Constant>(v) || scalarOfUniform(v))
    return true;
  auto *i = dyn_cast<Instruction>(&v);
  if (!i || depth == thresholds::maxExpressionDepth)
    return false;
  auto operandIs = [&](unsigned n) { return isCheaperNarrow(*i->getOperand(n), depth + 1); };
  if (isa<SExtInst, ZExtInst>(i))
    return i->getOperand(0)->getType()->getScalarSizeInBits() <= narrowBits;
  if (isa<SelectInst>(i))
    return operandIs(1) && operandIs(2);
  auto *operation = dyn_cast<BinaryOperator>(i);
  return operation && dependsOnLowHalvesOnly(*operation) && operandIs(0) && operandIs(1);
}

/// Emits the low half of a vector of 64-bit integers, or of a uniform one.
Value *emitLowHalf(IRBuilder<> &b, Value &v, VectorType &type) {
  if (Value *number = scalarOfUniform(v))
    return b.CreateVectorSplat(type.getElementCount(),
                               b.CreateTrunc(number, type.getElementType()));
  if (isa<Constant>(v))
    return b.CreateTrunc(&v, &type);
  auto &i = cast<Instruction>(v);
  auto operand = [&](unsigned n) { return emitLowHalf(b, *i.getOperand(n), type); };
  if (isa<SExtInst>(i))
    return b.CreateSExtOrTrunc(i.getOperand(0), &type);
  if (isa<ZExtInst>(i))
    return b.CreateZExtOrTrunc(i.getOperand(0), &type);
  if (isa<SelectInst>(i))
    return b.CreateSelect(i.getOperand(0), operand(1), operand(2));
  return b.CreateBinOp(Instruction::BinaryOps(i.getOpcode()), operand(0), operand(1));
}

/// Returns true if every index of an element of this size, from this address, fits in 31 bits and a sign.
bool hasFewElements(const Value &base, uint64_t bytes) {
  auto *array = dyn_cast<Argument>(getUnderlyingObject(&base));
  if (!array)
    return false;
  Attribute known = array->getParent()->getAttributes().getParamAttr(array->getArgNo(),
                                                                     simt::fewElementsAttribute);
  uint64_t elementBytes;
  return known.isValid() && !known.getValueAsString().getAsInteger(10, elementBytes) &&
         elementBytes <= bytes;
}

/// An address as a base and a sum of indices, in elements of `element`.
struct ArrayAddress {
  Value *base;
  Type *element;
  SmallVector<Value *, 4> indices;
};

/// Decomposes an address that InstCombine may have split: x[a + b] into (x + a) + b. Returns nullopt for several bases
/// or element sizes.
std::optional<ArrayAddress> decomposeAddress(GetElementPtrInst &address) {
  ArrayAddress parts{nullptr, address.getSourceElementType(), {}};
  for (Value *from = &address;;) {
    auto *step = dyn_cast<GetElementPtrInst>(from);
    if (!step || !step->getType()->isVectorTy()) {
      parts.base = from->getType()->isVectorTy() ? getSplatValue(from) : from;
      return parts.base ? std::optional(parts) : std::nullopt;
    }
    if (step->getNumIndices() != 1 || step->getSourceElementType() != parts.element ||
        step->getOperand(1)->getType()->getScalarSizeInBits() != 64)
      return std::nullopt;
    parts.indices.push_back(step->getOperand(1));
    from = step->getPointerOperand();
  }
}

} // namespace

void narrowIndices(Function &f) {
  const DataLayout &layout = f.getDataLayout();
  SmallVector<GetElementPtrInst *> addresses;
  for (Instruction &i : instructions(f))
    if (auto *address = dyn_cast<GetElementPtrInst>(&i); address && i.getType()->isVectorTy())
      addresses.push_back(address);
  SmallVector<WeakTrackingVH> replaced;
  for (GetElementPtrInst *address : addresses) {
    std::optional<ArrayAddress> parts = decomposeAddress(*address);
    if (!parts || !hasFewElements(*parts->base, layout.getTypeAllocSize(parts->element)))
      continue;
    bool isNarrow = parts->indices.size() == 1 && isa<Constant, SExtInst>(parts->indices[0]);
    if (isNarrow || !all_of(parts->indices, [](Value *index) { return isCheaperNarrow(*index); }))
      continue;
    IRBuilder<> b(address);
    ElementCount lanes = cast<VectorType>(address->getType())->getElementCount();
    auto *narrow = VectorType::get(b.getIntNTy(narrowBits), lanes);
    Value *index = emitLowHalf(b, *parts->indices[0], *narrow);
    for (Value *part : drop_begin(parts->indices))
      index = b.CreateAdd(emitLowHalf(b, *part, *narrow), index);
    index = b.CreateSExt(index, VectorType::get(b.getInt64Ty(), lanes));
    address->replaceAllUsesWith(b.CreateGEP(parts->element, parts->base, index));
    replaced.push_back(address);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

} // namespace heddle::cpu
