// Calls of functions in other libraries, for heddle/host_library/linear_algebra/lapack.py.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/rows/row.h"

namespace heddle::python {
namespace {

Type typeCallByName(CallTyping &t) {
  const Constant *name = t.constant(0);
  if (!name || name->kind != ConstantKind::String)
    t.failAt(0, "the function's name must be a constant string");
  for (size_t i = 2; i < t.call().operands.size(); ++i) {
    const Value &v = *t.call().operands[i];
    bool isText = v.constant && v.constant->kind == ConstantKind::String;
    if (!isText && !v.type.isArray() && !v.type.isScalar() && !v.type.isComplex())
      t.fail("this function takes arrays, numbers and constant strings");
  }
  return noneType();
}

/// The address of an argument, because Fortran passes all arguments by reference.
llvm::Value *emitArgumentAddress(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.constant && v.constant->kind == ConstantKind::String)
    return b.CreateGlobalString(v.constant->text);
  if (v.type.isArray())
    return b.CreateAddrSpaceCast(e.parts(v)[0], b.getPtrTy());
  Parts parts = e.parts(v);
  uint64_t bytes = parts[0]->getType()->getScalarSizeInBits() / 8;
  llvm::AllocaInst *place = e.makeStackSlot(b.getInt8Ty(), bytes * parts.size(), llvm::Align(8));
  for (size_t i = 0; i < parts.size(); ++i)
    b.CreateStore(parts[i], b.CreateConstGEP1_64(b.getInt8Ty(), place, i * bytes));
  return place;
}

Parts emitCallByName(CallEmission &c) {
  llvm::SmallVector<llvm::Value *, 16> arguments;
  llvm::SmallVector<llvm::Type *, 16> types;
  for (size_t i = 2; i < c.call.operands.size(); ++i) {
    arguments.push_back(emitArgumentAddress(c.e, *c.call.operands[i]));
    types.push_back(c.b.getPtrTy());
  }
  auto *type = llvm::FunctionType::get(c.b.getVoidTy(), types, false);
  c.b.CreateCall(c.e.module().module().getOrInsertFunction(c.argument(0)->constant->text, type),
                 arguments);
  return {};
}

constexpr LibraryRow rows[] = {
    hostOnly({"host.call_fortran", "(name, *arguments)",
              "Calls a function that the library has registered with the runtime.", typeCallByName,
              emitCallByName}),
};

} // namespace

llvm::ArrayRef<LibraryRow> foreignCallLibrary() { return rows; }

} // namespace heddle::python
