#include "backend/cpu/vectorize/lanes/accesses.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

void keepAliases(Instruction &to, const Instruction &from) {
  to.copyMetadata(from, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                         LLVMContext::MD_nontemporal});
}

} // namespace

bool LaneAccesses::isConsecutive(const Value &pointer, Type *type, const DataLayout &layout) const {
  LaneShape shape = shapes.of(pointer);
  return shape.isStrided() && layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type) &&
         uint64_t(shape.stride) == layout.getTypeAllocSize(type).getFixedValue();
}

Value *LaneAccesses::load(LoadInst &load, Value *mask) {
  Value *pointer = load.getPointerOperand();
  if (shapes.of(*pointer).isUniform())
    return nullptr;
  if (Value *picked = mask ? nullptr : strides.load(b, load))
    return picked;
  Instruction *made;
  Type *type = values.wide(load.getType());
  if (!isConsecutive(*pointer, load.getType(), load.getDataLayout()))
    made =
        b.CreateMaskedGather(type, values.vector(pointer), load.getAlign(), masks.orAllLanes(mask));
  else if (mask)
    made = b.CreateMaskedLoad(type, pointer, load.getAlign(), mask);
  else
    made = b.CreateAlignedLoad(type, pointer, load.getAlign());
  keepAliases(*made, load);
  return made;
}

bool LaneAccesses::store(StoreInst &store, Value *mask) {
  Value *pointer = store.getPointerOperand(), *value = store.getValueOperand();
  bool onePlace = shapes.of(*pointer).isUniform();
  if (onePlace && shapes.of(*value).isUniform())
    return false;
  Instruction *made;
  Value *vector = values.vector(value);
  if (!mask && strides.store(b, store, *vector))
    return true;
  if (onePlace)
    made = b.CreateAlignedStore(ofLastLane(vector, mask), pointer, store.getAlign());
  else if (!isConsecutive(*pointer, value->getType(), store.getDataLayout()))
    made = b.CreateMaskedScatter(vector, values.vector(pointer), store.getAlign(),
                                 masks.orAllLanes(mask));
  else if (mask)
    made = b.CreateMaskedStore(vector, pointer, store.getAlign(), mask);
  else
    made = b.CreateAlignedStore(vector, pointer, store.getAlign());
  keepAliases(*made, store);
  return true;
}

/// Lanes write in order: what the highest lane wrote stays.
Value *LaneAccesses::ofLastLane(Value *vector, Value *mask) {
  unsigned width = cast<FixedVectorType>(vector->getType())->getNumElements();
  if (!mask)
    return b.CreateExtractElement(vector, width - 1);
  Value *bits = bitsOf(b, mask);
  Value *zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue());
  return b.CreateExtractElement(vector,
                                b.CreateSub(ConstantInt::get(bits->getType(), width - 1), zeros));
}

} // namespace heddle::cpu
