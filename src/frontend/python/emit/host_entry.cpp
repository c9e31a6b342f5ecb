#include "frontend/python/emit/host_entry.h"

#include "simt/ir/verifier.h"

#include "llvm/IR/MDBuilder.h"

namespace heddle::python {
namespace {

constexpr unsigned slotBytes = 8;

llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots, uint64_t(number) * slotBytes);
}

/// One part of an argument. An extent is never negative.
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

/// For each part of a value, whether it is a signed integer.
void addSigns(Type type, llvm::LLVMContext &context, llvm::SmallVectorImpl<bool> &out) {
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

void emitSlotEntry(llvm::Function &body, const TypedFunction &f, const std::string &name) {
  llvm::LLVMContext &context = body.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, name, *body.getParent());
  entry->addFnAttr(simt::exportAttribute);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::SmallVector<llvm::Value *, 16> arguments;
  for (Type type : f.parameters) {
    unsigned first = arguments.size();
    for (llvm::Type *part : partTypes(context, type)) {
      unsigned number = arguments.size();
      bool isExtent = type.isArray() && number > first && number <= first + type->ndim;
      arguments.push_back(loadSlot(b, slotAt(b, entry->getArg(0), number), part, isExtent));
    }
  }
  while (arguments.size() < body.arg_size()) // the caller keeps its arrays
    arguments.push_back(llvm::ConstantPointerNull::get(b.getPtrTy()));
  llvm::Value *result = b.CreateCall(&body, arguments);
  llvm::SmallVector<bool, 8> isSigned;
  addSigns(f.result, context, isSigned);
  isSigned.append(ownersOf(f.result, *f.rules), false);
  auto *structure = llvm::dyn_cast<llvm::StructType>(result->getType());
  unsigned parts = result->getType()->isVoidTy() ? 0 : structure ? structure->getNumElements() : 1;
  for (unsigned i = 0; i < parts; ++i)
    storeSlot(b, slotAt(b, entry->getArg(1), i),
              structure ? b.CreateExtractValue(result, i) : result, isSigned[i]);
  b.CreateRetVoid();
}

} // namespace heddle::python
