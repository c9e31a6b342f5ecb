#include "backend/cpu/vectorize/narrow_indices.h"

#include "backend/cpu/vectorize/lanes/values.h"
#include "simt/ir/verifier.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned deepestIndex = 8; // of expressions that are looked through
constexpr unsigned narrowBits = 32;

/// The number that all lanes share, if they do.
Value *shared(Value &v) { return v.getType()->isVectorTy() ? getSplatValue(&v) : &v; }

/// Whether the low half costs less than the whole: nothing but extensions and numbers that all lanes share below.
bool isCheaperNarrow(Value &v, unsigned depth = 0) {
  if (isa<Constant>(v) || shared(v))
    return true;
  auto *i = dyn_cast<Instruction>(&v);
  if (!i || depth == deepestIndex)
    return false;
  auto operandIs = [&](unsigned n) { return isCheaperNarrow(*i->getOperand(n), depth + 1); };
  if (isa<SExtInst, ZExtInst>(i))
    return i->getOperand(0)->getType()->getScalarSizeInBits() <= narrowBits;
  if (isa<SelectInst>(i))
    return operandIs(1) && operandIs(2);
  auto *operation = dyn_cast<BinaryOperator>(i);
  return operation && worksOnLowHalves(*operation) && operandIs(0) && operandIs(1);
}

/// The low half of every lane of a vector of 64-bit integers, or of the one number of all lanes.
Value *lowHalf(IRBuilder<> &b, Value &v, VectorType &type) {
  if (Value *number = shared(v))
    return b.CreateVectorSplat(type.getElementCount(),
                               b.CreateTrunc(number, type.getElementType()));
  if (isa<Constant>(v))
    return b.CreateTrunc(&v, &type);
  auto &i = cast<Instruction>(v);
  auto operand = [&](unsigned n) { return lowHalf(b, *i.getOperand(n), type); };
  if (isa<SExtInst>(i))
    return b.CreateSExtOrTrunc(i.getOperand(0), &type);
  if (isa<ZExtInst>(i))
    return b.CreateZExtOrTrunc(i.getOperand(0), &type);
  if (isa<SelectInst>(i))
    return b.CreateSelect(i.getOperand(0), operand(1), operand(2));
  return b.CreateBinOp(Instruction::BinaryOps(i.getOpcode()), operand(0), operand(1));
}

/// Whether every index of an element of this size, from this address, fits in 31 bits and a sign.
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

/// An address as a place in an array: what is added to `base`, in elements of `element`.
struct Place {
  Value *base;
  Type *element;
  SmallVector<Value *, 4> indices;
};

/// Of an address that InstCombine may have taken apart: x[a + b] is (x + a) + b to it. Nothing where it starts at more
/// than one address, or counts in elements of two sizes.
std::optional<Place> placeOf(GetElementPtrInst &address) {
  Place place{nullptr, address.getSourceElementType(), {}};
  for (Value *from = &address;;) {
    auto *step = dyn_cast<GetElementPtrInst>(from);
    if (!step || !step->getType()->isVectorTy()) {
      place.base = from->getType()->isVectorTy() ? getSplatValue(from) : from;
      return place.base ? std::optional(place) : std::nullopt;
    }
    if (step->getNumIndices() != 1 || step->getSourceElementType() != place.element ||
        step->getOperand(1)->getType()->getScalarSizeInBits() != 64)
      return std::nullopt;
    place.indices.push_back(step->getOperand(1));
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
    std::optional<Place> place = placeOf(*address);
    if (!place || !hasFewElements(*place->base, layout.getTypeAllocSize(place->element)))
      continue;
    bool isNarrow = place->indices.size() == 1 && isa<Constant, SExtInst>(place->indices[0]);
    if (isNarrow || !all_of(place->indices, [](Value *index) { return isCheaperNarrow(*index); }))
      continue;
    IRBuilder<> b(address);
    ElementCount lanes = cast<VectorType>(address->getType())->getElementCount();
    auto *narrow = VectorType::get(b.getIntNTy(narrowBits), lanes);
    Value *index = lowHalf(b, *place->indices[0], *narrow);
    for (Value *part : drop_begin(place->indices))
      index = b.CreateAdd(lowHalf(b, *part, *narrow), index);
    index = b.CreateSExt(index, VectorType::get(b.getInt64Ty(), lanes));
    address->replaceAllUsesWith(b.CreateGEP(place->element, place->base, index));
    replaced.push_back(address);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

} // namespace heddle::cpu
