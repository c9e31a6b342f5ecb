// Loads and stores of array elements with cache hints for GPUs.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/complex.h"

namespace heddle::python {
namespace {

using simt::Op;

/// The type of argument 0, an array or pointer that argument 1 must index to a single number.
Type requireMemoryArgument(CallTyping &t) {
  std::string name(t.row().displayName());
  Type array = t.type(0);
  if (!array.isArray() && !array.isPointer())
    t.failAt(0, name + " takes an array or a pointer, not " + array.name());
  if (!array->element.isScalar() && !array->element.isComplex())
    t.failAt(0, name + " works on elements that are numbers, not " + array->element.name());
  if (array.isPointer()) {
    t.requireInteger(1);
    return array;
  }
  requireElementIndex(t, 0, name + " needs one index for each dimension");
  return array;
}

Type typeLoad(CallTyping &t) { return typeAfterLoad(requireMemoryArgument(t)->element); }
Type typeStore(CallTyping &t) {
  Type memory = requireMemoryArgument(t);
  if (memory->readOnly)
    t.failAt(0, "cannot write to a read-only array");
  if (memory->element.isComplex())
    t.requireNumber(2);
  else
    t.requireScalar(2);
  return noneType();
}

llvm::Value *accessedAddress(CallEmission &c) {
  Value &memory = *c.argument(0), &index = *c.argument(1);
  if (memory.type.isPointer())
    return c.b.CreateGEP(memoryType(c.b.getContext(), memory.type->element), c.e.parts(memory)[0],
                         c.scalar(1, int64Type()));
  std::vector<IndexItem> items = parseIndex(c.e.function(), memory.type, index, c.call.span);
  llvm::Value *address = elementAddress(c.e, memory, items, index, c.call.span);
  if (memory.type->space != simt::Constant)
    return address;
  return c.b.CreateAddrSpaceCast(address, c.b.getPtrTy(simt::Generic));
}

/// The integer type for moving a number's bits. The parts of a complex number are moved separately.
llvm::Type *integerTypeOfSize(CallEmission &c, Type number) { return c.b.getIntNTy(number->bits); }

Type componentType(Type element) {
  return element.isComplex() ? floatType(element->bits / 2) : element;
}

llvm::Value *loadPart(CallEmission &c, Type part, llvm::Value *address) {
  llvm::Function *load = simt::declare(c.e.module().module(), Op::LoadCached,
                                       integerTypeOfSize(c, part), address->getType());
  llvm::Value *bits = c.b.CreateCall(load, {address, c.e.int32(c.row.data)});
  return convertFromMemory(c.b, c.b.CreateBitCast(bits, memoryType(c.b.getContext(), part)), part);
}

Parts emitLoad(CallEmission &c) {
  Type element = c.argument(0)->type->element, part = componentType(element);
  llvm::Value *address = accessedAddress(c);
  Parts loaded{loadPart(c, part, address)};
  if (element.isComplex())
    loaded.push_back(loadPart(c, part, imaginaryAddress(c.b, address, element)));
  return loaded;
}

void storePart(CallEmission &c, Type part, llvm::Value *address, llvm::Value *v) {
  v = c.b.CreateBitCast(convertToMemory(c.b, v, part), integerTypeOfSize(c, part));
  simt::call(c.b, Op::StoreCached, {address, v, c.e.int32(c.row.data)});
}

Parts emitStore(CallEmission &c) {
  Type element = c.argument(0)->type->element, part = componentType(element);
  Parts value = convert(c.e, c.e.parts(*c.argument(2)), c.argument(2)->type, element);
  llvm::Value *address = accessedAddress(c);
  storePart(c, part, address, value[0]);
  if (element.isComplex())
    storePart(c, part, imaginaryAddress(c.b, address, element), value[1]);
  return {};
}

#define LOAD(name, which, doc) {"cuda." name, "(ary, idx)", doc, typeLoad, emitLoad, which}
#define STORE(name, which, doc)                                                                    \
  withWrites({"cuda." name, "(ary, idx, val)", doc, typeStore, emitStore, which}, "ary")

// The data numbers are those of the operations simt.load.cached and simt.store.cached.
const LibraryRow table[] = {
    LOAD("ldca", 0, "Loads ary[idx], cached at all levels."),
    LOAD("ldcg", 1, "Loads ary[idx], cached only in L2."),
    LOAD("ldcs", 2, "Loads ary[idx], likely to be read once."),
    LOAD("ldlu", 3, "Loads ary[idx], not to be read again."),
    LOAD("ldcv", 4, "Loads ary[idx] from memory, bypassing the caches."),
    STORE("stwb", 0, "Stores ary[idx] = val, cached at all levels with write-back."),
    STORE("stcg", 1, "Stores ary[idx] = val, cached only in L2."),
    STORE("stcs", 2, "Stores ary[idx] = val, likely to be accessed once."),
    STORE("stwt", 3, "Stores ary[idx] = val, written through to memory."),
};

} // namespace

llvm::ArrayRef<LibraryRow> cacheHintLibrary() { return table; }

} // namespace heddle::python
