#include "frontend/python/emit/slots.h"

#include "llvm/IR/MDBuilder.h"

namespace heddle::python {
namespace {

void appendSignedness(Type type, llvm::LLVMContext &context, llvm::SmallVectorImpl<bool> &out) {
  if (type.is(TypeKind::Iterator) && type->iterator == IteratorKind::Enumerate)
    out.push_back(true); // its start count
  if (type.isComposite())
    for (Type element : type->elements)
      appendSignedness(element, context, out);
  else if (type.is(TypeKind::Optional)) {
    out.push_back(false);
    appendSignedness(type->element, context, out);
  } else {
    Type number = type.is(TypeKind::Enum) ? type->element : type;
    out.append(partTypes(context, type).size(), number.isSigned());
  }
}

} // namespace

llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots, uint64_t(number) * slotBytes);
}

llvm::SmallVector<bool, 8> signednessOfParts(Type type, llvm::LLVMContext &context) {
  llvm::SmallVector<bool, 8> out;
  appendSignedness(type, context, out);
  return out;
}

llvm::Value *loadSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Type *type, bool isExtent) {
  if (type->isIntegerTy(1))
    return b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), address), b.getInt8(0));
  llvm::LoadInst *part = b.CreateAlignedLoad(type, address, llvm::Align(slotBytes));
  if (isExtent) {
    part->setMetadata(llvm::LLVMContext::MD_range,
                      llvm::MDBuilder(b.getContext())
                          .createRange(llvm::APInt(64, 0), llvm::APInt(64, uint64_t(1) << 63)));
    // Without it, loop unswitching freezes the extent, and the range is lost.
    part->setMetadata(llvm::LLVMContext::MD_noundef, llvm::MDNode::get(b.getContext(), {}));
  }
  return part;
}

void storeSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *part, bool isSigned) {
  if (part->getType()->isIntegerTy())
    part = isSigned ? b.CreateSExt(part, b.getInt64Ty()) : b.CreateZExt(part, b.getInt64Ty());
  b.CreateAlignedStore(part, address, llvm::Align(slotBytes));
}

StoredValue::StoredValue(llvm::IRBuilder<> &b, Type type, llvm::Value *slots)
    : b_(b), type_(type), slots_(slots), firstPart_(0),
      firstOwner_(unsigned(partTypes(b.getContext(), type).size())) {}

StoredValue StoredValue::element(size_t number) const {
  StoredValue out = *this;
  out.type_ = resolveDeferred(type_->elements[number]);
  for (Type before : llvm::ArrayRef(type_->elements).take_front(number)) {
    out.firstPart_ += unsigned(partTypes(b_.getContext(), before).size());
    out.firstOwner_ += unsigned(countHostOwners(before));
  }
  return out;
}

Parts StoredValue::parts() const {
  Parts out;
  for (llvm::Type *type : partTypes(b_.getContext(), type_)) {
    bool isExtent = type_.isArray() && !out.empty() && out.size() <= type_->ndim;
    llvm::Value *slot = slotAt(b_, slots_, firstPart_ + unsigned(out.size()));
    out.push_back(loadSlot(b_, slot, type, isExtent));
  }
  return out;
}

OwnerList StoredValue::owners() const {
  OwnerList out;
  for (unsigned i = 0; i < countHostOwners(type_); ++i)
    out.push_back(b_.CreateLoad(b_.getPtrTy(), slotAt(b_, slots_, firstOwner_ + i)));
  return out;
}

void StoredValue::store(llvm::ArrayRef<llvm::Value *> parts,
                        llvm::ArrayRef<llvm::Value *> owners) const {
  llvm::SmallVector<bool, 8> isSigned = signednessOfParts(type_, b_.getContext());
  for (unsigned i = 0; i < parts.size(); ++i)
    storeSlot(b_, slotAt(b_, slots_, firstPart_ + i), parts[i], isSigned[i]);
  for (unsigned i = 0; i < owners.size(); ++i)
    b_.CreateStore(owners[i], slotAt(b_, slots_, firstOwner_ + i));
}

void StoredValue::clear() const {
  uint64_t count = firstOwner_ + countHostOwners(type_);
  b_.CreateMemSet(slots_, b_.getInt8(0), count * slotBytes, llvm::Align(slotBytes));
}

} // namespace heddle::python
