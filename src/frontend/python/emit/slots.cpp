#include "frontend/python/emit/slots.h"

#include "llvm/IR/MDBuilder.h"

namespace heddle::python {
namespace {

void addSigns(Type type, llvm::LLVMContext &context, llvm::SmallVectorImpl<bool> &out) {
  if (type.is(TypeKind::Iterator) && type->iterator == IteratorKind::Enumerate)
    out.push_back(true); // its start count
  if (type.isComposite())
    for (Type element : type->elements)
      addSigns(element, context, out);
  else if (type.is(TypeKind::Optional)) {
    out.push_back(false);
    addSigns(type->element, context, out);
  } else {
    Type number = type.is(TypeKind::Enum) ? type->element : type;
    out.append(partTypes(context, type).size(), number.isSigned());
  }
}

} // namespace

llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots, uint64_t(number) * slotBytes);
}

llvm::SmallVector<bool, 8> signedParts(Type type, llvm::LLVMContext &context) {
  llvm::SmallVector<bool, 8> out;
  addSigns(type, context, out);
  return out;
}

llvm::Value *loadSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Type *type, bool isExtent) {
  if (type->isIntegerTy(1))
    return b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), address), b.getInt8(0));
  llvm::LoadInst *part = b.CreateAlignedLoad(type, address, llvm::Align(slotBytes));
  if (isExtent)
    part->setMetadata(llvm::LLVMContext::MD_range,
                      llvm::MDBuilder(b.getContext())
                          .createRange(llvm::APInt(64, 0), llvm::APInt(64, uint64_t(1) << 63)));
  return part;
}

void storeSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *part, bool isSigned) {
  if (part->getType()->isIntegerTy())
    part = isSigned ? b.CreateSExt(part, b.getInt64Ty()) : b.CreateZExt(part, b.getInt64Ty());
  b.CreateAlignedStore(part, address, llvm::Align(slotBytes));
}

} // namespace heddle::python
