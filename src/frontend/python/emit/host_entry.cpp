#include "frontend/python/emit/host_entry.h"

#include "frontend/python/emit/owners.h"
#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"
#include "simt/ir/verifier.h"

namespace heddle::python {

namespace {

/// Appends the owners of a parameter, whose first part is `arguments[part]`, and advances `part` past it. The owner of
/// a shared container is the container. Other owners are null, because the caller keeps arrays alive.
void appendParameterOwners(llvm::IRBuilder<> &b, Type type,
                           llvm::SmallVectorImpl<llvm::Value *> &arguments, unsigned &part) {
  if (type.isTuple()) {
    for (Type element : type->elements)
      appendParameterOwners(b, element, arguments, part);
    return;
  }
  llvm::Value *nobody = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *own = type.isShared() ? arguments[part] : nobody;
  arguments.append(countHostOwners(type), own);
  part += partTypes(b.getContext(), type).size();
}

/// Passes the exception of a guarded function to the caller, after its references have been released.
void passExceptionToCallerIfRaised(llvm::IRBuilder<> &b, llvm::Value *result) {
  auto *structure = llvm::dyn_cast<llvm::StructType>(result->getType());
  llvm::Value *raised =
      structure ? b.CreateExtractValue(result, structure->getNumElements() - 1) : result;
  llvm::Function *entry = b.GetInsertBlock()->getParent();
  auto *leave = llvm::BasicBlock::Create(b.getContext(), "leave", entry);
  auto *returned = llvm::BasicBlock::Create(b.getContext(), "returned", entry);
  b.CreateCondBr(raised, leave, returned);
  b.SetInsertPoint(leave);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(entry->getParent()->getOrInsertFunction(simt::leaveFunction, type))
      ->setDoesNotReturn();
  b.CreateUnreachable();
  b.SetInsertPoint(returned);
}

} // namespace

void emitEntryWithSlotArguments(llvm::Function &body, const TypedFunction &f,
                                const std::string &name) {
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
  unsigned part = 0;
  for (Type type : f.parameters)
    appendParameterOwners(b, type, arguments, part);
  llvm::Value *result = b.CreateCall(&body, arguments);
  if (f.returnsRaised())
    passExceptionToCallerIfRaised(b, result);
  llvm::SmallVector<bool, 8> isSigned = signednessOfParts(f.result, context);
  isSigned.append(countOwners(f.result, *f.rules), false);
  auto *structure = llvm::dyn_cast<llvm::StructType>(result->getType());
  unsigned parts = result->getType()->isVoidTy() ? 0 : structure ? structure->getNumElements() : 1;
  parts -= f.returnsRaised();
  for (unsigned i = 0; i < parts; ++i)
    storeSlot(b, slotAt(b, entry->getArg(1), i),
              structure ? b.CreateExtractValue(result, i) : result, isSigned[i]);
  b.CreateRetVoid();
}

bool isPassedInRegister(Type type) {
  bool isNumber = type.isScalar() && !type.isHalf() && !(type.isFloat() && type->small);
  return isNumber || type.isPointer();
}

namespace {

/// The type in C: a bool is a byte.
llvm::Type *cTypeOf(llvm::LLVMContext &context, Type type) {
  if (type.is(TypeKind::None))
    return llvm::Type::getVoidTy(context);
  if (type.isPointer())
    return llvm::PointerType::get(context, 0);
  return type.isBool() ? llvm::Type::getInt8Ty(context) : partTypes(context, type)[0];
}

} // namespace

void emitCCallableEntry(llvm::Module &module, llvm::ArrayRef<Type> parameters, Type result,
                        const std::string &name) {
  llvm::LLVMContext &context = module.getContext();
  llvm::SmallVector<llvm::Type *, 8> types;
  for (Type type : parameters)
    types.push_back(cTypeOf(context, type));
  llvm::Type *returned = cTypeOf(context, result);
  auto *entry = llvm::Function::Create(llvm::FunctionType::get(returned, types, false),
                                       llvm::GlobalValue::ExternalLinkage, name, module);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  if (returned->isIntegerTy())
    entry->addRetAttr(result.isSigned() ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::Value *arguments = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), parameters.size()));
  llvm::Value *results = b.CreateAlloca(b.getInt64Ty());
  for (unsigned i = 0; i < parameters.size(); ++i)
    storeSlot(b, slotAt(b, arguments, i), entry->getArg(i), parameters[i].isSigned());
  auto *call =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, false);
  b.CreateCall(module.getOrInsertFunction(simt::callFromCFunction, call),
               {module.getOrInsertGlobal(simt::calledFromC, b.getInt8Ty()), arguments, results});
  returned->isVoidTy() ? b.CreateRetVoid() : b.CreateRet(loadSlot(b, results, returned));
}

} // namespace heddle::python
