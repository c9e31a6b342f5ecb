#include "backend/cpu/vectorize/expand_copies.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The scalar element type of an array, or of a structure whose elements have one size; else null.
Type *commonElementType(Type *type, const DataLayout &layout) {
  if (auto *array = dyn_cast<ArrayType>(type))
    return commonElementType(array->getElementType(), layout);
  auto *structure = dyn_cast<StructType>(type);
  if (!structure)
    return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy() ? type : nullptr;
  Type *element = nullptr;
  for (Type *field : structure->elements()) {
    Type *other = commonElementType(field, layout);
    if (!other || (element && layout.getTypeStoreSize(other) != layout.getTypeStoreSize(element)))
      return nullptr;
    element = other;
  }
  return element;
}

/// A memset or memcpy of a local array, or a copy of another structure, by elements.
class ShortCopy {
public:
  explicit ShortCopy(MemIntrinsic &call) : call(call), layout(call.getDataLayout()) {
    auto *length = dyn_cast<ConstantInt>(call.getLength());
    AllocaInst *array = findLocalArray(call.getRawDest());
    if (auto *copy = dyn_cast<MemCpyInst>(&call); copy && !array)
      array = findLocalArray(copy->getRawSource());
    if (!length || call.isVolatile() || isa<MemMoveInst>(call))
      return;
    Type *type = array ? commonElementType(array->getAllocatedType(), layout) : nullptr;
    uint64_t bytes = type ? layout.getTypeStoreSize(type).getFixedValue() : 0;
    if (!array && length->getValue().ule(maxStructBytes))
      bytes = largestElementBytes(length->getZExtValue());
    if (!bytes || bytes > 8 || !isPowerOf2_64(bytes) || length->getZExtValue() % bytes)
      return;
    element = IntegerType::get(call.getContext(), bytes * 8);
    count = length->getZExtValue() / bytes;
  }

  void expand() {
    if (!element)
      return;
    if (count <= maxStores) {
      IRBuilder<> b(&call);
      SmallVector<Value *, maxStores> values;
      for (uint64_t i = 0; i < count; ++i)
        values.push_back(readElement(b, b.getInt64(i)));
      for (auto [i, value] : enumerate(values))
        writeElement(b, value, b.getInt64(i));
    } else {
      auto *end = ConstantInt::get(Type::getInt64Ty(call.getContext()), count);
      auto [inside, index] = SplitBlockAndInsertSimpleForLoop(end, call.getIterator());
      IRBuilder<> b(inside);
      writeElement(b, readElement(b, index), index);
    }
    call.eraseFromParent();
  }

private:
  static constexpr uint64_t maxStores = 16;      // unrolled; more become a loop
  static constexpr uint64_t maxStructBytes = 64; // of a structure

  /// Limited by the alignment of both pointers and the length.
  uint64_t largestElementBytes(uint64_t length) const {
    Align align = call.getDestAlign().valueOrOne();
    if (auto *copy = dyn_cast<MemCpyInst>(&call))
      align = std::min(align, copy->getSourceAlign().valueOrOne());
    return std::min<uint64_t>(commonAlignment(align, length).value(), 8);
  }

  static AllocaInst *findLocalArray(Value *pointer) {
    auto *array = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
    return array && array->isStaticAlloca() ? array : nullptr;
  }

  Align elementAlign(MaybeAlign known) const {
    return std::min(Align(layout.getTypeStoreSize(element).getFixedValue()), known.valueOrOne());
  }

  Value *readElement(IRBuilderBase &b, Value *index) {
    if (auto *set = dyn_cast<MemSetInst>(&call)) {
      Value *byte = b.CreateZExt(set->getValue(), element);
      return b.CreateMul(
          byte, ConstantInt::get(element, APInt::getSplat(element->getBitWidth(), APInt(8, 1))));
    }
    auto &copy = cast<MemCpyInst>(call);
    Value *from = b.CreateInBoundsGEP(element, copy.getRawSource(), index);
    return b.CreateAlignedLoad(element, from, elementAlign(copy.getSourceAlign()));
  }

  void writeElement(IRBuilderBase &b, Value *value, Value *index) {
    Value *to = b.CreateInBoundsGEP(element, call.getRawDest(), index);
    b.CreateAlignedStore(value, to, elementAlign(call.getDestAlign()));
  }

  MemIntrinsic &call;
  const DataLayout &layout;
  IntegerType *element = nullptr;
  uint64_t count = 0;
};

} // namespace

void expandShortCopies(Function &f) {
  SmallVector<MemIntrinsic *> calls;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<MemIntrinsic>(&i))
      calls.push_back(call);
  for (MemIntrinsic *call : calls)
    ShortCopy(*call).expand();
}

} // namespace heddle::cpu
