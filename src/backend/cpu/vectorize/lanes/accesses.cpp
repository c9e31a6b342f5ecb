#include "backend/cpu/vectorize/lanes/accesses.h"

#include <numeric>

namespace heddle::cpu {

using namespace llvm;

namespace {

void copyAliasMetadata(Instruction &to, const Instruction &from) {
  to.copyMetadata(from, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                         LLVMContext::MD_nontemporal});
}

/// The active lanes if they are known and at most half of all; else empty.
SmallVector<unsigned, 16> knownActiveLanesIfFew(Value *mask) {
  auto *known = dyn_cast_or_null<Constant>(mask);
  if (!known)
    return {};
  SmallVector<unsigned, 16> lanes;
  unsigned width = cast<FixedVectorType>(known->getType())->getNumElements();
  for (unsigned lane = 0; lane < width; ++lane)
    if (known->getAggregateElement(lane)->isOneValue())
      lanes.push_back(lane);
  return 2 * lanes.size() <= width ? lanes : SmallVector<unsigned, 16>();
}

/// Returns true if the lanes are the first ones and a power of two in number.
bool arePowerOfTwoLeadingLanes(ArrayRef<unsigned> lanes) {
  return isPowerOf2_64(lanes.size()) && lanes.back() == lanes.size() - 1;
}

} // namespace

bool LaneAccesses::isConsecutiveAccess(const Value &pointer, Type *type,
                                       const DataLayout &layout) const {
  LaneShape shape = shapes.shapeOf(pointer);
  return shape.isStrided() && layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type) &&
         uint64_t(shape.stride) == layout.getTypeAllocSize(type).getFixedValue();
}

Value *LaneAccesses::widenLoad(LoadInst &load, Value *mask) {
  Value *pointer = load.getPointerOperand();
  if (shapes.shapeOf(*pointer).isUniform())
    return nullptr;
  if (Value *picked = mask ? nullptr : strides.widenStridedLoad(b, load))
    return picked;
  if (Value *few = loadKnownLanes(load, mask))
    return few;
  Instruction *made;
  Type *type = values.vectorType(load.getType());
  if (!isConsecutiveAccess(*pointer, load.getType(), load.getDataLayout()))
    made = b.CreateMaskedGather(type, values.vector(pointer), load.getAlign(),
                                masks.maskOrAllOnes(mask));
  else if (mask)
    made = b.CreateMaskedLoad(type, pointer, load.getAlign(), mask);
  else
    made = b.CreateAlignedLoad(type, pointer, load.getAlign());
  copyAliasMetadata(*made, load);
  return made;
}

bool LaneAccesses::widenStore(StoreInst &store, Value *mask) {
  Value *pointer = store.getPointerOperand(), *value = store.getValueOperand();
  bool isUniformAddress = shapes.shapeOf(*pointer).isUniform();
  if (isUniformAddress && shapes.shapeOf(*value).isUniform())
    return false;
  Instruction *made;
  Value *vector = values.vector(value);
  if (mask ? !isUniformAddress && storeKnownLanes(store, *vector, mask)
           : strides.widenStridedStore(b, store, *vector))
    return true;
  if (isUniformAddress)
    made = b.CreateAlignedStore(extractLastActiveLane(vector, mask), pointer, store.getAlign());
  else if (!isConsecutiveAccess(*pointer, value->getType(), store.getDataLayout()))
    made = b.CreateMaskedScatter(vector, values.vector(pointer), store.getAlign(),
                                 masks.maskOrAllOnes(mask));
  else if (mask)
    made = b.CreateMaskedStore(vector, pointer, store.getAlign(), mask);
  else
    made = b.CreateAlignedStore(vector, pointer, store.getAlign());
  copyAliasMetadata(*made, store);
  return true;
}

Value *LaneAccesses::emitLaneAddress(Value &pointer, unsigned lane) {
  LaneShape shape = shapes.shapeOf(pointer);
  if (shape.isStrided())
    return b.CreatePtrAdd(&pointer, b.getInt64(uint64_t(shape.stride) * lane));
  return b.CreateExtractElement(values.vector(&pointer), lane);
}

Value *LaneAccesses::loadKnownLanes(LoadInst &load, Value *mask) {
  SmallVector<unsigned, 16> lanes = knownActiveLanesIfFew(mask);
  Value *pointer = load.getPointerOperand();
  auto *type = cast<FixedVectorType>(values.vectorType(load.getType()));
  bool consecutive = isConsecutiveAccess(*pointer, load.getType(), load.getDataLayout());
  if (lanes.empty() || (consecutive && lanes.size() > 1 && !arePowerOfTwoLeadingLanes(lanes)))
    return nullptr;
  auto loadOne = [&](Type *one, Value *from) {
    LoadInst *made = b.CreateAlignedLoad(one, from, load.getAlign());
    copyAliasMetadata(*made, load);
    return made;
  };
  if (consecutive && lanes.size() > 1) {
    SmallVector<int, 32> wide(type->getNumElements(), PoisonMaskElem);
    std::iota(wide.begin(), wide.begin() + lanes.size(), 0);
    Type *narrow = FixedVectorType::get(load.getType(), unsigned(lanes.size()));
    return b.CreateShuffleVector(loadOne(narrow, pointer), wide);
  }
  Value *loaded = PoisonValue::get(type);
  for (unsigned lane : lanes)
    loaded = b.CreateInsertElement(loaded, loadOne(load.getType(), emitLaneAddress(*pointer, lane)),
                                   lane);
  return loaded;
}

bool LaneAccesses::storeKnownLanes(StoreInst &store, Value &vector, Value *mask) {
  SmallVector<unsigned, 16> lanes = knownActiveLanesIfFew(mask);
  Value *pointer = store.getPointerOperand();
  Type *type = store.getValueOperand()->getType();
  bool consecutive = isConsecutiveAccess(*pointer, type, store.getDataLayout());
  if (lanes.empty() || (consecutive && lanes.size() > 1 && !arePowerOfTwoLeadingLanes(lanes)))
    return false;
  auto storeOne = [&](Value *value, Value *to) {
    copyAliasMetadata(*b.CreateAlignedStore(value, to, store.getAlign()), store);
  };
  if (consecutive && lanes.size() > 1) {
    SmallVector<int, 16> first(lanes.begin(), lanes.end());
    storeOne(b.CreateShuffleVector(&vector, first), pointer);
    return true;
  }
  for (unsigned lane : lanes)
    storeOne(b.CreateExtractElement(&vector, lane), emitLaneAddress(*pointer, lane));
  return true;
}

/// Lanes store in order, so the highest lane's value remains.
Value *LaneAccesses::extractLastActiveLane(Value *vector, Value *mask) {
  unsigned width = cast<FixedVectorType>(vector->getType())->getNumElements();
  if (!mask)
    return b.CreateExtractElement(vector, width - 1);
  Value *bits = maskToInteger(b, mask);
  Value *zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue());
  return extractElementAt(b, vector,
                          b.CreateSub(ConstantInt::get(bits->getType(), width - 1), zeros));
}

} // namespace heddle::cpu
