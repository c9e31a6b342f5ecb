#include "frontend/python/emit/passing_parts.h"

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/owners.h"
#include "frontend/python/link/declared_functions.h"

namespace heddle::python {
namespace {

/// Memory that a value refers to: its type, and the number of its first part among the parts of all values.
struct Memory {
  Type type;
  unsigned part;
};

/// Adds the memories in a value of that type, in owner order, and advances `part` past it.
void collectOwnedParts(llvm::LLVMContext &context, Type type, unsigned &part,
                       llvm::SmallVectorImpl<Memory> &out) {
  if (type.isComposite()) {
    for (Type element : type->elements)
      collectOwnedParts(context, element, part, out);
    return;
  }
  out.append(countHostOwners(type), {type, part});
  part += partTypes(context, type).size();
}

/// True if an address is in the memory of an array whose parts begin with `parts[0]`.
llvm::Value *emitIsInMemoryOf(llvm::IRBuilder<> &b, llvm::Value *address, Type array,
                              llvm::ArrayRef<llvm::Value *> parts) {
  llvm::Value *first = b.CreatePtrToInt(parts[0], b.getInt64Ty());
  llvm::Value *low = first, *high = first, *zero = b.getInt64(0);
  for (unsigned axis = 0; axis < array->ndim; ++axis) {
    llvm::Value *steps = b.CreateSub(parts[1 + axis], b.getInt64(1));
    llvm::Value *length = b.CreateMul(steps, parts[1 + array->ndim + axis]);
    low = b.CreateAdd(low, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, zero));
    high = b.CreateAdd(high, b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, length, zero));
  }
  return b.CreateAnd(b.CreateICmpUGE(address, low), b.CreateICmpULE(address, high));
}

/// The owner of a returned array; null if it is not in the memory of any argument.
llvm::Value *selectOwnerOfReturnedArray(Emitter &e, llvm::Value *data,
                                        llvm::ArrayRef<Memory> passed,
                                        llvm::ArrayRef<llvm::Value *> parts,
                                        llvm::ArrayRef<llvm::Value *> owners) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *owner = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *address = b.CreatePtrToInt(data, b.getInt64Ty());
  for (size_t i = 0; i < passed.size(); ++i)
    if (passed[i].type.isArray()) {
      llvm::Value *is =
          emitIsInMemoryOf(b, address, passed[i].type, parts.drop_front(passed[i].part));
      owner = b.CreateSelect(is, owners[i], owner);
    }
  return owner;
}

} // namespace

void emitForwardingWrapper(Emitter &e) {
  llvm::IRBuilder<> &b = e.b;
  llvm::LLVMContext &context = b.getContext();
  TypedFunction &f = e.function();
  llvm::SmallVector<Memory, 4> passed, made;
  unsigned count = 0, end = 0;
  for (Type type : f.parameters)
    collectOwnedParts(context, type, count, passed);
  collectOwnedParts(context, f.result, end, made);
  llvm::SmallVector<llvm::Value *, 8> arguments, owners;
  llvm::SmallVector<llvm::Type *, 8> types;
  for (llvm::Argument &argument : e.llvmFunction().args()) {
    (argument.getArgNo() < count ? arguments : owners).push_back(&argument);
    if (argument.getArgNo() < count)
      types.push_back(argument.getType());
  }
  llvm::SmallVector<llvm::Type *, 4> parts = partTypes(context, f.result);
  llvm::FunctionCallee declared = e.module().module().getOrInsertFunction(
      importedSymbolName(*f.source),
      llvm::FunctionType::get(returnTypeOfParts(context, parts), types, false));
  llvm::CallInst *call = b.CreateCall(declared, arguments);
  llvm::SmallVector<llvm::Value *, 8> results;
  for (size_t i = 0; i < parts.size(); ++i)
    results.push_back(parts.size() == 1 ? call : b.CreateExtractValue(call, unsigned(i)));
  if (countOwners(f.result, *f.rules))
    for (const Memory &memory : made) {
      llvm::Value *owner =
          memory.type.isArray()
              ? selectOwnerOfReturnedArray(e, results[memory.part], passed, arguments, owners)
              : llvm::ConstantPointerNull::get(b.getPtrTy());
      e.owners().retain(owner);
      results.push_back(owner);
    }
  if (f.returnsRaised())
    results.push_back(b.getFalse());
  if (results.size() < 2) {
    results.empty() ? b.CreateRetVoid() : b.CreateRet(results[0]);
    return;
  }
  llvm::Value *whole = llvm::PoisonValue::get(e.llvmFunction().getReturnType());
  for (size_t i = 0; i < results.size(); ++i)
    whole = b.CreateInsertValue(whole, results[i], unsigned(i));
  b.CreateRet(whole);
}

} // namespace heddle::python
