// Functions whose code is not Python: emits a call in the convention of their language.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/passing_parts.h"
#include "frontend/python/link/declared_functions.h"

namespace heddle::python {
namespace {

/// numba's status code of a function that returned None.
constexpr int statusNone = -2;

/// The type for passing an argument that is not an array: one LLVM value, or a pointer for a complex number.
llvm::Type *parameterTypeInC(llvm::LLVMContext &context, Type type) {
  return type.isComplex() || type.isPointer() ? llvm::PointerType::get(context, simt::Generic)
                                              : partTypes(context, type)[0];
}

/// An array as numba passes it: owner (null here), element count, bytes per element, address, extents and strides.
Parts makeNumbaArrayFields(Emitter &e, Type array, const Parts &parts) {
  llvm::IRBuilder<> &b = e.b;
  llvm::PointerType *generic = llvm::PointerType::get(b.getContext(), simt::Generic);
  llvm::Value *nobody = llvm::ConstantPointerNull::get(generic);
  llvm::Value *count = b.getInt64(1);
  for (unsigned axis = 0; axis < array->ndim; ++axis)
    count = b.CreateMul(count, parts[1 + axis]);
  Parts fields{nobody, nobody, count, b.getInt64(array->element->bytes()),
               b.CreateAddrSpaceCast(parts[0], generic)};
  fields.append(parts.begin() + 1, parts.end());
  return fields;
}

/// C callers extend small integers, and the callee may rely on the whole register. (Callers also extend small results.)
void extendSmallInteger(llvm::CallInst &call, unsigned argument, Type type) {
  if (type.isScalar() && !type.isFloat() && type->bits < 32)
    call.addParamAttr(argument, type.isSigned() ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
}

} // namespace

void emitDeclaredBody(Emitter &e) {
  llvm::IRBuilder<> &b = e.b;
  if (e.function().source->declaration->convention == CallingConvention::Parts)
    return emitForwardingWrapper(e);
  TypedFunction &f = e.function();
  bool numba = f.source->declaration->convention == CallingConvention::Numba;
  llvm::LLVMContext &context = b.getContext();
  llvm::SmallVector<llvm::Type *, 8> types;
  llvm::SmallVector<llvm::Value *, 8> arguments;
  bool returns = !f.result.is(TypeKind::None);
  llvm::AllocaInst *place = nullptr;
  if (numba) {
    llvm::Type *kept = returns ? memoryType(context, f.result) : b.getInt64Ty();
    place = b.CreateAlloca(kept);
    types.push_back(place->getType());
    arguments.push_back(place);
  }
  unsigned next = 0;
  for (Type type : f.parameters) {
    Parts parts;
    for (unsigned n = partTypes(context, type).size(); n; --n)
      parts.push_back(e.llvmFunction().getArg(next++));
    if (type.isArray()) {
      for (llvm::Value *field : makeNumbaArrayFields(e, type, parts)) {
        types.push_back(field->getType());
        arguments.push_back(field);
      }
      continue;
    }
    types.push_back(parameterTypeInC(context, type));
    if (type.isComplex()) {
      llvm::AllocaInst *copy = b.CreateAlloca(memoryType(context, type));
      storeElement(e, copy, parts, type);
      parts = {copy};
    }
    arguments.push_back(parts[0]);
  }
  llvm::Type *result = numba     ? b.getInt32Ty()
                       : returns ? parameterTypeInC(context, f.result)
                                 : b.getVoidTy();
  llvm::FunctionCallee declared = e.module().module().getOrInsertFunction(
      importedSymbolName(*f.source), llvm::FunctionType::get(result, types, false));
  llvm::CallInst *call = b.CreateCall(declared, arguments);
  if (!numba) {
    unsigned argument = 0;
    for (Type type : f.parameters) {
      extendSmallInteger(*call, argument, type);
      argument += countPassedParameters(type);
    }
    returns ? b.CreateRet(call) : b.CreateRetVoid();
    return;
  }
  llvm::Value *failed = b.CreateAnd(b.CreateICmpNE(call, b.getInt32(0)),
                                    b.CreateICmpNE(call, b.getInt32(statusNone)));
  e.trapIf(failed, f.source->span, "RuntimeError",
           f.source->name + "() returned a status that is not 0");
  if (!returns) {
    b.CreateRetVoid();
    return;
  }
  Parts parts = loadElement(e, place, f.result);
  if (parts.size() == 1) {
    b.CreateRet(parts[0]);
    return;
  }
  llvm::Value *all = llvm::PoisonValue::get(e.llvmFunction().getReturnType());
  for (unsigned i = 0; i < parts.size(); ++i)
    all = b.CreateInsertValue(all, parts[i], i);
  b.CreateRet(all);
}

} // namespace heddle::python
