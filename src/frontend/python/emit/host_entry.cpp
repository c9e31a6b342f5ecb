#include "frontend/python/emit/host_entry.h"

#include "frontend/python/emit/slots.h"
#include "simt/ir/verifier.h"

namespace heddle::python {

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
  llvm::SmallVector<bool, 8> isSigned = signsOfParts(f.result, context);
  isSigned.append(ownersOf(f.result, *f.rules), false);
  auto *structure = llvm::dyn_cast<llvm::StructType>(result->getType());
  unsigned parts = result->getType()->isVoidTy() ? 0 : structure ? structure->getNumElements() : 1;
  for (unsigned i = 0; i < parts; ++i)
    storeSlot(b, slotAt(b, entry->getArg(1), i),
              structure ? b.CreateExtractValue(result, i) : result, isSigned[i]);
  b.CreateRetVoid();
}

} // namespace heddle::python
